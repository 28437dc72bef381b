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

/**
 * The value of a parameter as a segment. A path cannot carry every text: a slash would be two segments, `50%25` would change when it is decoded
 * a second time, `_data` is an address of the framework. Such a value is written with `~` in place of `%` behind a mark of its own: `AC/DC` is
 * `~~AC~2FDC`. A value that no parameter may have (`isParameter`) is the mark alone, which belongs to no page.
 */
export function writeParameter(value: string): string {
  if (!isParameter(value)) return mark;
  if (!needsMark.test(value)) return writeSegment(value);
  return mark + encodeURIComponent(value).replace(/~/g, "%7E").replace(/%/g, "~");
}

/** The value that `writeParameter` wrote into the text of a segment; null when it would not have written that. */
export function readParameter(text: string): string | null {
  if (!text.startsWith(mark)) return text;
  if (text === mark) return null;
  const value = readSegment(text.slice(mark.length).replace(/~/g, "%"));
  return value !== null && writeParameter(value) === text ? value : null;
}

/**
 * Whether a parameter may have this value. It is never empty and has no control characters, and no part of it between slashes means another
 * folder: a page that makes a file name of a parameter is not led out of its folder.
 */
function isParameter(value: string): boolean {
  return !noParameter.test(value) && value.isWellFormed();
}

const mark = "~~";
/** What the server would refuse or take for something else: separators, what looks percent-encoded, the mark, and the framework's own names. */
const needsMark = /[/\\]|%[0-9a-fA-F]{2}|^~~|^_(?:data|action|outcome|assets|holdfast)$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const noParameter = /^$|^(?:[a-zA-Z]:)?[/\\]|(?:^|[/\\])\.\.?(?:[/\\]|$)|[\x00-\x1f\x7f-\x9f]/;
