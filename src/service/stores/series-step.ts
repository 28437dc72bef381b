import { dayMs, hourMs } from "../clock.ts";
import type { SeriesStep } from "./store-requests.ts";

export function unitOf(step: SeriesStep): number {
  return step === "hour" ? hourMs : dayMs;
}
