import { parameterMark, writeParameter } from "./write-segment.ts";

/**
 * How one piece of a path between two slashes is read. Reading happens exactly once; whoever needs the text again takes
 * the result of that one reading, so that no two places can come to different conclusions.
 */

/** The text of a segment, or null when it is not valid percent-encoding. */
export function readPathSegment(raw: string): string | null {
  if (!raw.includes("%")) return raw;
  try {
    return decodeURIComponent(raw);
  } catch {
    // Malformed percent-encoding is an answer here, not an accident: such an address belongs to no route.
    return null;
  }
}

/** The value that `writeParameter` wrote into the text of a segment; null when it would not have written that. */
export function readParameter(text: string): string | null {
  if (!text.startsWith(parameterMark)) return text;
  if (text === parameterMark) return null;
  const value = readPathSegment(text.slice(parameterMark.length).replace(/~/g, "%"));
  return value !== null && writeParameter(value) === text ? value : null;
}
