import { patternsOf, type ScrubOptions } from "./scrub.ts";
import { leftOut } from "./secret-path.ts";

/** Source and flags of an expression, and its replacement. */
export type ShortRule = readonly [source: string, flags: string, instead: string];

/**
 * The rules of `createScrub` as data, for the first script of a document, which cannot have its code. They are coarser:
 * every number that could be one of a card is removed, and what follows a secret name up to the end of its value as far
 * as expressions find it. They never remove less.
 */
export function shortRules(options: ScrubOptions): ShortRule[] {
  const { names, shapes } = patternsOf(options);
  const named = `([\\w-]*(?:${names.map(insideText).join("|")})[\\w-]*${separator})${value}`;
  return [
    [`((?:cookie|authori[sz]ation)${separator})[^\\r\\n]+`, "gi", `$1${leftOut}`],
    ...shapes.map(([{ source, flags }, instead]): ShortRule => [source, flags, instead]),
    [named, "gi", `$1${leftOut}`],
    [String.raw`[2-6]\d(?:[ .-]?\d){11,17}`, "g", leftOut],
  ];
}

/** Elsewhere these expressions get the name alone; here its ends are those of a word. */
function insideText({ source }: RegExp): string {
  return source.replace(/(?<![\\[])\^/g, String.raw`(?<![\w-])`).replace(/(?<!\\)\$/g, String.raw`(?![\w-])`);
}

const separator = String.raw`(?:\\*["'])?\s{0,8}(?:=>?|[:>]|%3[ad]) *`;
/** A list, an object or a quoted text extends to the end of the line: an expression does not count its brackets. */
const value = String.raw`(?:[[{"'\\].*|[^\s"'&;,}\])<]+)`;
