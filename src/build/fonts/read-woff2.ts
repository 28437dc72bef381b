import { brotliDecompressSync } from "node:zlib";

/** The tables of a font, by their tags. Tables that are transformed in the file stay so. */
export type FontTables = ReadonlyMap<string, { content: Buffer; isTransformed: boolean }>;

/** https://www.w3.org/TR/WOFF2/#table_dir_format: tags by their number. */
const knownTags = (
  "cmap head hhea hmtx maxp name OS/2 post cvt_ fpgm glyf loca prep CFF_ VORG EBDT EBLC gasp hdmx kern LTSH PCLT " +
  "VDMX vhea vmtx BASE GDEF GPOS GSUB EBSC JSTF MATH CBDT CBLC COLR CPAL SVG_ sbix acnt avar bdat bloc bsln cvar " +
  "fdsc feat fmtx fvar gvar hsty just lcar mort morx opbd prop trak Zapf Silf Glat Gloc Feat Sill"
)
  .split(" ")
  .map((tag) => tag.replace("_", " "));

/** A tag of four characters follows. */
const otherTag = 63;
const headerBytes = 48;

/**
 * Reads the tables of a WOFF2 file. Throws a RangeError if the file is cut off, and what Brotli says of data that is
 * larger than its table directory says.
 */
export function readWoff2(bytes: Buffer): FontTables | undefined {
  if (bytes.toString("latin1", 0, 4) !== "wOF2" || bytes.toString("latin1", 4, 8) === "ttcf") return undefined;
  const directory = readDirectory(bytes);
  const packedBytes = bytes.readUInt32BE(20);
  if (directory.end + packedBytes > bytes.length) throw new RangeError("The file ends before its data.");
  const wholeBytes = directory.entries.reduce((sum, { length }) => sum + length, 0);
  const data = brotliDecompressSync(bytes.subarray(directory.end, directory.end + packedBytes), {
    maxOutputLength: wholeBytes,
  });
  if (data.length < wholeBytes) throw new RangeError("The data ends before its tables.");
  let at = 0;
  return new Map(
    directory.entries.map(({ tag, length, isTransformed }) => {
      at += length;
      return [tag, { content: data.subarray(at - length, at), isTransformed }];
    }),
  );
}

interface TableEntry {
  tag: string;
  length: number;
  isTransformed: boolean;
}

function readDirectory(bytes: Buffer): { entries: TableEntry[]; end: number } {
  const entries: TableEntry[] = [];
  let at = headerBytes;
  /** UIntBase128: seven bits in each byte, at most five bytes. */
  const number = (): number => {
    let value = 0;
    for (let count = 0; count < 5; count++) {
      const byte = bytes.readUInt8(at++);
      value = value * 128 + (byte & 0x7f);
      if (byte < 0x80) return value;
    }
    throw new RangeError("A length is too long.");
  };
  for (let left = bytes.readUInt16BE(12); left > 0; left--) {
    const flags = bytes.readUInt8(at++);
    const known = flags & 0x3f;
    const tag = known === otherTag ? bytes.toString("latin1", at, at + 4) : (knownTags[known] ?? "");
    if (known === otherTag) at += 4;
    const version = flags >> 6;
    const originalLength = number();
    // Of these two tables, version 3 is the plain form; of all others, version 0.
    const isTransformed = tag === "glyf" || tag === "loca" ? version !== 3 : version !== 0;
    entries.push({ tag, isTransformed, length: isTransformed ? number() : originalLength });
  }
  return { entries, end: at };
}
