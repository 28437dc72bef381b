/**
 * How one piece of a path between two slashes is read and written. Reading happens exactly once; whoever needs the text again takes the
 * result of that one reading, so that no two places can come to different conclusions.
 */

/** The text of a segment, or null when it is not valid percent-encoding. */
export function readSegment(raw: string): string | null {
  if (!raw.includes("%")) return raw;
  try {
    return decodeURIComponent(raw);
  } catch {
    // Malformed percent-encoding is an answer here, not an accident: such an address belongs to no route.
    return null;
  }
}

/** What no spelling changes; most segments are nothing else. */
const unchanged = /^[\w.~-]*$/;

/** The one spelling of a segment: these marks mean nothing special inside a path and stay readable (`/@ada`, `/a:b`), as browsers leave them. */
export function writeSegment(text: string): string {
  return unchanged.test(text)
    ? text
    : encodeURIComponent(text).replace(/%(?:3A|40|24|26|2B|2C|3B|3D)/g, decodeURIComponent);
}
