import { milliseconds } from "../../parts/charts/numbers.ts";
import type { AxisRange } from "./place-bars.ts";
import type { Trace } from "./trace-rows.ts";

/** A mark on the axis: an event or a log line. */
export interface ShownPin {
  kind: "error" | "log";
  /** Per cent of the axis. */
  left: number;
  title: string;
  leads?: string;
}

const longestLog = 200;

/** `TypeError: no price after 1.00 s`. An event that was not read is named by its level: it need not be an error. */
export function eventTitle({ title, level, at }: Trace["errors"][number], startMs: number): string {
  const name = title ?? level.charAt(0).toUpperCase() + level.slice(1);
  return `${name} after ${milliseconds(Math.max(0, at - startMs))}`;
}

export function showPins(
  { errors, logs, startMs }: Trace,
  { fromMs, lastsMs }: AxisRange,
  eventPath: (id: string) => string,
): readonly ShownPin[] {
  const placeOf = (at: number): number => ((at - startMs - fromMs) / (lastsMs || 1)) * 100;
  const pins: ShownPin[] = [
    ...errors.map((event) => ({
      kind: "error" as const,
      left: placeOf(event.at),
      title: eventTitle(event, startMs),
      leads: eventPath(event.eventId),
    })),
    ...logs.map(({ at, level, body }) => ({
      kind: "log" as const,
      left: placeOf(at),
      title: `${level}: ${body.slice(0, longestLog)}, after ${milliseconds(Math.max(0, at - startMs))}`,
    })),
  ];
  return pins.filter(({ left }) => left >= 0 && left <= 100);
}
