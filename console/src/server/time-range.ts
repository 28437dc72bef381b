import { lastDays, type Period } from "holdfast/service";
import { dayChoices, usualDays } from "../parts/time/day-choices.ts";

/** Period of an address: the last `?days=`. */
export function timeRange(search: URLSearchParams, now: number, usual = usualDays): { days: number; period: Period } {
  const asked = Number(search.get("days"));
  const days = dayChoices.find((choice) => choice === asked) ?? usual;
  return { days, period: lastDays(days, now) };
}
