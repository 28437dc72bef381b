import { parameterMark, writeParameter } from "./write-segment.ts";

/**
 * Reads one segment of a path. Each segment is decoded exactly once, and all callers use that result, so that no two of
 * them can disagree.
 */

/** Returns the text of a segment, or null if its percent-encoding is invalid. */
export function readPathSegment(raw: string): string | null {
  if (!raw.includes("%")) return raw;
  try {
    return decodeURIComponent(raw);
  } catch {
    // Invalid percent-encoding is an expected result: such an address matches no route.
    return null;
  }
}

/** Returns the value that `writeParameter` encoded in the text; null if it would not have written this text. */
export function readParameter(text: string): string | null {
  if (!text.startsWith(parameterMark)) return text;
  if (text === parameterMark) return null;
  const value = readPathSegment(text.slice(parameterMark.length).replace(/~/g, "%"));
  return value !== null && writeParameter(value) === text ? value : null;
}
