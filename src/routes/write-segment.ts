import { languages } from "./application-languages.ts";

/** Writes one segment of a path; `read-segment.ts` is the reverse. */

/**
 * Returns the canonical spelling of a segment: these characters have no meaning inside a path and stay readable
 * (`/@ada`, `/a:b`), as browsers leave them.
 */
export function writePathSegment(text: string): string {
  return text.replace(/[^\w.~:@$&+,;=-]+/g, encodeURIComponent);
}

/**
 * Encodes a parameter's value as a segment. A path cannot represent every text: a slash would make two segments,
 * `50%25` would change when decoded twice, `_data` is an address of the framework, `de` may be a language. Such a value
 * is written with a prefix, and `~` in place of `%`: `AC/DC` is `~~AC~2FDC`. A value that is not allowed is the prefix
 * alone, which matches no page.
 */
export function writeParameter(value: string): string {
  if (ordinary.test(value) && !languages?.has(value)) return value;
  if (noParameter.test(value)) return parameterMark;
  const isPlain = !needsMark.test(value) && !languages?.has(value);
  if (isPlain) return writePathSegment(value);
  return parameterMark + encodeURIComponent(value).replace(/~/g, "%7E").replace(/%/g, "~");
}

/** Numbers, names and most other values: none of the rules below concerns them. */
const ordinary = /^[a-z\d][\w.~-]*$/i;

export const parameterMark = "~~";

/** Separators, text that may be percent-encoded already, the prefix itself, and the framework's own names. */
const needsMark = /[/\\%]|^~~|^_(?:data|keys|action|outcome|assets|holdfast)$/;

/**
 * A parameter is not empty, has no control characters, and contains no `.` or `..` between slashes: a page that builds
 * a file name from a parameter stays inside its folder.
 */
const noParameter = /^$|^[/\\]|(?:^|[/\\])\.\.?(?:[/\\]|$)|[\p{Cc}\p{Cs}]/u;
