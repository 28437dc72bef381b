/** Error correction M of versions 1 to 10 (ISO/IEC 18004, table 9): its bytes per block, blocks, all bytes of data. */
const versions: readonly (readonly [corrections: number, blocks: number, bytes: number])[] = [
  [10, 1, 16],
  [16, 1, 28],
  [26, 1, 44],
  [18, 2, 64],
  [24, 2, 86],
  [16, 4, 108],
  [18, 4, 124],
  [22, 4, 154],
  [22, 5, 182],
  [26, 5, 216],
];

/** Distance of alignment patterns after the first one, which is at 6. */
const alignments: readonly (readonly number[])[] = [
  [],
  [18],
  [22],
  [26],
  [30],
  [34],
  [22, 38],
  [24, 42],
  [26, 46],
  [28, 50],
];

type Grid = (boolean | undefined)[][];

/**
 * Draws a text of at most 213 bytes as a QR code: the path of its dark squares, each of size 1. Undefined if the text
 * is longer. One mask is enough for scanners that people hold before a screen.
 */
export function qrCode(text: string): { size: number; path: string } | undefined {
  const bytes = Buffer.from(text);
  // The mode, its length and the end need three bytes; two of them from version 10 on.
  const index = versions.findIndex(([, , all], at) => bytes.length + (at < 9 ? 2 : 3) <= all);
  if (index < 0) return undefined;
  const size = 21 + 4 * index;
  const grid: Grid = Array.from({ length: size }, () => new Array<boolean | undefined>(size).fill(undefined));
  drawPatterns(grid, index);
  drawData(grid, interleave(dataOf(bytes, index), index));
  const path = grid.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
  return { size, path };
}

function dataOf(bytes: Buffer, index: number): number[] {
  const [, , all] = versions[index] ?? [0, 0, 0];
  const length = index < 9 ? [bytes.length] : [bytes.length >> 8, bytes.length & 255];
  // Four bits say "bytes", then everything is half a byte later.
  const halves = [4, ...[...length, ...bytes].flatMap((byte) => [byte >> 4, byte & 15]), 0];
  const data: number[] = [];
  for (let at = 0; at < halves.length; at += 2) data.push(((halves[at] ?? 0) << 4) | (halves[at + 1] ?? 0));
  for (let pad = 0xec; data.length < all; pad ^= 0xec ^ 0x11) data.push(pad);
  return data;
}

/** Bytes of several blocks in turn, first their data, then their corrections. The last blocks are one byte longer. */
function interleave(data: readonly number[], index: number): number[] {
  const [corrections, count, all] = versions[index] ?? [0, 1, 0];
  const short = Math.floor(all / count);
  const blocks: number[][] = [];
  for (let at = 0; blocks.length < count; ) {
    const length = short + (blocks.length >= count - (all % count) ? 1 : 0);
    blocks.push(data.slice(at, at + length));
    at += length;
  }
  const checks = blocks.map((block) => remainderOf(block, corrections));
  const inTurn = (lists: readonly number[][]): number[] =>
    Array.from({ length: short + 1 + corrections }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat();
  return [...inTurn(blocks), ...inTurn(checks)];
}

/** Reed–Solomon: the remainder of a division by (x - 1)(x - 2)(x - 4)… Exported for its test. */
export function remainderOf(block: readonly number[], degree: number): number[] {
  let divisor = [1];
  for (let at = 0, root = 1; at < degree; at += 1, root = times(root, 2))
    divisor = [...divisor, 0].map((value, place) => value ^ times(divisor[place - 1] ?? 0, root));
  let rest = new Array<number>(degree).fill(0);
  for (const byte of block) {
    const factor = byte ^ (rest[0] ?? 0);
    rest = [...rest.slice(1), 0].map((value, place) => value ^ times(divisor[place + 1] ?? 0, factor));
  }
  return rest;
}

/** In the field of 256 elements with x⁸ + x⁴ + x³ + x² + 1. */
function times(one: number, other: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ (product >> 7 ? 0x11d : 0);
    if ((other >> bit) & 1) product ^= one;
  }
  return product;
}

function drawPatterns(grid: Grid, index: number): void {
  const size = grid.length;
  const set = (x: number, y: number, isDark: boolean): void => {
    const row = grid[y];
    if (row !== undefined && x >= 0 && x < size) row[x] = isDark;
  };
  const rings = (x: number, y: number, radius: number): void => {
    for (let dy = -radius; dy <= radius; dy += 1)
      for (let dx = -radius; dx <= radius; dx += 1) {
        const ring = Math.max(Math.abs(dx), Math.abs(dy));
        set(x + dx, y + dy, ring !== 2 - (radius === 2 ? 1 : 0) && ring !== 4);
      }
  };
  for (let at = 8; at < size - 8; at += 1) {
    set(at, 6, at % 2 === 0);
    set(6, at, at % 2 === 0);
  }
  for (const [x, y] of [[3, 3] as const, [size - 4, 3] as const, [3, size - 4] as const]) rings(x, y, 4);
  const centres = [6, ...(alignments[index] ?? [])];
  const last = centres.at(-1);
  for (const x of centres)
    for (const y of centres)
      if (centres.length > 1 && !((x === 6 && (y === 6 || y === last)) || (x === last && y === 6))) rings(x, y, 2);
  drawFormat(set, size);
  // Versions from 7 on name themselves.
  const version = withRemainder(index + 1, 12, 0x1f25);
  for (let bit = 0; index >= 6 && bit < 18; bit += 1) {
    const [a, b] = [size - 11 + (bit % 3), Math.floor(bit / 3)];
    set(a, b, ((version >> bit) & 1) === 1);
    set(b, a, ((version >> bit) & 1) === 1);
  }
}

/** Twice: correction M (0), mask 0. */
function drawFormat(set: (x: number, y: number, isDark: boolean) => void, size: number): void {
  const format = withRemainder(0, 10, 0x537) ^ 0x5412;
  for (let bit = 0; bit < 15; bit += 1) {
    const isDark = ((format >> bit) & 1) === 1;
    if (bit < 8) {
      set(8, bit < 6 ? bit : bit + 1, isDark);
      set(size - 1 - bit, 8, isDark);
    } else {
      set(bit === 8 ? 7 : 14 - bit, 8, isDark);
      set(8, size - 15 + bit, isDark);
    }
  }
  set(8, size - 8, true);
}

function withRemainder(value: number, degree: number, divisor: number): number {
  let rest = value;
  for (let at = 0; at < degree; at += 1) rest = (rest << 1) ^ ((rest >> (degree - 1)) & 1 ? divisor : 0);
  return (value << degree) | rest;
}

/** From the lower right, in columns of two, up and down. Each second square is inverted (mask 0). */
function drawData(grid: Grid, bytes: readonly number[]): void {
  const size = grid.length;
  let bit = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    const isUpward = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step += 1)
      for (const x of [right, right - 1]) {
        const y = isUpward ? size - 1 - step : step;
        const row = grid[y];
        if (row === undefined || row[x] !== undefined) continue;
        const isSet = (((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1;
        row[x] = isSet !== ((x + y) % 2 === 0);
        bit += 1;
      }
  }
}
