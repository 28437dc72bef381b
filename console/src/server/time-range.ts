import { lastDays, type Period } from "holdfast/service";
import { dayChoices, usualDays } from "../parts/time/day-choices.ts";

/** Period of an address: the last `?days=`. */
export function timeRange(search: URLSearchParams, now: number, usual = usualDays): { days: number; period: Period } {
  const asked = Number(search.get("days"));
  const days = dayChoices.find((choice) => choice === asked) ?? usual;
  return { days, period: lastDays(days, now) };
}

/** Reads the beginning of an hour, in UTC: `2026-11-16T19`. */
export function hourIn(text: string | null): number | undefined {
  const at = text !== null && /^\d{4}-\d\d-\d\dT\d\d$/.test(text) ? Date.parse(`${text}:00Z`) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
