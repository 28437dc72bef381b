import { describe, expect, it } from "vitest";
import { readCheckIn } from "#protocol";
import type { MonitorRecord } from "../stores/records.ts";
import { nextCronTime } from "./cron.ts";
import { taskState } from "./task-state.ts";

describe("a crontab", () => {
  it.each([
    ["* * * * *", undefined, "2026-03-01T10:00:30Z", "2026-03-01T10:01:00Z"],
    ["*/15 * * * *", undefined, "2026-03-01T10:01:00Z", "2026-03-01T10:15:00Z"],
    ["0 3 * * *", undefined, "2026-03-01T03:00:00Z", "2026-03-02T03:00:00Z"],
    ["30 6,18 * * mon-fri", undefined, "2026-02-27T18:30:00Z", "2026-03-02T06:30:00Z"],
    ["0 0 31 * *", undefined, "2026-01-31T00:00:00Z", "2026-03-31T00:00:00Z"],
    ["0 0 29 2 *", undefined, "2026-03-01T00:00:00Z", "2028-02-29T00:00:00Z"],
    // Of a day of the month and a day of the week, either is enough.
    ["0 0 13 * fri", undefined, "2026-03-01T00:00:00Z", "2026-03-06T00:00:00Z"],
    ["0 0 * * 7", undefined, "2026-03-02T00:00:00Z", "2026-03-08T00:00:00Z"],
    ["5/20 8-9 * jan,JUL *", undefined, "2026-02-01T00:00:00Z", "2026-07-01T08:05:00Z"],
    ["@weekly", undefined, "2026-03-02T00:00:00Z", "2026-03-08T00:00:00Z"],
    ["0 9 * * *", "America/New_York", "2026-01-10T15:00:00Z", "2026-01-11T14:00:00Z"],
    ["0 9 * * *", "America/New_York", "2026-07-10T15:00:00Z", "2026-07-11T13:00:00Z"],
    ["0 12 * * *", "No/Where", "2026-07-10T15:00:00Z", "2026-07-11T12:00:00Z"],
  ])("%s in %s is due next after %s at %s", (expression, zone, after, next) => {
    expect(nextCronTime(expression, zone, Date.parse(after))).toBe(Date.parse(next));
  });

  it.each(["", "* * * *", "61 * * * *", "* * * * * *", "*/0 * * * *", "a b c d e", "0 0 31 2 *", "5-1 * * * *"])(
    "a crontab that says nothing (%s) is never due",
    (expression) => {
      expect(nextCronTime(expression, undefined, 0)).toBeUndefined();
    },
  );
});

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
