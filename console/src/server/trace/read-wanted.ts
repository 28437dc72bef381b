import type { AxisRange } from "./place-bars.ts";

/** More than a person folds by hand. An address has an end too. */
const mostIds = 100;

/** Ids of rows in an address, separated by dots. */
export function readIds(text: string | null): ReadonlySet<string> {
  return new Set((text ?? "").split(".", mostIds).filter((id) => /^[0-9a-f]{1,32}x?$/.test(id)));
}

/** Part of the axis in milliseconds since the start of the trace: `150-1200.5`. */
export function readRange(text: string | null, lastsMs: number): AxisRange | undefined {
  const [, first, last] = /^(\d{1,12}(?:\.\d{1,3})?)-(\d{1,12}(?:\.\d{1,3})?)$/.exec(text ?? "") ?? [];
  const [fromMs, toMs] = [Number(first), Math.min(Number(last), lastsMs)];
  return toMs > fromMs ? { fromMs, lastsMs: toMs - fromMs } : undefined;
}
