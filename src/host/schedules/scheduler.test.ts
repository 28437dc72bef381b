import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { NamedSchedule } from "#pages";
import { openSharedState } from "#service";
import { checkSchedules } from "./check-schedules.ts";
import { Scheduler, type SchedulerDeps, schedulerLimits } from "./scheduler.ts";

const minute = 60_000;
const start = Date.parse("2026-03-02T10:00:30Z");

/** Runs its tasks without reports. */
const reporting: SchedulerDeps["reporting"] = {
  runTask: async (_facts, run) =>
    run().then(
      () => ({ kind: "ended" as const }),
      (error: unknown) => ({ kind: "failed" as const, error, receipt: { kind: "unrecorded" as const } }),
    ),
};

function everyMinute(run: NamedSchedule["run"], options: NamedSchedule["options"] = {}): NamedSchedule {
  return { kind: "holdfast.schedule", name: "clean-up", crontab: "* * * * *", run, options };
}

/** Several processes with one data folder and one clock. */
class Machines {
  now = start;
  readonly warnings: string[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), "holdfast-schedules-"));
  readonly #schedulers: Scheduler[] = [];

  constructor() {
    onTestFinished(() => rmSync(this.#folder, { recursive: true }));
  }

  async add(schedule: NamedSchedule): Promise<Scheduler> {
    const claims = (await openSharedState(this.#folder)).openScheduleClaims();
    onTestFinished(() => claims.close());
    const scheduler = new Scheduler({
      application: "shop",
      schedules: [schedule],
      claims,
      reporting,
      limits: schedulerLimits,
      now: () => this.now,
      warn: (sentence) => void this.warnings.push(sentence),
    });
    this.#schedulers.push(scheduler);
    return scheduler;
  }

  /** One second after the other, as each process looks, in turns and at the same time. */
  async pass(ms: number, schedulers: readonly Scheduler[] = this.#schedulers): Promise<void> {
    for (const end = this.now + ms; this.now < end; this.now += 1_000)
      await Promise.all(schedulers.map((scheduler) => scheduler.look()));
  }
}

test("a schedule of every minute in three processes runs ten times in ten minutes, each due time once", async () => {
  const machines = new Machines();
  const runs: string[] = [];
  for (let process = 0; process < 3; process += 1)
    await machines.add(everyMinute(({ dueAt }) => void runs.push(dueAt.toISOString().slice(11, 16))));
  await machines.pass(10 * minute);
  expect(runs).toEqual(Array.from({ length: 10 }, (_, n) => `10:${String(n + 1).padStart(2, "0")}`));
  expect(machines.warnings).toEqual([]);
});

test("a process that is killed while it runs a task loses that run, and another takes over after it", async () => {
  const machines = new Machines();
  const runs: string[] = [];
  const killed = await machines.add(everyMinute(() => new Promise(() => void runs.push("killed"))));
  await machines.pass(minute, [killed]);
  const other = await machines.add(everyMinute(() => void runs.push("other")));
  await machines.pass(3 * minute, [other]);
  // Its lease covers one due time, at which the run might still go on.
  expect(runs[0]).toBe("killed");
  expect(runs.filter((run) => run === "other").length).toBeGreaterThanOrEqual(2);
});

test("due times during a stop are skipped, or become one run", async () => {
  for (const [missed, expected] of [
    ["skip", ["10:01"]],
    ["run-once", ["10:01", "12:30"]],
  ] as const) {
    const machines = new Machines();
    const runs: string[] = [];
    const schedule = everyMinute(({ dueAt }) => void runs.push(dueAt.toISOString().slice(11, 16)), { missed });
    const hourly = { ...schedule, crontab: "1,30 * * * *" };
    await machines.pass(minute, [await machines.add(hourly)]);
    machines.now = Date.parse("2026-03-02T12:45:00Z");
    const after = [await machines.add(hourly), await machines.add(hourly)];
    await machines.pass(2 * minute, after);
    expect(runs).toEqual(expected);
    machines.now = Date.parse("2026-03-02T13:00:50Z");
    await machines.pass(minute, after);
    expect(runs).toEqual([...expected, "13:01"]);
  }
});

test("a task does not run beside itself, unless it may", async () => {
  for (const overlap of [false, true]) {
    const machines = new Machines();
    let [running, most] = [0, 0];
    const ends: (() => void)[] = [];
    const scheduler = await machines.add(
      everyMinute(
        async () => {
          running += 1;
          most = Math.max(most, running);
          await new Promise<void>((resolve) => ends.push(resolve));
          running -= 1;
        },
        { overlap },
      ),
    );
    await machines.pass(2 * minute);
    expect(ends).toHaveLength(overlap ? 2 : 1);
    for (const end of ends.splice(0)) end();
    scheduler.stop();
    await scheduler.idle();
    expect(most).toBe(overlap ? 2 : 1);
  }
});

test("a stopping server starts nothing more, tells running tasks to end, and waits for them", async () => {
  const machines = new Machines();
  const seen: string[] = [];
  const scheduler = await machines.add(
    everyMinute(async ({ signal, name }) => {
      seen.push(`${name} began`);
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      seen.push("was aborted");
    }),
  );
  await machines.pass(minute);
  scheduler.stop();
  await machines.pass(3 * minute);
  const idle = scheduler.idle().then(() => seen.push("idle"));
  scheduler.abandon();
  await idle;
  expect(seen).toEqual(["clean-up began", "was aborted", "idle"]);
});

test("a failed task is written for the operator, and runs again at its next time", async () => {
  const machines = new Machines();
  let runs = 0;
  await machines.add(
    everyMinute(() => {
      runs += 1;
      throw new Error("no disk");
    }),
  );
  await machines.pass(2 * minute);
  expect(runs).toBe(2);
  expect(machines.warnings[0]).toBe("The schedule clean-up failed: no disk");
});

test("a schedule that would never run is refused at the start", () => {
  const wrong = (given: Partial<NamedSchedule>): (() => void) => {
    return () => checkSchedules([{ ...everyMinute(() => undefined), ...given }], start);
  };
  expect(wrong({ crontab: "61 * * * *" })).toThrow('has the crontab "61 * * * *", which is never due');
  expect(wrong({ options: { timeZone: "No/Where" } })).toThrow("does not exist");
  expect(() => checkSchedules([everyMinute(() => 1), everyMinute(() => 2)], start)).toThrow("is there twice");
  expect(wrong({ crontab: "@daily", options: { timeZone: "Europe/Berlin" } })).not.toThrow();
});
