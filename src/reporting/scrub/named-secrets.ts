import { leftOut } from "./secret-path.ts";

/**
 * Separators between a name and its value: `password=hunter2`, `"apiKey": "…"`, the same inside a JSON text
 * (`\"apiKey\":\"…\"`), in an encoded address (`token%3Dabc`), in XML. The separator is searched first and the name
 * after it, because a long text contains few separators.
 */
export const separators: RegExp = /(?:=>?|[:>]|%3[ad])(?<=([\w-]{2,64})(?:\\*["'])?\s{0,8}(?:=>?|[:>]|%3[ad]))/gi;

/** The value of a header extends to the end of its line: `Cookie: theme=dark; id=7`. */
const isHeader = /^(?:set-)?cookie$|^(?:proxy-)?authori[sz]ation$/i;
const plainValue = /(?:(?:Bearer|Basic) )?[^\s"'&;,}\])<]+/iy;
const restOfLine = /[^\r\n"]+/y;
const quoteBegins = /\\*["']/y;

/** Removes the values of secret names. The names stay, so that a reader sees what was removed. */
export function withoutNamed(text: string, isSecretName: (name: string) => boolean): string {
  let clean = "";
  let from = 0;
  for (const { 0: separator, 1: name = "", index } of text.matchAll(separators)) {
    if (index < from || !isSecretName(name)) continue;
    const [start, end] = valueAt(text, skipSpaces(text, index + separator.length), name);
    if (start === end) continue;
    clean += text.slice(from, start) + leftOut;
    from = end;
  }
  return clean + text.slice(from);
}

/** Returns start and end of the value. */
function valueAt(text: string, at: number, name: string): [start: number, end: number] {
  const quote = found(quoteBegins, text, at);
  if (quote !== "") return [at + quote.length, endOfQuoted(text, at + quote.length, quote)];
  if (text[at] === "[" || text[at] === "{") return [at, endOfBrackets(text, at)];
  return [at, at + found(isHeader.test(name) ? restOfLine : plainValue, text, at).length];
}

/** Finds the same quote with no more backslashes than the opening one: more of them are part of the value. */
function endOfQuoted(text: string, from: number, quote: string): number {
  const mark = quote.at(-1) ?? "";
  for (let at = text.indexOf(mark, from); at >= 0; at = text.indexOf(mark, at + 1)) {
    let begin = at;
    while (begin > from && text[begin - 1] === "\\") begin--;
    if (at - begin < quote.length) return begin;
  }
  return text.length;
}

/** Finds the end of a JSON list or object, or of the text if it is incomplete. */
function endOfBrackets(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "[" || text[at] === "{") depth++;
    if ((text[at] === "]" || text[at] === "}") && --depth === 0) return at + 1;
  }
  return text.length;
}

function skipSpaces(text: string, from: number): number {
  let at = from;
  while (text[at] === " ") at++;
  return at;
}

function found(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}
