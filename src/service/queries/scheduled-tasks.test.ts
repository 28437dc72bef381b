import { expect, it } from "vitest";
import type { MonitorRecord } from "../stores/records.ts";
import type { StoreReader } from "../stores/store.ts";
import { scheduledTasks } from "./scheduled-tasks.ts";

const ten = Date.parse("2026-03-02T10:00:00Z");
const hour = 3_600_000;

function storeWith(monitor: Partial<MonitorRecord>): StoreReader {
  const whole: MonitorRecord = {
    project: 1,
    name: "nightly",
    environment: "production",
    lastStatus: "ok",
    lastAt: ten,
    lastDurationMs: undefined,
    plan: { schedule: { kind: "crontab", expression: "0 * * * *", timeZone: "Europe/Berlin" } },
    ok: 3,
    failed: 1,
    firstAt: ten,
    isMuted: false,
    runs: [],
    watch: undefined,
    ...monitor,
  };
  // The query asks for nothing else.
  return { monitors: async () => [whole] } as unknown as StoreReader;
}

it("a task is listed with its schedule, its next time, and its runs among the missed ones", async () => {
  const ran = { endedAt: ten, durationMs: 200, serial: 1 };
  const runs = [
    { status: "ok", startedAt: ten, ...ran },
    { status: "ok", startedAt: ten + 2.5 * hour, ...ran },
    { status: "error", startedAt: ten + 3 * hour, ...ran },
    { status: "in_progress", startedAt: ten + 4 * hour },
    { status: "in_progress", startedAt: ten + 5 * hour },
  ] as const;
  const watch = {
    schedule: "",
    upTo: ten,
    serial: 0,
    failuresInRow: 0,
    goodInRow: 0,
    lateInRow: 0,
    missed: [ten + hour],
    late: [ten + 2.5 * hour],
    tooLong: [ten + 4 * hour],
    problems: [
      { kind: "missed", eventId: "a", resolvedAt: ten },
      { kind: "too-long", eventId: "b" },
    ],
  };
  const store = storeWith({ runs, watch: JSON.stringify(watch) });
  const [task] = await scheduledTasks({ store, now: ten + 5.5 * hour }, 1);
  expect(task).toMatchObject({
    schedule: "every hour at :00",
    nextDueAt: ten + 6 * hour,
    isMuted: false,
    problems: ["too-long"],
  });
  expect(task?.runs.map(({ kind, at }) => `${kind} ${(at - ten) / hour}`)).toEqual([
    "ok 0",
    "missed 1",
    "late 2.5",
    "failed 3",
    "too-long 4",
    "running 5",
  ]);
});

it("an interval is due after the last start, and a task without a schedule at no known time", async () => {
  const plan = { schedule: { kind: "interval", everyMs: hour } } as const;
  const runs = [{ status: "ok", startedAt: ten, endedAt: ten } as const];
  const [task] = await scheduledTasks({ store: storeWith({ plan, runs }), now: ten + 3 * hour }, 1);
  expect(task).toMatchObject({ schedule: "every hour", nextDueAt: ten + hour });
  const [other] = await scheduledTasks({ store: storeWith({ plan: undefined }), now: ten }, 1);
  expect(other).toMatchObject({ schedule: undefined, nextDueAt: undefined, runs: [] });
});
