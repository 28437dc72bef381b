import { type FontTables, readWoff2 } from "./read-woff2.ts";

export interface FontFacts {
  /** As its designers call it: "Inter Variable". */
  family: string;
  style: "normal" | "italic";
  /** One weight, or the range of a variable font: "100 900". */
  weight: string;
  kind: "sans" | "serif" | "mono";
  /** In parts of the size of the font. */
  metrics: FontMetrics;
}

export interface FontMetrics {
  ascent: number;
  descent: number;
  lineGap: number;
  /** Width of a letter in English text, on average. */
  letterWidth: number;
}

export type ReadFont = { kind: "font"; facts: FontFacts } | { kind: "unreadable"; why: string };

/** Reads what a stylesheet must say about a WOFF2 font. */
export function readFont(bytes: Buffer): ReadFont {
  try {
    const tables = readWoff2(bytes);
    if (!tables) return { kind: "unreadable", why: "is no WOFF2 font" };
    return { kind: "font", facts: factsOf(tables) };
  } catch (error) {
    const why = error instanceof MissingTable ? error.message : "is cut off or broken";
    return { kind: "unreadable", why };
  }
}

class MissingTable extends Error {}

function factsOf(tables: FontTables): FontFacts {
  const table = (tag: string): Buffer => {
    const found = tables.get(tag)?.content;
    if (!found) throw new MissingTable(`has no table "${tag.trim()}"`);
    return found;
  };
  const os2 = table("OS/2");
  const selection = os2.readUInt16BE(62);
  return {
    family: familyIn(table("name")),
    style: selection & 1 ? "italic" : "normal",
    weight: rangeIn(tables.get("fvar")?.content) ?? String(os2.readUInt16BE(4)),
    kind: kindOf(table("post"), os2),
    metrics: {
      // The font says by bit 7 which of its two sets of metrics counts.
      ...(selection & 0x80 ? lines(os2, 68) : lines(table("hhea"), 4)),
      letterWidth: letterWidthOf(tables, table),
    },
  };

  function lines(content: Buffer, at: number): Omit<FontMetrics, "letterWidth"> {
    const size = table("head").readUInt16BE(18);
    const [ascent, descent, lineGap] = [0, 2, 4].map((offset) => content.readInt16BE(at + offset) / size);
    return { ascent: ascent ?? 0, descent: Math.abs(descent ?? 0), lineGap: lineGap ?? 0 };
  }
}

/** The typographic family (16), or else the plain one (1). */
function familyIn(names: Buffer): string {
  const texts = names.readUInt16BE(4);
  const found = new Map<number, string>();
  for (let record = 0; record < names.readUInt16BE(2); record++) {
    const at = 6 + record * 12;
    const [platform, id, length, offset] = [0, 6, 8, 10].map((field) => names.readUInt16BE(at + field));
    if ((id !== 1 && id !== 16) || length === undefined || offset === undefined || found.has(id)) continue;
    const text = names.subarray(texts + offset, texts + offset + length);
    found.set(id, platform === 1 ? text.toString("latin1") : Buffer.from(text).swap16().toString("utf16le"));
  }
  // It is written into a stylesheet in quotes.
  return (found.get(16) ?? found.get(1) ?? "").replace(/["\\\p{Cc}]/gu, "") || "Font";
}

/** The weights of a variable font. */
function rangeIn(fvar: Buffer | undefined): string | undefined {
  if (!fvar) return undefined;
  const [start, count, size] = [fvar.readUInt16BE(4), fvar.readUInt16BE(8), fvar.readUInt16BE(10)];
  for (let axis = 0; axis < count; axis++) {
    const at = start + axis * size;
    if (fvar.toString("latin1", at, at + 4) === "wght")
      return `${fvar.readInt32BE(at + 4) >> 16} ${fvar.readInt32BE(at + 12) >> 16}`;
  }
  return undefined;
}

/** By the fixed pitch, then by PANOSE and the class of the family. Most fonts that say nothing have no serifs. */
function kindOf(post: Buffer, os2: Buffer): FontFacts["kind"] {
  if (post.readUInt32BE(12) !== 0) return "mono";
  const [familyType, serifStyle] = [os2.readUInt8(32), os2.readUInt8(33)];
  if (familyType === 2 && serifStyle >= 2) return serifStyle <= 10 ? "serif" : "sans";
  const familyClass = os2.readInt8(30);
  return familyClass >= 1 && familyClass <= 7 && familyClass !== 6 ? "serif" : "sans";
}

/** How often letters occur in English text, in a thousand characters. */
const occurrences: Readonly<Record<string, number>> = {
  " ": 183,
  e: 102,
  t: 75,
  a: 65,
  o: 62,
  n: 57,
  i: 57,
  s: 53,
  r: 50,
  h: 50,
  l: 33,
  d: 33,
  u: 23,
  c: 22,
  m: 20,
  f: 20,
  w: 17,
  g: 16,
  p: 15,
  y: 14,
  b: 13,
  v: 8,
  k: 6,
  T: 3,
  A: 3,
  S: 3,
  I: 3,
  x: 1,
  j: 1,
  q: 1,
  z: 1,
};

function letterWidthOf(tables: FontTables, table: (tag: string) => Buffer): number {
  const [cmap, hhea, hmtx] = [table("cmap"), table("hhea"), table("hmtx")];
  const wideGlyphs = hhea.readUInt16BE(34);
  const isTransformed = tables.get("hmtx")?.isTransformed ?? false;
  // The transformed table has a byte of flags, then the widths without what is between them.
  const widthOf = (glyph: number): number => {
    const entry = Math.min(glyph, wideGlyphs - 1);
    return hmtx.readUInt16BE(isTransformed ? 1 + entry * 2 : entry * 4);
  };
  let [sum, count] = [0, 0];
  for (const [letter, often] of Object.entries(occurrences)) {
    const glyph = glyphOf(cmap, letter.charCodeAt(0));
    if (glyph === 0) continue;
    sum += widthOf(glyph) * often;
    count += often;
  }
  if (count === 0) throw new MissingTable("has no Latin letters");
  return sum / count / table("head").readUInt16BE(18);
}

/** The glyph of a character in the Basic Multilingual Plane; 0 for none. Formats 4 and 12 are those that fonts have. */
function glyphOf(cmap: Buffer, code: number): number {
  for (let record = 0; record < cmap.readUInt16BE(2); record++) {
    const at = cmap.readUInt32BE(4 + record * 8 + 4);
    const format = cmap.readUInt16BE(at);
    const glyph = format === 4 ? inSegments(cmap, at, code) : format === 12 ? inGroups(cmap, at, code) : 0;
    if (glyph !== 0) return glyph;
  }
  return 0;
}

function inSegments(cmap: Buffer, start: number, code: number): number {
  const bytes = cmap.readUInt16BE(start + 6);
  for (let at = 0; at < bytes; at += 2) {
    if (cmap.readUInt16BE(start + 14 + at) < code) continue;
    const first = cmap.readUInt16BE(start + 16 + bytes + at);
    if (first > code) return 0;
    const delta = cmap.readUInt16BE(start + 16 + 2 * bytes + at);
    const offsetAt = start + 16 + 3 * bytes + at;
    const offset = cmap.readUInt16BE(offsetAt);
    if (offset === 0) return (code + delta) & 0xffff;
    const glyph = cmap.readUInt16BE(offsetAt + offset + (code - first) * 2);
    return glyph === 0 ? 0 : (glyph + delta) & 0xffff;
  }
  return 0;
}

function inGroups(cmap: Buffer, start: number, code: number): number {
  const count = cmap.readUInt32BE(start + 12);
  for (let group = 0; group < count; group++) {
    const at = start + 16 + group * 12;
    const [first, last, glyph] = [cmap.readUInt32BE(at), cmap.readUInt32BE(at + 4), cmap.readUInt32BE(at + 8)];
    if (code >= first && code <= last) return glyph + code - first;
  }
  return 0;
}
