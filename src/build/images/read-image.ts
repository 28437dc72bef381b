import { readSvgSize } from "./svg-file.ts";

export type ImageFormat = "png" | "jpeg" | "gif" | "webp" | "avif" | "svg";

/** What the bytes of a file say about its image. The sizes are those that a browser shows. */
export type ReadImage =
  | { kind: "image"; format: ImageFormat; width: number; height: number; isAnimated: boolean }
  | { kind: "unreadable"; why: string };

type Found = Omit<Extract<ReadImage, { kind: "image" }>, "kind" | "format">;

/** Recognises the format by the first bytes: names of files are often wrong. */
const readers: readonly [ImageFormat, (bytes: Buffer) => boolean, (bytes: Buffer) => Found][] = [
  ["png", (bytes) => latin1(bytes, 0, 8) === "\x89PNG\r\n\x1a\n", readPng],
  ["jpeg", (bytes) => latin1(bytes, 0, 3) === "\xff\xd8\xff", readJpeg],
  ["gif", (bytes) => /^GIF8[79]a/.test(latin1(bytes, 0, 6)), readGif],
  ["webp", (bytes) => /^RIFF.{4}WEBP/s.test(latin1(bytes, 0, 12)), readWebp],
  ["avif", (bytes) => /^.{4}ftyp.*avi[fs]/s.test(latin1(bytes, 0, 64)), readAvif],
  [
    "svg",
    (bytes) => bytes.includes("<svg"),
    (bytes) => ({ ...readSvgSize(bytes.toString("utf8")), isAnimated: false }),
  ],
];

/** Reads format and size of an image without decoding it. Notices a file that is cut off. */
export function readImage(bytes: Buffer): ReadImage {
  const [format, , read] = readers.find(([, fits]) => fits(bytes)) ?? [];
  if (!format || !read) return { kind: "unreadable", why: "is no PNG, JPEG, GIF, WebP, AVIF or SVG" };
  try {
    const found = read(bytes);
    if (found.width > 0 && found.height > 0) return { kind: "image", format, ...found };
    return { kind: "unreadable", why: "does not say how large it is" };
  } catch (error) {
    // Reading beyond the end.
    if (error instanceof RangeError) return { kind: "unreadable", why: `is cut off: its ${format} data is incomplete` };
    throw error;
  }
}

function latin1(bytes: Buffer, start: number, end: number): string {
  return bytes.toString("latin1", start, end);
}

function endWithin(bytes: Buffer, end: number): void {
  if (end > bytes.length) throw new RangeError("The file ends before its data.");
}

/** https://www.w3.org/TR/png-3/#5DataRep */
function readPng(bytes: Buffer): Found {
  let isAnimated = false;
  for (let at = 8; ; ) {
    const length = bytes.readUInt32BE(at);
    const name = latin1(bytes, at + 4, at + 8);
    at += 12 + length;
    endWithin(bytes, at);
    if (name === "acTL") isAnimated = true;
    if (name === "IEND") return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), isAnimated };
  }
}

/** ITU T.81, annex B. */
function readJpeg(bytes: Buffer): Found {
  let [width, height, turned] = [0, 0, false];
  for (let at = 2; ; ) {
    const marker = bytes.readUInt8(at + 1);
    // Any number of fill bytes may precede a marker.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const length = bytes.readUInt16BE(at + 2);
    if (marker === 0xe1 && latin1(bytes, at + 4, at + 10) === "Exif\0\0")
      turned = isTurned(bytes.subarray(at + 10, at + 2 + length));
    if (isFrame(marker)) [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
    at += 2 + length;
    endWithin(bytes, at);
    if (marker !== 0xda) continue;
    if (bytes.lastIndexOf("\xff\xd9", undefined, "latin1") < at) throw new RangeError("There is no end of image.");
    return turned ? { width: height, height: width, isAnimated: false } : { width, height, isAnimated: false };
  }
}

/** Markers of a frame, in contrast to tables between them. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** Whether the orientation (Exif, tag 0x0112) swaps width and height. Broken Exif data means nothing to browsers. */
function isTurned(exif: Buffer): boolean {
  try {
    const isLittle = latin1(exif, 0, 2) === "II";
    const short = (at: number): number => (isLittle ? exif.readUInt16LE(at) : exif.readUInt16BE(at));
    const start = isLittle ? exif.readUInt32LE(4) : exif.readUInt32BE(4);
    for (let entry = 0; entry < short(start); entry++) {
      const at = start + 2 + entry * 12;
      if (short(at) === 0x0112) return short(at + 8) >= 5 && short(at + 8) <= 8;
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return false;
}

/** https://www.w3.org/Graphics/GIF/spec-gif89a.txt */
function readGif(bytes: Buffer): Found {
  const tableBytes = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  const afterBlocks = (from: number): number => {
    let at = from;
    for (let size = bytes.readUInt8(at); size > 0; size = bytes.readUInt8(at)) at += size + 1;
    return at + 1;
  };
  let frames = 0;
  for (let at = 13 + tableBytes(bytes.readUInt8(10)); ; ) {
    const kind = bytes.readUInt8(at);
    if (kind === 0x3b) break;
    if (kind === 0x21) at = afterBlocks(at + 2);
    else {
      frames += 1;
      at = afterBlocks(at + 11 + tableBytes(bytes.readUInt8(at + 9)));
    }
  }
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8), isAnimated: frames > 1 };
}

/** RFC 9649 */
function readWebp(bytes: Buffer): Found {
  endWithin(bytes, bytes.readUInt32LE(4) + 8);
  const kind = latin1(bytes, 12, 16);
  if (kind === "VP8X") {
    const [width, height] = [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
    return { width, height, isAnimated: (bytes.readUInt8(20) & 2) !== 0 };
  }
  if (kind === "VP8L") {
    const bits = bytes.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, isAnimated: false };
  }
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff, isAnimated: false };
}

/** Boxes of ISO 14496-12; `ispe` and `irot` of ISO 23008-12. The largest size is that of the image, not of a tile. */
function readAvif(bytes: Buffer): Found {
  let [width, height, turned] = [0, 0, false];
  for (const box of boxesIn(bytes, 0, bytes.length)) {
    if (box.name !== "meta") continue;
    for (const properties of insideOf(bytes, box.start + 4, box.end, ["iprp", "ipco"])) {
      if (properties.name === "irot") turned = (bytes.readUInt8(properties.start) & 1) === 1;
      if (properties.name !== "ispe") continue;
      const [wide, high] = [bytes.readUInt32BE(properties.start + 4), bytes.readUInt32BE(properties.start + 8)];
      if (wide * high > width * height) [width, height] = [wide, high];
    }
  }
  const isAnimated = latin1(bytes, 8, 12) === "avis";
  return turned ? { width: height, height: width, isAnimated } : { width, height, isAnimated };
}

interface Box {
  name: string;
  start: number;
  end: number;
}

function insideOf(bytes: Buffer, start: number, end: number, [name, ...further]: readonly string[]): Box[] {
  const boxes = boxesIn(bytes, start, end);
  if (name === undefined) return boxes;
  return boxes.filter((box) => box.name === name).flatMap((box) => insideOf(bytes, box.start, box.end, further));
}

function boxesIn(bytes: Buffer, start: number, end: number): Box[] {
  const boxes: Box[] = [];
  for (let at = start; at < end; ) {
    const short = bytes.readUInt32BE(at);
    const isLong = short === 1;
    const size = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? end - at : short;
    if (size < 8 || at + size > end) throw new RangeError("A box is larger than what contains it.");
    boxes.push({ name: latin1(bytes, at + 4, at + 8), start: at + (isLong ? 16 : 8), end: at + size });
    at += size;
  }
  return boxes;
}
