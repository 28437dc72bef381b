import type { Period } from "holdfast/service";
import { timeRange } from "./time-range.ts";

/** Time that a search screen asks for: `?from=&to=` in UTC, as a bar of its chart has them, or the last `?days=`. */
export interface SearchedTime {
  days: number;
  period: Period;
  /** Whether the address names the times, and not days. */
  isChosen: boolean;
}

export function searchedTime(search: URLSearchParams, now: number): SearchedTime {
  const { days, period } = timeRange(search, now);
  const [from, to] = [momentIn(search.get("from")), momentIn(search.get("to"))];
  if (from === undefined || to === undefined || to <= from) return { days, period, isChosen: false };
  return { days, period: { from, to: Math.min(to, now) }, isChosen: true };
}

/** `2026-11-16T19:30` or `2026-11-16T19:30:05`, in UTC. */
function momentIn(text: string | null): number | undefined {
  const at = text !== null && /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
