import type { MonitorRecord } from "../stores/records.ts";

export type ProblemKind = "missed" | "late" | "too-long" | "failed";

/** A reported problem that is not over, or whose issue is not resolved yet. */
export interface OpenProblem {
  readonly kind: ProblemKind;
  /** Its last event, which leads to the issue. */
  readonly eventId: string;
  /** The good run after it. */
  readonly resolvedAt?: number;
}

/** What the evaluation of a task has found so far. */
export interface MonitorWatch {
  /** Judged by this schedule, as JSON. By another one, nothing was due before it was known. */
  readonly schedule: string | undefined;
  /** Due times until then are judged. */
  readonly upTo: number;
  /** Ended runs up to this serial number are judged. */
  readonly serial: number;
  readonly failuresInRow: number;
  readonly goodInRow: number;
  readonly lateInRow: number;
  /** Due times without a run. */
  readonly missed: readonly number[];
  /** Starts of runs that were late, and of runs that took too long. */
  readonly late: readonly number[];
  readonly tooLong: readonly number[];
  readonly problems: readonly OpenProblem[];
}

/** Nothing is expected of a task before its first check-in. */
export function watchOf({ watch, firstAt, lastAt, plan }: MonitorRecord): MonitorWatch {
  const schedule = plan && JSON.stringify(plan.schedule);
  if (watch !== undefined) {
    // The evaluation has written it.
    const before = JSON.parse(watch) as MonitorWatch;
    return before.schedule === schedule ? before : { ...before, schedule, upTo: Math.max(before.upTo, lastAt) };
  }
  return {
    schedule,
    upTo: firstAt,
    serial: 0,
    failuresInRow: 0,
    goodInRow: 0,
    lateInRow: 0,
    missed: [],
    late: [],
    tooLong: [],
    problems: [],
  };
}
