import type { HoldfastError } from "#errors";

/** Reads a setting of the operator: a whole number above 0. Undefined if it is not set. */
export function readCount(text: string | undefined, wrong: (value: string) => HoldfastError): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1) throw wrong(text);
  return count;
}
