/** Replaces every match of an expression in a text. */
export type ReplaceMatches = (text: string, by: string) => string;

export type CompiledExpression =
  | { readonly kind: "compiled"; readonly replace: ReplaceMatches }
  | { readonly kind: "refused"; readonly why: string };

/** One character of a match. */
interface Unit {
  readonly accepts: (character: string) => boolean;
  readonly isOptional: boolean;
  readonly repeats: boolean;
}

/** Every position of a text is compared with all units, so their number bounds the time. */
const mostUnits = 200;
const mostRepeats = 64;
/** A shorter one would take out half of every text by mistake. */
const leastLength = 3;

const classes: Readonly<Record<string, (character: string) => boolean>> = {
  d: (character) => character >= "0" && character <= "9",
  w: (character) => /\w/.test(character),
  s: (character) => /\s/.test(character),
};

/** A character, `\d`, `[a-f0-9]` or `.`, and how often. */
const atom = /\\([\s\S])|\[(\^?)((?:\\[\s\S]|[^\]\\])+)\]|([^\\[\](){}|*+?^$])/y;
const times = /\{(\d{1,3})(?:,(\d{1,3}))?\}|[*+?]/y;

/**
 * Compiles an expression: characters, `.`, `\d` `\w` `\s`, classes such as `[a-f0-9]`, and `?` `*` `+` `{3}` `{2,4}`
 * behind each. Groups, alternatives and references are refused: without them, all matches are found in one walk over
 * the text, whatever the expression is. A regular expression that an owner typed in could take years.
 */
export function compileExpression(expression: string): CompiledExpression {
  const units: Unit[] = [];
  let least = 0;
  let at = 0;
  while (at < expression.length) {
    atom.lastIndex = at;
    const found = atom.exec(expression);
    if (found === null) return refused(`“${expression.slice(at, at + 10)}” at character ${at + 1} is not understood.`);
    at = atom.lastIndex;
    const accepts = testOf(found);
    if (accepts === undefined) return refused(`“${found[0]}” is not understood. Known are \\d, \\w and \\s.`);
    times.lastIndex = at;
    const count = times.exec(expression);
    if (count !== null) at = times.lastIndex;
    const [from, to] = rangeOf(count);
    if (to !== undefined && (to < from || to > mostRepeats))
      return refused(`At most ${mostRepeats} repetitions, in order.`);
    least += from;
    for (let index = 0; index < from; index += 1) units.push({ accepts, isOptional: false, repeats: false });
    if (to === undefined) units.push({ accepts, isOptional: true, repeats: true });
    else for (let index = from; index < to; index += 1) units.push({ accepts, isOptional: true, repeats: false });
    if (units.length > mostUnits) return refused(`It is longer than ${mostUnits} characters with its repetitions.`);
  }
  if (least < leastLength) return refused(`It must match at least ${leastLength} characters.`);
  return { kind: "compiled", replace: (text, by) => replaceAll(units, text, by) };
}

function refused(why: string): CompiledExpression {
  return { kind: "refused", why };
}

function testOf([, escaped, not, set, plain]: RegExpExecArray): Unit["accepts"] | undefined {
  if (plain !== undefined) return plain === "." ? (one) => one !== "\n" : (one) => one === plain;
  if (escaped !== undefined) return classes[escaped] ?? (/\w/.test(escaped) ? undefined : (one) => one === escaped);
  // A class of one character has no repetition in it, so that it cannot be slow.
  const source = `[${not}${(set ?? "").replaceAll("[", "\\[")}]`;
  try {
    const pattern = new RegExp(source, "u");
    return (one) => pattern.test(one);
  } catch {
    return undefined;
  }
}

/** Without an end, it repeats for ever. */
function rangeOf(count: RegExpExecArray | null): readonly [from: number, to: number | undefined] {
  switch (count?.[0]) {
    case undefined:
      return [1, 1];
    case "?":
      return [0, 1];
    case "*":
      return [0, undefined];
    case "+":
      return [1, undefined];
    default:
      return [Number(count?.[1]), Number(count?.[2] ?? count?.[1])];
  }
}

function replaceAll(units: readonly Unit[], text: string, by: string): string {
  let result = "";
  let from = 0;
  for (;;) {
    const match = nextMatch(units, text, from);
    if (match === undefined) return from === 0 ? text : result + text.slice(from);
    result += text.slice(from, match.start) + by;
    from = match.end;
  }
}

/**
 * Finds the first match, and of those that begin there the longest. All partial matches walk together: for each number
 * of matched units, only the earliest beginning is kept.
 */
function nextMatch(units: readonly Unit[], text: string, from: number): { start: number; end: number } | undefined {
  let starts: (number | undefined)[] = new Array(units.length + 1);
  let best: { start: number; end: number } | undefined;
  for (let at = from; at <= text.length; at += 1) {
    if (best === undefined) starts[0] = Math.min(starts[0] ?? at, at);
    skipOptional(units, starts);
    const done = starts[units.length];
    if (done !== undefined && (best === undefined || done <= best.start)) best = { start: done, end: at };
    const character = text[at];
    if (character === undefined) break;
    const next: (number | undefined)[] = new Array(units.length + 1);
    let isAlive = false;
    for (const [index, { accepts, repeats }] of units.entries()) {
      const start = starts[index];
      if (start === undefined || (best !== undefined && start > best.start) || !accepts(character)) continue;
      isAlive = true;
      keepEarliest(next, index + 1, start);
      if (repeats) keepEarliest(next, index, start);
    }
    if (best !== undefined && !isAlive) break;
    starts = next;
  }
  return best;
}

function skipOptional(units: readonly Unit[], starts: (number | undefined)[]): void {
  for (const [index, { isOptional }] of units.entries()) {
    const start = starts[index];
    if (isOptional && start !== undefined) keepEarliest(starts, index + 1, start);
  }
}

function keepEarliest(starts: (number | undefined)[], index: number, start: number): void {
  starts[index] = Math.min(starts[index] ?? start, start);
}
