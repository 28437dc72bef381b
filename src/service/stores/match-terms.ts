import type { FilterField, IssueFilter } from "./filter-language.ts";

/** What a filter is compared with: a line of a log, or a span. */
export interface Filtered {
  /** Search words are looked up in it. */
  text: string;
  /** Values of a field, or of an attribute with this name. Any of them may match. */
  valuesOf(field: FilterField, key: string | undefined): readonly string[];
}

/** Returns whether something matches a filter. States do not apply: only issues have them. */
export function matcherOf({ words, terms }: Pick<IssueFilter, "words" | "terms">): (one: Filtered) => boolean {
  const sought = words.map(({ text, not }) => ({ text: text.toLowerCase(), not }));
  const asked = terms.map(({ field, key, value, not }) => ({ field, key, not, isLike: patternOf(value) }));
  return (one) => {
    if (sought.length > 0) {
      const text = one.text.toLowerCase();
      if (!sought.every((word) => text.includes(word.text) !== word.not)) return false;
    }
    return asked.every(({ field, key, not, isLike }) => one.valuesOf(field, key).some(isLike) !== not);
  };
}

/** `*` matches any characters. Without regard to case. */
export function patternOf(pattern: string): (text: string) => boolean {
  const pieces = pattern.toLowerCase().split("*");
  if (pieces.length === 1) return (text) => text.toLowerCase() === pieces[0];
  const [first = "", ...rest] = pieces;
  const last = rest.pop() ?? "";
  return (text) => {
    const whole = text.toLowerCase();
    if (!whole.startsWith(first) || !whole.endsWith(last)) return false;
    let from = first.length;
    for (const piece of rest) {
      const found = whole.indexOf(piece, from);
      if (found < 0) return false;
      from = found + piece.length;
    }
    return from <= whole.length - last.length;
  };
}

/** Texts of the first of these attributes that is there. */
export function textsOf(attributes: Readonly<Record<string, unknown>>, names: readonly string[]): readonly string[] {
  for (const name of names) {
    const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    if (value !== undefined && value !== null) return [typeof value === "object" ? JSON.stringify(value) : `${value}`];
  }
  return [];
}
