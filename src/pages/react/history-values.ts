import * as pageErrors from "../errors.ts";

/** Values of a history entry, by key, as JSON. */
export type HistoryValues = Readonly<Record<string, string>>;

/**
 * Characters of all values of one entry. A browser keeps the states of all entries of a tab in memory and writes them
 * to disk for the next start: 50 entries are 400 kB. A tab or a filter is a few dozen characters.
 */
export const historyValuesChars = 8_192;

/** Returns the values with one changed. Throws if it is not JSON, or if they are too large. */
export function withValue(values: HistoryValues, key: string, value: unknown): HistoryValues {
  const text = toJson(key, value);
  const next = { ...values, [key]: text };
  const chars = Object.entries(next).reduce((sum, [name, one]) => sum + name.length + one.length, 0);
  if (chars > historyValuesChars) throw pageErrors.historyStateTooLarge(key, chars, historyValuesChars);
  return next;
}

function toJson(key: string, value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    // A cycle, or a bigint.
  }
  if (text === undefined) throw pageErrors.historyStateNotJson(key);
  return text;
}
