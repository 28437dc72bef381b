import { describe, expect, it } from "vitest";
import { readCheckIn } from "#protocol";
import type { MonitorRecord } from "../stores/records.ts";
import { taskState } from "./task-state.ts";

describe("a scheduled task", () => {
  const begun = Date.parse("2026-03-01T10:00:00Z");
  const minute = 60_000;

  it("a scheduled task that never ends is marked once it exceeds its time limit", () => {
    const running = { lastStatus: "in_progress" };
    expect(stateAfter(29 * minute, running)).toEqual({ kind: "running" });
    expect(stateAfter(31 * minute, running)).toEqual({ kind: "no-end" });
    expect(stateAfter(31 * minute, running, { ...hourly, max_runtime: 45 })).toEqual({ kind: "running" });
    expect(stateAfter(46 * minute, running, { ...hourly, max_runtime: 45 })).toEqual({ kind: "no-end" });
  });

  it("a scheduled task that does not start is overdue, whatever its last result", () => {
    const expectedAt = begun + 60 * minute;
    expect(stateAfter(60 * minute, {}, hourly)).toEqual({ kind: "ended-well" });
    expect(stateAfter(62 * minute, {}, hourly)).toEqual({ kind: "overdue", expectedAt });
    expect(stateAfter(62 * minute, { lastStatus: "error" }, hourly)).toEqual({ kind: "overdue", expectedAt });
    expect(stateAfter(62 * minute, {}, { ...hourly, checkin_margin: 5 })).toEqual({ kind: "ended-well" });
    const everyTwoHours = { schedule: { type: "interval", value: 2, unit: "hour" } };
    expect(stateAfter(119 * minute, {}, everyTwoHours)).toEqual({ kind: "ended-well" });
    expect(stateAfter(122 * minute, {}, everyTwoHours)).toMatchObject({ kind: "overdue" });
  });

  it("a scheduled task that ends long after its start is due again by its start", () => {
    const long = { lastAt: begun + 50 * minute, lastDurationMs: 50 * minute };
    expect(stateAfter(62 * minute, long, hourly)).toMatchObject({ kind: "overdue" });
  });

  it("a scheduled task without a known schedule has its last state", () => {
    expect(stateAfter(1_000_000 * minute, {})).toEqual({ kind: "ended-well" });
    expect(stateAfter(1_000_000 * minute, { lastStatus: "error" })).toEqual({ kind: "failed" });
    for (const schedule of [
      undefined,
      {},
      { type: "interval", value: -1, unit: "hour" },
      { type: "crontab", value: "x" },
    ])
      expect(stateAfter(1_000_000 * minute, {}, { schedule })).toEqual({ kind: "ended-well" });
  });

  const hourly = { schedule: { type: "crontab", value: "0 * * * *" }, timezone: "Europe/Berlin" };

  function stateAfter(ms: number, given: Partial<MonitorRecord>, config?: object) {
    const reading = readCheckIn({ monitor_slug: "nightly", status: "ok", monitor_config: config });
    if (reading.kind !== "read") throw new Error(reading.why);
    const record: MonitorRecord = {
      project: 1,
      firstAt: begun,
      isMuted: false,
      runs: [],
      watch: undefined,
      name: "nightly",
      environment: undefined,
      lastStatus: "ok",
      lastAt: begun,
      lastDurationMs: undefined,
      plan: reading.value.plan,
      ok: 1,
      failed: 0,
      ...given,
    };
    return taskState(record, begun + ms);
  }
});
