/** How one piece of a path between two slashes is written; `read-segment.ts` is the way back. */

/** What no spelling changes; most segments are nothing else. */
const unchanged = /^[\w.~-]*$/;

/**
 * The one spelling of a segment: these marks mean nothing special inside a path and stay readable (`/@ada`, `/a:b`), as
 * browsers leave them.
 */
export function writePathSegment(text: string): string {
  return unchanged.test(text)
    ? text
    : encodeURIComponent(text).replace(/%(?:3A|40|24|26|2B|2C|3B|3D)/g, decodeURIComponent);
}

/**
 * The value of a parameter as a segment. A path cannot carry every text: a slash would be two segments, `50%25` would
 * change when it is decoded a second time, `_data` is an address of the framework. Such a value is written with `~` in
 * place of `%` behind a mark of its own: `AC/DC` is `~~AC~2FDC`. A value that no parameter may have is the mark alone,
 * which belongs to no page.
 */
export function writeParameter(value: string): string {
  if (noParameter.test(value)) return parameterMark;
  if (!needsMark.test(value)) return writePathSegment(value);
  return parameterMark + encodeURIComponent(value).replace(/~/g, "%7E").replace(/%/g, "~");
}

export const parameterMark = "~~";

/** Separators, what may be percent-encoded already, the mark itself, and the framework's own names. */
const needsMark = /[/\\%]|^~~|^_(?:data|action|outcome|assets|holdfast)$/;

/**
 * A parameter is not empty, has no control characters, and no part of it between slashes means another folder: a page
 * that makes a file name of a parameter is not led out of its folder.
 */
const noParameter = /^$|^[/\\]|(?:^|[/\\])\.\.?(?:[/\\]|$)|[\p{Cc}\p{Cs}]/u;
