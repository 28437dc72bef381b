import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { dayMs, hourMs, quarterMs } from "../clock.ts";
import type { FiledItem } from "../stores/filed.ts";
import { anEvent, batchesOf, noon } from "../stores/filed-examples.ts";
import { openSqliteReader, openSqliteStore } from "../stores/sqlite/open-sqlite-store.ts";
import type { Store } from "../stores/store.ts";
import { visitorHash } from "../stores/values/visitor-hash.ts";
import { overview } from "./overview.ts";
import { deviationIn, measuredSteps, usual } from "./usual.ts";

describe("errors beside what is usual", () => {
  let folder: string;
  let store: Store;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-usual-"));
    store = openSqliteStore({ folder });
  });

  afterEach(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });

  const file = async (items: readonly FiledItem[]): Promise<void> => {
    for (const batch of batchesOf(items, 2_000, await store.appliedUpTo())) await store.commit(batch);
  };
  const errors = (n: number, at: number, release = "1.0.0"): FiledItem[] =>
    Array.from({ length: n }, () => anEvent({ at, release }));
  const visits = (started: number, at: number): FiledItem => ({
    kind: "session-counts",
    rowId: 0,
    project: 1,
    receivedAt: at,
    startedAt: at,
    release: "1.0.0",
    environment: undefined,
    started,
    errored: 0,
    crashed: 0,
    abnormal: 0,
  });
  /** Two errors and ten visits in each quarter before `noon`. */
  const history = (days: number): FiledItem[] =>
    Array.from({ length: days * 96 }, (_, n) => noon - (n + 1) * quarterMs).flatMap((at) => [
      ...errors(2, at),
      visits(10, at),
    ]);

  it("says nothing without data", async () => {
    const answer = await usual({ store, now: noon }, 1);
    expect(answer).toMatchObject({ basis: { kind: "nothing" }, deviation: undefined, stepMs: quarterMs });
    expect(answer.errors).toMatchObject({ total: 0, usualTotal: undefined, high: [] });
    expect(answer.errors.values).toHaveLength(96);
  });

  it("at the edge of a quarter, the last step is the new one", async () => {
    await file([...errors(1, noon - 1), ...errors(2, noon)]);
    const before = await usual({ store, now: noon - 1 }, 1);
    expect(before).toMatchObject({ from: noon - dayMs });
    expect(before.errors.values.slice(-2)).toEqual([0, 1]);
    const at = await usual({ store, now: noon }, 1);
    expect(at).toMatchObject({ from: noon - dayMs + quarterMs });
    expect(at.errors.values.slice(-2)).toEqual([1, 2]);
  });

  it("finds since when there are more, how many times as many, and the release of that moment", async () => {
    await file(history(3));
    const quiet = await usual({ store, now: noon + quarterMs / 2 }, 1);
    expect(quiet).toMatchObject({ basis: { kind: "days", days: 3 }, deviation: undefined });
    expect(quiet.errors).toMatchObject({ total: 190, usualTotal: { usual: 191 } });
    expect(quiet.visits).toMatchObject({ total: 950, usualTotal: { usual: 955 } });
    await file([
      ...errors(1, noon + 1_000, "1.0.0"),
      ...errors(1, noon + 5 * 60_000, "1.4.2"),
      ...errors(14, noon + quarterMs, "1.4.2"),
      ...errors(14, noon + 2 * quarterMs, "1.4.2"),
    ]);
    const burning = await usual({ store, now: noon + 3 * quarterMs + 1 }, 1);
    expect(burning.errors.values.slice(-4)).toEqual([2, 14, 14, 0]);
    expect(burning.deviation).toEqual({
      since: noon + quarterMs,
      isOlder: false,
      errors: 28,
      usual: 4,
      times: 7,
      release: "1.4.2",
    });
  });

  it("names no release that appeared at that moment and has sent few of the errors", async () => {
    await file(history(3));
    await file([...errors(13, noon + quarterMs, "1.0.0"), ...errors(12, noon + quarterMs, "2.0.0")]);
    const now = noon + 2 * quarterMs + 1;
    expect((await usual({ store, now }, 1)).deviation).toMatchObject({ errors: 25, release: undefined });
    await file(errors(2, noon + quarterMs, "2.0.0"));
    expect((await usual({ store, now }, 1)).deviation).toMatchObject({ errors: 27, release: "2.0.0" });
  });

  it("stays silent about a few errors where there usually are none, and has no ratio for many", async () => {
    const steps = (last: number) => [...Array.from({ length: 29 * 4 - 2 }, () => 0), last, 0];
    const compare = { shown: 4, cycle: 4, lastPart: 1 };
    expect(deviationIn(steps(9), compare, 0)).toBeUndefined();
    expect(deviationIn(steps(10), compare, 0)).toMatchObject({ errors: 10, usual: 0, times: undefined });
  });

  it("says that more errors are older than the chart", () => {
    const steps = [...Array.from({ length: 28 * 4 }, () => 1), 20, 20, 20, 20];
    const found = deviationIn(steps, { shown: 4, cycle: 4, lastPart: 1 }, 1_000);
    expect(found).toMatchObject({ since: 1_000, isOlder: true, times: 20 });
  });

  it("shows hours of two weeks and days of 90", async () => {
    await file(history(3));
    const hours = await usual({ store, now: noon }, 1, "14d");
    expect(hours).toMatchObject({ stepMs: hourMs, from: noon - 14 * dayMs + hourMs });
    expect(hours.errors.values.slice(-3)).toEqual([8, 8, 0]);
    const days = await usual({ store, now: noon }, 1, "90d");
    expect(days).toMatchObject({ stepMs: dayMs, from: noon - 12 * hourMs - 89 * dayMs });
    expect(days.visits.values.slice(-4)).toEqual([480, 960, 960, 480]);
  });

  it("events that arrive days later change what was usual, for a reader that has asked before", async () => {
    await file(history(3));
    const reader = openSqliteReader({ folder });
    const ask = async () => {
      const { today, weekAgo, usual: compared, affected } = await overview({ store: reader, now: noon }, 1);
      const usualErrors = compared.errors.usualTotal?.high;
      return { today: today.errors, weekAgo: weekAgo.errors, usualErrors, usualVisitors: affected.usual?.high };
    };
    const before = { today: 192, weekAgo: 0, usualErrors: 190, usualVisitors: undefined };
    expect(await ask()).toEqual(before);
    const late = (at: number, ...visitors: number[]) =>
      visitors.map((n) => anEvent({ at, visitor: visitorHash(`visitor ${n}`) }));
    await file([...late(noon - 2 * dayMs - hourMs, 1, 2, 3), ...late(noon - 7 * dayMs - hourMs, 1, 2)]);
    expect(await ask()).toEqual({ ...before, weekAgo: 2, usualErrors: 193, usualVisitors: 3 });
    reader.close();
  });

  it("nothing was measured before the first record, and on days without any", () => {
    const record = { errors: 3, errorPages: 0, visits: 0, failedVisits: 0 };
    const at = [0, 2].map((day) => day * dayMs + 6 * hourMs);
    const steps = measuredSteps(
      at.map((one) => ({ ...record, at: one })),
      { from: 0, stepMs: 6 * hourMs, count: 12 },
      ({ errors: n }) => n,
    );
    const gap = [undefined, undefined, undefined, undefined];
    expect(steps).toEqual([undefined, 3, 0, 0, ...gap, 0, 3, 0, 0]);
  });
});
