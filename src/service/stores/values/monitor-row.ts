import type { MonitorPlan } from "#protocol";
import type { FiledCheckIn } from "../filed.ts";
import type { MonitorRecord, MonitorRun } from "../records.ts";
import { addCheckIn } from "./monitor-runs.ts";

/** A row of the table `monitor`. */
export interface MonitorRow {
  project: number;
  name: string;
  environment: string;
  last_status: string;
  last_at: number;
  last_duration: number | null;
  ok: number;
  failed: number;
  plan: string | null;
  /** Null if an earlier version has written it. */
  first_at: number | null;
  muted: number;
  runs: string;
  watch: string | null;
}

export const monitorColumns =
  "project, name, environment, last_status, last_at, last_duration, ok, failed, plan, first_at, runs";

export function toMonitorRecord(row: MonitorRow): MonitorRecord {
  return {
    project: row.project,
    name: row.name,
    environment: row.environment || undefined,
    lastStatus: row.last_status,
    lastAt: row.last_at,
    lastDurationMs: row.last_duration ?? undefined,
    // The store has written both.
    plan: row.plan === null ? undefined : (JSON.parse(row.plan) as MonitorPlan),
    runs: runsOf(row),
    ok: row.ok,
    failed: row.failed,
    firstAt: row.first_at ?? row.last_at,
    isMuted: row.muted !== 0,
    watch: row.watch ?? undefined,
  };
}

/** Values of `monitorColumns` after a check-in. */
export function afterCheckIn(
  before: MonitorRow | undefined,
  checkIn: FiledCheckIn,
  runsPerMonitor: number,
): readonly (string | number | null)[] {
  const { ok = 0, failed = 0 } = before ?? {};
  const { runs, isEnd } = addCheckIn(before === undefined ? [] : runsOf(before), checkIn, ok + failed, runsPerMonitor);
  const plan = checkIn.plan === undefined ? (before?.plan ?? null) : JSON.stringify(checkIn.plan);
  return [
    checkIn.project,
    checkIn.monitor,
    checkIn.environment ?? "",
    checkIn.status,
    checkIn.at,
    checkIn.durationMs ?? null,
    ok + Number(isEnd && checkIn.status === "ok"),
    failed + Number(isEnd && checkIn.status === "error"),
    plan,
    before === undefined ? checkIn.at : before.first_at,
    JSON.stringify(runs),
  ];
}

function runsOf({ runs }: MonitorRow): readonly MonitorRun[] {
  return JSON.parse(runs) as readonly MonitorRun[];
}
