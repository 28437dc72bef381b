import { separators } from "./named-secrets.ts";
import { patternsOf, type ScrubOptions } from "./scrub.ts";
import { leftOut } from "./secret-path.ts";

export interface ShortScrubLimits {
  /** What is read of a text, and so what one can cost. */
  readChars: number;
  /** What is read beyond the part that is sent. More than the 66 of the longest secret that contains spaces. */
  spareChars: number;
}

/** A thousand characters of a message are more than people read. */
export const shortScrubLimits: ShortScrubLimits = { readChars: 1_000, spareChars: 100 };

/**
 * Writes the code of a function for the first script of a document, which cannot have the code of `createScrub`. It
 * looks for the same names and shapes, and removes everything from the first of them to the end of the text. So it
 * needs no code that finds the end of a secret, and never removes less: before the place where `createScrub` finds
 * something, nothing has changed yet, and this function finds the same there.
 *
 * A longer text ends with the last word that was read whole. If a browser does not know the syntax of a rule, or a text
 * cannot be read, nothing of the text is left: the function never throws.
 */
export function writeShortScrub(options: ScrubOptions, limits: ShortScrubLimits = shortScrubLimits): string {
  const { names, shapes } = patternsOf(options);
  const anyShape = [...shapes.map(([{ source }]) => source), likelyCard].join("|");
  const rules = [
    [anyShape, "i"],
    [`${separators.source} *`, "gi"],
    ...names.map(({ source, flags }) => [source, flags]),
  ];
  const json = JSON.stringify(rules).replaceAll("<", "\\u003c");
  const { readChars, spareChars } = limits;
  // Each step lowers `c`, the number of characters that stay.
  return (
    `x=>{try{x=String(x);let[w,e,...n]=${json}.map(r=>RegExp(...r)),` +
    `c=x[${readChars}]?x.slice(0,${readChars - spareChars}).search(/(?<!\\S)\\S*$/):${readChars};` +
    `x=x.slice(0,${readChars});` +
    `for(let m of x.matchAll(e))m.index<c&&n.some(r=>r.test(m[1]))&&(c=m.index+m[0].length);` +
    // Not found is -1, and so the largest number here.
    `c=Math.min(c,x.search(w)>>>0);` +
    `return x.slice(0,c)+(x[c]?"${leftOut}":"")}catch{return"${leftOut}"}}`
  );
}

/**
 * Thirteen digits where a card's number can begin: its check digit needs code. Nothing in this or the other shapes may
 * hold in lower case only, because all are looked for regardless of case.
 */
const likelyCard = String.raw`(?<!\d)[2-6]\d(?:[ .-]?\d){11}`;
