import { dayMs, hourMs, quarterMs } from "../clock.ts";
import type { SeriesStep, TrafficStep } from "./store-requests.ts";

export function unitOf(step: SeriesStep): number {
  return step === "hour" ? hourMs : dayMs;
}

/** Quarters of an hour in a step. */
export function quartersOf(step: TrafficStep): number {
  return step === "quarter" ? 1 : unitOf(step) / quarterMs;
}
