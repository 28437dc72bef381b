import { describe, expect, it } from "vitest";
import { type CheckInStatus, readCheckIn } from "#protocol";
import type { MonitorRecord } from "../stores/records.ts";
import { addCheckIn } from "../stores/values/monitor-runs.ts";
import { judgeMonitor, type RunProblem } from "./judge-monitor.ts";
import { watchOf } from "./watch-state.ts";

const minute = 60_000;
const hour = 60 * minute;
const ten = Date.parse("2026-03-02T10:00:00Z");
const hourly = { schedule: { type: "crontab", value: "0 * * * *" } };

/** A task whose check-ins are judged every ten seconds, as the service does. */
class Task {
  record: MonitorRecord;
  readonly reported: string[] = [];
  blind = 0;
  #now: number;

  constructor(config: object | undefined, { at = ten, isMuted = false } = {}) {
    const reading = readCheckIn({ monitor_slug: "nightly", status: "ok", monitor_config: config });
    if (reading.kind !== "read") throw new Error(reading.why);
    this.#now = at;
    this.record = {
      project: 1,
      name: "nightly",
      environment: "production",
      lastStatus: "ok",
      lastAt: at,
      lastDurationMs: undefined,
      plan: reading.value.plan,
      ok: 0,
      failed: 0,
      firstAt: at,
      isMuted,
      runs: [],
      watch: undefined,
    };
  }

  checkIn(at: number, status: CheckInStatus, durationMs?: number, checkInId?: string): void {
    this.judgeUntil(at);
    const row = { kind: "check-in", rowId: 1, project: 1, receivedAt: at } as const;
    const checkIn = {
      ...row,
      at,
      monitor: "nightly",
      checkInId,
      status,
      durationMs,
      environment: "production",
      plan: undefined,
    };
    const { runs, isEnd } = addCheckIn(this.record.runs, checkIn, this.record.ok, 60);
    this.record = { ...this.record, runs, ok: this.record.ok + Number(isEnd), lastAt: at };
  }

  judgeUntil(at: number): readonly string[] {
    for (; this.#now < at; this.#now += 10_000) this.judge(this.#now);
    this.judge(at);
    return this.reported;
  }

  judge(now: number, blindSince?: number): void {
    this.#now = Math.max(this.#now, now);
    const time = { now, blindSince, idOf: ({ kind, at }: RunProblem) => `${kind} ${at}` };
    const { watch, problems, wasBlind } = judgeMonitor(this.record, watchOf(this.record), time);
    this.blind += Number(wasBlind);
    this.reported.push(...problems.map(({ kind, at }) => `${kind} ${clock(at)}`));
    this.record = { ...this.record, watch: JSON.stringify(watch) };
  }

  get open(): readonly string[] {
    return watchOf(this.record)
      .problems.filter(({ resolvedAt }) => resolvedAt === undefined)
      .map(({ kind }) => kind);
  }
}

function clock(at: number): string {
  return new Date(at).toISOString().slice(11, 16);
}

describe("a scheduled task", () => {
  it("a run that does not come is missed once for each due time, and over with the next good run", () => {
    const task = new Task(hourly);
    task.checkIn(ten, "ok");
    expect(task.judgeUntil(ten + hour + minute)).toEqual([]);
    expect(task.judgeUntil(ten + hour + minute + 10_000)).toEqual(["missed 11:01"]);
    expect(task.judgeUntil(ten + 2 * hour)).toEqual(["missed 11:01"]);
    expect(task.judgeUntil(ten + 2 * hour + 2 * minute)).toEqual(["missed 11:01", "missed 12:01"]);
    expect(task.open).toEqual(["missed"]);
    task.checkIn(ten + 3 * hour, "ok");
    task.judgeUntil(ten + 3 * hour + 10_000);
    expect(task.open).toEqual([]);
    expect(task.reported).toHaveLength(2);
  });

  it("nothing is missed before the first check-in, without a schedule, or with one that says nothing", () => {
    for (const config of [undefined, { schedule: { type: "crontab", value: "x" } }, hourly]) {
      const task = new Task(config, { at: ten + 5 * minute });
      task.checkIn(ten + 5 * minute, "ok");
      expect(task.judgeUntil(ten + hour - 1)).toEqual([]);
    }
  });

  it("a run slightly before its minute counts for it", () => {
    const task = new Task(hourly);
    task.checkIn(ten + hour - 20_000, "ok");
    expect(task.judgeUntil(ten + 2 * hour)).toEqual([]);
  });

  it("a run that begins after the margin is missed, then late, and the late one is over with one in time", () => {
    const task = new Task({ ...hourly, checkin_margin: 5 });
    task.checkIn(ten, "ok");
    task.checkIn(ten + hour + 20 * minute, "in_progress", undefined, "a");
    expect(task.judgeUntil(ten + hour + 21 * minute)).toEqual(["missed 11:05", "late 11:20"]);
    task.checkIn(ten + hour + 22 * minute, "ok", undefined, "a");
    task.judgeUntil(ten + hour + 23 * minute);
    expect(task.open).toEqual(["late"]);
    task.checkIn(ten + 2 * hour + 4 * minute, "ok");
    expect(task.judgeUntil(ten + 2 * hour + 30 * minute)).toHaveLength(2);
    expect(task.open).toEqual([]);
  });

  it("an interval begins with the start of the last run", () => {
    const task = new Task({ schedule: { type: "interval", value: 2, unit: "hour" } });
    task.checkIn(ten + 7 * minute, "ok");
    expect(task.judgeUntil(ten + 2 * hour + 8 * minute)).toEqual([]);
    expect(task.judgeUntil(ten + 5 * hour)).toEqual(["missed 12:08", "missed 14:08"]);
  });

  it("a run that does not end is too long once, and its end does not make it good", () => {
    const task = new Task({ ...hourly, max_runtime: 10 });
    task.checkIn(ten, "in_progress", undefined, "a");
    expect(task.judgeUntil(ten + 30 * minute)).toEqual(["too-long 10:10"]);
    task.checkIn(ten + 31 * minute, "ok", undefined, "a");
    task.judgeUntil(ten + 40 * minute);
    expect(task.open).toEqual(["too-long"]);
    task.checkIn(ten + hour, "ok");
    task.judgeUntil(ten + hour + minute);
    expect(task.open).toEqual([]);
  });

  it("a run that says afterwards how long it took may be too long as well", () => {
    const task = new Task({ ...hourly, max_runtime: 10 });
    task.checkIn(ten + 15 * minute, "ok", 15 * minute);
    expect(task.judgeUntil(ten + 16 * minute)).toEqual(["too-long 10:15"]);
  });

  it("the next run is not missed while one goes on", () => {
    const task = new Task({ ...hourly, max_runtime: 200 });
    task.checkIn(ten, "in_progress", undefined, "a");
    expect(task.judgeUntil(ten + 2 * hour + 30 * minute)).toEqual([]);
    task.checkIn(ten + 2 * hour + 31 * minute, "ok", undefined, "a");
    expect(task.judgeUntil(ten + 2 * hour + 40 * minute)).toEqual([]);
  });

  it("thresholds count failures and good runs in a row", () => {
    const task = new Task({ ...hourly, failure_issue_threshold: 2, recovery_threshold: 2 });
    task.checkIn(ten, "error");
    expect(task.judgeUntil(ten + 30 * minute)).toEqual([]);
    expect(task.judgeUntil(ten + hour + 2 * minute)).toEqual(["missed 11:01"]);
    task.checkIn(ten + 2 * hour, "ok");
    task.judgeUntil(ten + 2 * hour + minute);
    expect(task.open).toEqual(["missed"]);
    task.checkIn(ten + 3 * hour, "ok");
    task.judgeUntil(ten + 3 * hour + minute);
    expect(task.open).toEqual([]);
  });

  it("a muted task reports nothing", () => {
    const task = new Task(hourly, { isMuted: true });
    task.checkIn(ten, "error");
    expect(task.judgeUntil(ten + 3 * hour)).toEqual([]);
  });

  it("what was due while nothing could be received is not reported", () => {
    const task = new Task(hourly);
    task.checkIn(ten, "ok");
    task.judgeUntil(ten + 10 * minute);
    task.judge(ten + 50 * hour + 30 * minute, ten + 10 * minute);
    expect(task.reported).toEqual([]);
    expect(task.blind).toBe(1);
    expect(task.judgeUntil(ten + 51 * hour + 2 * minute)).toEqual(["missed 13:01"]);
  });

  it("a run that was due seconds before the service returned is not called missing", () => {
    const task = new Task(hourly);
    task.checkIn(ten, "ok");
    task.judgeUntil(ten + 10 * minute);
    task.judge(ten + 2 * hour + 50_000, ten + 10 * minute);
    expect(task.judgeUntil(ten + 2 * hour + 5 * minute)).toEqual([]);
    expect(task.blind).toBe(1);
    expect(task.judgeUntil(ten + 3 * hour + 2 * minute)).toEqual(["missed 13:01"]);
  });

  it("a new schedule expects nothing of the time before it", () => {
    const task = new Task({ schedule: { type: "crontab", value: "@monthly" } });
    task.checkIn(ten, "ok");
    task.judgeUntil(ten + minute);
    task.judge(ten + 30 * hour);
    const { plan } = new Task({ schedule: { type: "crontab", value: "* * * * *" } }).record;
    task.record = { ...task.record, plan, lastAt: ten + 30 * hour };
    expect(task.judgeUntil(ten + 30 * hour + minute)).toEqual([]);
    task.judgeUntil(ten + 30 * hour + 3 * minute);
    expect(task.reported).toEqual(["missed 16:02"]);
  });

  it("the same facts lead to the same problems again", () => {
    const task = new Task(hourly);
    task.checkIn(ten, "error");
    const { watch } = task.record;
    task.judge(ten + 2 * hour);
    const first = task.reported.splice(0);
    task.record = { ...task.record, watch };
    task.judge(ten + 2 * hour);
    expect(task.reported).toEqual(first);
    expect(first).toEqual(["failed 10:00", "missed 11:01"]);
  });
});
