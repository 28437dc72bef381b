import { searchDepth } from "./write-search.ts";

/**
 * A search as its address has it, before a schema has seen it. An address has only texts, and a schema does not say
 * what it wants. So every value can be read in several ways, and the caller asks for the next one where the schema
 * refuses the present one: as text first, so that a text never becomes a number by its looks.
 */
export class SearchNode {
  readonly #readings: readonly (() => unknown)[];
  readonly #inside: (key: string) => SearchNode | undefined;
  #at = 0;

  private constructor(readings: readonly (() => unknown)[], inside: (key: string) => SearchNode | undefined) {
    this.#readings = readings;
    this.#inside = inside;
  }

  /** A value that the address has once or several times. */
  static ofTexts(texts: readonly string[]): SearchNode {
    // The empty field of a form is no item of a list.
    const items = texts.filter((one) => one !== "").map((one) => new SearchNode(scalarsOf(one), () => undefined));
    const list = (): unknown[] => items.map((one) => one.read());
    const last = texts.at(-1) ?? "";
    const readings = texts.length > 1 ? [list, ...scalarsOf(last)] : [...scalarsOf(last), list];
    // The empty field of a form, where the schema wants a number.
    if (last === "") readings.push(() => undefined);
    return new SearchNode(readings, (key) => items[Number(key)]);
  }

  /** A value in a path. It has one spelling: `007` is not the number 7, so `/orders/7` has no second address. */
  static ofSegment(text: string): SearchNode {
    const isSpelledSo = (read: () => unknown): boolean => {
      const value = read();
      return (value instanceof Date ? value.toJSON().replace("T00:00:00.000Z", "") : String(value)) === text;
    };
    return new SearchNode(scalarsOf(text).filter(isSpelledSo), () => undefined);
  }

  static ofFields(fields: ReadonlyMap<string, SearchNode>): SearchNode {
    const isList = fields.size > 0 && [...fields.keys()].every((key) => /^\d+$/.test(key));
    const items = [...fields].sort(([a], [b]) => Number(a) - Number(b)).map(([, node]) => node);
    const object = (): unknown => {
      const read = readSearchFields(fields);
      // Empty fields of a form are no nested value.
      return Object.keys(read).length > 0 ? read : undefined;
    };
    const node: SearchNode = new SearchNode(
      isList ? [object, () => items.map((one) => one.read())] : [object],
      (key) => (node.#at === 0 ? fields.get(key) : items[Number(key)]),
    );
    return node;
  }

  read(): unknown {
    return this.#readings[this.#at]?.();
  }

  /** The innermost value on this path that can still be read in another way. */
  findOther(path: readonly PropertyKey[]): SearchNode | undefined {
    const [key, ...rest] = path;
    const inner = key === undefined ? undefined : this.#inside(String(key))?.findOther(rest);
    return inner ?? (this.#at < this.#readings.length - 1 ? this : undefined);
  }

  readOtherwise(): void {
    this.#at += 1;
  }
}

/** All fields as they are read at present. */
export function readSearchFields(fields: ReadonlyMap<string, SearchNode>): Record<string, unknown> {
  return Object.fromEntries(
    [...fields].map(([key, node]) => [key, node.read()]).filter(([, value]) => value !== undefined),
  );
}

/** Rounds until every value was read in every way: as an item of a list, and before that by itself. */
export const searchReadings = 12;

function scalarsOf(text: string): (() => unknown)[] {
  const readings: (() => unknown)[] = [() => text];
  if (isNumber.test(text) && Number.isFinite(Number(text))) readings.push(() => Number(text));
  // A checkbox without a value sends "on".
  if (text === "true" || text === "on") readings.push(() => true);
  if (text === "false") readings.push(() => false);
  const date = readDate(text);
  if (date) readings.push(() => date);
  return readings;
}

const isNumber = /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const isDate = /^((?:\d{4}|[+-]\d{6})-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** Without a time zone it is UTC, so that all servers read the same: a form's `datetime-local` sends none. */
function readDate(text: string): Date | undefined {
  const [, day, zone] = isDate.exec(text) ?? [];
  if (day === undefined) return undefined;
  // JavaScript takes the 31st of February for a day in March.
  if (!new Date(day).toJSON()?.startsWith(day)) return undefined;
  const date = new Date(zone || !text.includes("T") ? text : `${text}Z`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

export interface SearchLimits {
  /** Values of one search. */
  searchValues: number;
}

export type ReadSearch =
  | { kind: "read"; fields: Map<string, SearchNode> }
  | { kind: "refused"; why: "too many values" | "nested too deeply" };

interface Draft {
  texts: string[];
  fields: Map<string, Draft>;
}

/**
 * Reads the pairs of an address: `tag=a&tag=b` is a list, `price.min=3` a nested value. A key that is used for a text
 * and for nested values is what it is first.
 */
export function readSearch(pairs: URLSearchParams, { searchValues }: SearchLimits): ReadSearch {
  if (pairs.size > searchValues) return { kind: "refused", why: "too many values" };
  const all: Draft = { texts: [], fields: new Map() };
  for (const [name, text] of pairs) {
    const steps = name.split(".");
    if (steps.length > searchDepth) return { kind: "refused", why: "nested too deeply" };
    if (!steps.some((step) => step === "" || step === "__proto__")) place(all, steps, text);
  }
  return { kind: "read", fields: fieldsOf(all) };
}

function place(all: Draft, steps: readonly string[], text: string): void {
  let at = all;
  for (const step of steps) {
    if (at.texts.length > 0) return;
    const next = at.fields.get(step) ?? { texts: [], fields: new Map() };
    at.fields.set(step, next);
    at = next;
  }
  if (at.fields.size === 0) at.texts.push(text);
}

function fieldsOf({ fields }: Draft): Map<string, SearchNode> {
  return new Map([...fields].map(([key, draft]) => [key, nodeOf(draft)]));
}

function nodeOf(draft: Draft): SearchNode {
  return draft.texts.length > 0 ? SearchNode.ofTexts(draft.texts) : SearchNode.ofFields(fieldsOf(draft));
}
