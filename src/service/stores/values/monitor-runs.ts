import type { FiledCheckIn } from "../filed.ts";
import type { MonitorRun } from "../records.ts";

export interface AddedCheckIn {
  readonly runs: readonly MonitorRun[];
  /** Whether a run has ended with it. A second report of the same end counts for nothing. */
  readonly isEnd: boolean;
}

/**
 * Adds a check-in to the runs of its monitor. `ended` is how many have ended before. Check-ins of one run may arrive in
 * any order, because several processes file them.
 */
export function addCheckIn(
  runs: readonly MonitorRun[],
  checkIn: FiledCheckIn,
  ended: number,
  atMost: number,
): AddedCheckIn {
  const at = indexOfRun(runs, checkIn);
  const before = runs[at];
  const isEnd = checkIn.status !== "in_progress";
  if (before?.endedAt !== undefined) {
    if (isEnd) return { runs, isEnd: false };
    return { runs: runs.with(at, { ...before, startedAt: Math.min(before.startedAt, checkIn.at) }), isEnd: false };
  }
  const run = before ?? begunBy(checkIn);
  const after = isEnd ? endOf(run, checkIn, ended + 1) : run;
  const all = before === undefined ? [...runs, after] : runs.with(at, after);
  return { runs: all.slice(-atMost), isEnd };
}

/** Without an id, an end belongs to the last run that has not ended. */
function indexOfRun(runs: readonly MonitorRun[], { checkInId, status }: FiledCheckIn): number {
  if (checkInId !== undefined) return runs.findLastIndex(({ id }) => id === checkInId);
  if (status === "in_progress") return -1;
  return runs.findLastIndex(({ endedAt }) => endedAt === undefined);
}

function begunBy({ checkInId, status, at, durationMs = 0 }: FiledCheckIn): MonitorRun {
  const startedAt = status === "in_progress" ? at : at - durationMs;
  return { ...(checkInId === undefined ? {} : { id: checkInId }), status: "in_progress", startedAt };
}

function endOf(run: MonitorRun, { status, at, durationMs }: FiledCheckIn, serial: number): MonitorRun {
  return { ...run, status, endedAt: at, durationMs: durationMs ?? at - run.startedAt, serial };
}
