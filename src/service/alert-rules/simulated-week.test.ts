import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { AlertOutbox } from "../alerts/alert-outbox.ts";
import { type ProjectAlerts, readProjectAlerts } from "../alerts/alert-settings.ts";
import { openAlertDatabase } from "../alerts/open-alert-database.ts";
import { problemTypes } from "../check-ins/problem-envelope.ts";
import { dayMs, hourMs } from "../clock.ts";
import type { FiledItem } from "../stores/filed.ts";
import { anEvent, batchesOf } from "../stores/filed-examples.ts";
import { openSqliteStore } from "../stores/sqlite/open-sqlite-store.ts";
import type { Store } from "../stores/store.ts";
import { errorCount } from "../stores/values/page-counts.ts";
import { AlertLoop } from "./alert-loop.ts";
import { previewRule } from "./preview-rule.ts";
import type { Trouble } from "./service-trouble.ts";

const monday = Date.UTC(2026, 10, 9);
const minuteMs = 60_000;
const project = { id: 1, name: "Shop", publicKey: "" };
const rowId = 0;

/** A store, a loop with a clock, and everything that was sent. */
function simulation({ summaryMail = "off", timeZone = "UTC" } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-week-"));
  const store: Store = openSqliteStore({ folder: join(folder, "store") });
  const rows = openAlertDatabase(folder);
  onTestFinished(async () => {
    await rows.close();
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const clock = { now: monday };
  const outbox = new AlertOutbox(rows, () => clock.now);
  const channel = { kind: "mail", to: ["ada@example.org"] };
  const alerts: ProjectAlerts = readProjectAlerts({
    channels: [{ id: "mail", name: "Mail", channel }],
    // An hour in which nothing happens here.
    quietHours: { from: 3, to: 4, timeZone },
    summaryMail,
  });
  const sent: { reason: string; title: string; at: number }[] = [];
  const trouble: Trouble[] = [];
  const faults: unknown[] = [];
  const loop = new AlertLoop({
    store: async () => store,
    outboxes: () => ({ shared: outbox, own: outbox }),
    projects: () => [project],
    alertsOf: () => alerts,
    trouble: () => trouble,
    console: () => "https://errors.example/_holdfast",
    send: async (_channel, { message: { reason, title } }) => {
      sent.push({ reason, title, at: clock.now });
      return { kind: "sent" };
    },
    lease: async () => true,
    now: () => clock.now,
    onFault: (error) => faults.push(error),
  });
  const file = async (items: readonly FiledItem[]): Promise<void> => {
    for (const batch of batchesOf(items, 500, await store.appliedUpTo())) await store.commit(batch);
    await store.settled();
  };
  return { store, clock, loop, alerts, sent, trouble, faults, file };
}

/** An ordinary hour: visitors, few known errors, few crashes. */
function usualHour(hour: number): FiledItem[] {
  const counts = [{ name: errorCount, route: "/", label: "", at: hour, n: 4 }];
  const measures = Array.from({ length: 60 }, () => [
    { route: "/", measure: "request", at: hour, value: 40, release: "1.0.0" },
    { route: "/", measure: "lcp", at: hour, value: 1_200, release: "1.0.0" },
  ]).flat();
  return [
    { kind: "metrics", rowId, project: 1, receivedAt: hour, counts, measures },
    sessionsIn(hour, 1),
    anEvent({ text: "known", at: hour + minuteMs }),
  ];
}

function sessionsIn(hour: number, crashed: number): FiledItem {
  const sums = { started: 200, errored: 0, crashed, abnormal: 0, release: "1.0.0", environment: "production" };
  return { kind: "session-counts", rowId, project: 1, receivedAt: hour, startedAt: hour, ...sums };
}

/** Slow pages of a new release. */
function slowHour(hour: number): FiledItem {
  const measures = Array.from({ length: 60 }, () => ({
    route: "/search",
    measure: "lcp",
    at: hour,
    value: 9_000,
    release: "2.0.0",
  }));
  return { kind: "metrics", rowId, project: 1, receivedAt: hour, counts: [], measures };
}

it("each rule fires once, and only once, in a simulated week of traffic", { timeout: 120_000 }, async () => {
  const { store, clock, loop, alerts, sent, trouble, faults, file } = simulation();
  const at = (day: number, hour: number): number => monday + day * dayMs + hour * hourMs;
  const fast = Array.from({ length: 60 }, () => ({ route: "/search", measure: "lcp", value: 1_000, release: "1.0.0" }));
  const incidents: Readonly<Record<number, () => Promise<void>>> = {
    [at(8, 9)]: () => file([anEvent({ text: "brand new", at: clock.now })]),
    [at(9, 9)]: async () => {
      const issue = (await store.issue(1, { number: 1 }))?.id ?? 0;
      await store.change({
        project: 1,
        issues: [issue],
        change: { kind: "resolve", in: "now" },
        by: "ada",
        at: clock.now,
      });
      await file([anEvent({ text: "known", at: clock.now + 1_000 })]);
    },
    [at(10, 9)]: () =>
      file(Array.from({ length: 120 }, (_, n) => anEvent({ text: "brand new", at: clock.now + n, visitor: n + 1 }))),
    [at(11, 15)]: () => file([sessionsIn(clock.now, 40)]),
    [at(12, 9)]: () => file([anEvent({ text: "in the new release", release: "2.0.0", level: "info", at: clock.now })]),
    [at(12, 8)]: () =>
      file([
        {
          kind: "metrics",
          rowId,
          project: 1,
          receivedAt: clock.now,
          counts: [],
          measures: fast.map((measure) => ({ ...measure, at: clock.now })),
        },
      ]),
    [at(12, 10)]: () => file([slowHour(clock.now)]),
    [at(12, 11)]: () => file([slowHour(clock.now)]),
    [at(13, 9)]: () =>
      file([
        anEvent({
          text: "nightly was missed",
          title: { type: problemTypes.missed, text: "nightly was missed", culprit: "" },
          at: clock.now,
        }),
      ]),
    [at(13, 12)]: async () => void trouble.push({ kind: "store-away", words: "Its store cannot be written" }),
    [at(13, 14)]: async () => void trouble.splice(0),
  };
  for (let hour = 0; hour < 14 * 24; hour += 1) {
    clock.now = monday + hour * hourMs;
    await file(usualHour(clock.now));
    await incidents[clock.now]?.();
    // Nothing happens in the first week, with which the second is compared.
    for (const minute of hour < 7 * 24 ? [20] : [0, 1, 3, 20, 40]) {
      clock.now = monday + hour * hourMs + minute * minuteMs;
      await loop.turn();
    }
  }
  expect(faults).toEqual([]);
  expect(sent.map(({ reason, title }) => `${reason}: ${title}`)).toEqual([
    "New issue: Error: brand new",
    "Happens again, in 1.0.0: Error: known",
    "100 events in 10 min: Error: brand new",
    "More errors than usual: 125 errors in 60 requests in an hour; in the same hour of last week 5 in 60",
    expect.stringMatching(/^More crashes than usual: 89\.\d % of sessions/),
    expect.stringMatching(/^Slower since a release: LCP of .search is \d+ ms, before \d+ ms; its bound is 4000 ms$/),
    `Scheduled task: ${problemTypes.missed}: nightly was missed`,
    "The service has trouble: Its store cannot be written",
  ]);
  const previewed = await Promise.all(
    alerts.rules.map(async (rule) => [rule.kind, await previewRule({ store, now: clock.now }, 1, rule)]),
  );
  expect(Object.fromEntries(previewed)).toEqual({
    "new-issue": 1,
    regression: 1,
    frequency: 1,
    "error-rate": 1,
    "crash-free": 1,
    budget: 1,
    "check-in": 1,
    service: undefined,
  });
});

it("a summary by mail is sent each morning where the people are, of the day before", { timeout: 60_000 }, async () => {
  const { clock, loop, sent, faults, file } = simulation({ summaryMail: "daily", timeZone: "Europe/Berlin" });
  for (let hour = 0; hour < 60; hour += 1) {
    clock.now = monday + hour * hourMs;
    await file(usualHour(clock.now));
    await loop.turn();
  }
  expect(faults).toEqual([]);
  const mails = sent.filter(({ reason }) => reason === "Last day");
  expect(mails.map(({ at, title }) => `${new Date(at).toISOString()} ${title}`)).toEqual([
    "2026-11-09T07:00:00.000Z 1 new issue, 35 errors, 99.5 % of sessions without a crash",
    "2026-11-10T07:00:00.000Z no new issues, 120 errors, 99.5 % of sessions without a crash",
    "2026-11-11T07:00:00.000Z no new issues, 120 errors, 99.5 % of sessions without a crash",
  ]);
});
