import { crc32, deflateSync, inflateSync } from "node:zlib";

/**
 * Reduces a picture to at most 256 colours, a third of its size: screenshots of pages are mostly text on flat
 * backgrounds. Accepts Chromium's screenshots: eight bits for each of three or four channels, not interlaced.
 */
export function smallPng(png: Buffer): Buffer {
  const { width, height, channels, pixels } = readPng(png);
  const counts = new Map<number, number>();
  const colours = new Uint32Array(width * height);
  for (let at = 0; at < colours.length; at++) {
    const from = at * channels;
    const colour = ((pixels[from] ?? 0) << 16) | ((pixels[from + 1] ?? 0) << 8) | (pixels[from + 2] ?? 0);
    colours[at] = colour;
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const palette = choose([...counts].sort(([, a], [, b]) => b - a).map(([colour]) => colour));
  const places = new Map(palette.map((colour, place) => [colour, place]));
  const lines = Buffer.alloc((width + 1) * height);
  for (const [at, colour] of colours.entries()) {
    let place = places.get(colour);
    if (place === undefined) {
      place = nearest(palette, colour);
      places.set(colour, place);
    }
    // Each line starts with its filter byte: 0 for none, which is best for a palette.
    lines[at + Math.floor(at / width) + 1] = place;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3], 8);
  const table = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    png.subarray(0, 8),
    chunk("IHDR", header),
    chunk("PLTE", table),
    chunk("IDAT", deflateSync(lines, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/**
 * Chooses the most frequent colours, and of the rest those that differ most from them: the colour of a single link is
 * rare, but must not be lost.
 */
function choose(byFrequency: readonly number[]): number[] {
  const chosen = byFrequency.slice(0, frequentColours);
  const rest = byFrequency.slice(frequentColours, frequentColours + rareColoursLookedAt);
  const distances = rest.map((colour) => Math.min(...chosen.map((one) => distance(one, colour))));
  while (chosen.length < 256 && chosen.length < byFrequency.length) {
    const farthest = distances.indexOf(Math.max(...distances));
    const colour = rest[farthest];
    if (colour === undefined) break;
    chosen.push(colour);
    for (const [at, other] of rest.entries()) distances[at] = Math.min(distances[at] ?? 0, distance(colour, other));
  }
  return chosen;
}

const frequentColours = 160;
const rareColoursLookedAt = 3_000;

function nearest(palette: readonly number[], colour: number): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (const [place, one] of palette.entries()) {
    const far = distance(one, colour);
    if (far < least) [best, least] = [place, far];
  }
  return best;
}

function distance(a: number, b: number): number {
  return ((a >> 16) - (b >> 16)) ** 2 + (((a >> 8) & 255) - ((b >> 8) & 255)) ** 2 + ((a & 255) - (b & 255)) ** 2;
}

/** The decoded bytes of each pixel, line by line. */
export function readPng(png: Buffer): { width: number; height: number; channels: number; pixels: Buffer } {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const channels = png[25] === 6 ? 4 : 3;
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const wide = width * channels;
  const pixels = Buffer.alloc(wide * height);
  for (let line = 0; line < height; line++) {
    const filter = raw[line * (wide + 1)] ?? 0;
    for (let x = 0; x < wide; x++) {
      const at = line * wide + x;
      const left = x < channels ? 0 : (pixels[at - channels] ?? 0);
      const up = line === 0 ? 0 : (pixels[at - wide] ?? 0);
      const corner = x < channels || line === 0 ? 0 : (pixels[at - wide - channels] ?? 0);
      pixels[at] = (raw[line * (wide + 1) + 1 + x] ?? 0) + guess(filter, left, up, corner);
    }
  }
  return { width, height, channels, pixels };
}

/** The prediction of a PNG filter from the neighbouring bytes. */
function guess(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) return 0;
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

function chunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
