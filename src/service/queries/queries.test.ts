import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { digestOf, type ReportedSpan } from "#protocol";
import { dayMs, hourMs } from "../clock.ts";
import type { FiledItem, FiledSpans } from "../stores/filed.ts";
import { anEvent, batchesOf, hex, noon } from "../stores/filed-examples.ts";
import { openSqliteStore } from "../stores/sqlite/open-sqlite-store.ts";
import type { Store } from "../stores/store.ts";
import { jsonOfSpans } from "../stores/values/spans-json.ts";
import { visitorHash } from "../stores/values/visitor-hash.ts";
import {
  budgets,
  eventByIdOrDigest,
  find,
  issueByNumber,
  issueList,
  issueTabs,
  lastDays,
  live,
  liveVisitors,
  newIssueCount,
  overview,
  pages,
  releaseByName,
  releases,
  routeExamples,
  traceById,
} from "./index.ts";

/** A small shop: a day of page views, one error on the cart, a second release that is slower and breaks it again. */
describe("queries of the console", () => {
  const now = noon + 60_000;
  const error = anEvent({
    text: "total is undefined",
    route: "/cart",
    at: noon,
    traceId: hex("trace"),
    spanId: hex("trace").slice(0, 16),
    visitor: visitorHash("jo@shop.test"),
    tags: [
      ["route", "/cart"],
      ["browser", "Firefox"],
      ["saw", "error-page"],
    ],
  });
  let folder: string;
  let store: Store;
  const context = (at = now) => ({ store, now: at });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-queries-"));
    store = openSqliteStore({ folder });
    const items: FiledItem[] = [
      ...Array.from({ length: 20 }, (_, n) =>
        view({ at: noon - 3 * hourMs, name: `old ${n}`, release: "1.0.0", lcp: 1_000 }),
      ),
      ...Array.from({ length: 20 }, (_, n) => view({ at: noon - n, name: `new ${n}`, release: "2.0.0", lcp: 3_000 })),
      view({ at: noon - 5_000, name: "trace", release: "2.0.0", lcp: 3_000, visitor: visitorHash("jo@shop.test") }),
      error,
      anEvent({ text: "total is undefined", at: noon - 2 * hourMs, visitor: 2, route: "/cart" }),
      anEvent({ text: "other", at: noon - 9 * dayMs, route: "/about" }),
      {
        ...place,
        kind: "metrics",
        measures: [10_000, 7_200_000].map((value) => ({
          route: "/cart",
          measure: "holdfast.cache-age",
          at: noon,
          value,
          release: undefined,
        })),
        counts: [
          { name: "holdfast.prefetch", route: "/cart", label: "stored", at: noon, n: 10 },
          { name: "holdfast.prefetch", route: "/cart", label: "fresh", at: noon, n: 4 },
          { name: "holdfast.navigation", route: "/cart", label: "committed", at: noon, n: 7 },
          { name: "holdfast.full-load", route: "/cart", label: "timeout-data", at: noon, n: 1 },
          { name: "holdfast.cache", route: "/cart", label: "hit", at: noon, n: 90 },
          { name: "holdfast.cache", route: "/cart", label: "failing", at: noon, n: 5 },
          { name: "holdfast.cache", route: "/cart", label: "miss", at: noon, n: 2 },
          { name: "holdfast.cache", route: "/cart", label: "bypass cookies", at: noon, n: 3 },
          { name: "holdfast.cache-saved", route: "/cart", label: "", at: noon, n: 4_000 },
          { name: "holdfast.budget", route: "/cart", label: "lcpMs=2500", at: noon - 3 * dayMs, n: 9 },
          { name: "holdfast.budget", route: "/cart", label: "lcpMs=2000 cls=0.1", at: noon, n: 1 },
          { name: "holdfast.budget", route: "/about", label: "loadMs=900 madeUp=1", at: noon - 3 * dayMs, n: 1 },
          { name: "holdfast.budget", route: "/gone", label: "loadMs=900", at: noon - 9 * dayMs, n: 1 },
        ],
      },
      {
        ...place,
        kind: "session-counts",
        startedAt: noon,
        started: 100,
        errored: 4,
        crashed: 2,
        abnormal: 0,
        release: "2.0.0",
        environment: undefined,
      },
      {
        ...place,
        kind: "feedback",
        at: noon,
        eventId: error.eventId,
        name: "Jo",
        email: undefined,
        url: undefined,
        message: "my cart is gone",
        ownId: undefined,
        facts: {},
      },
    ];
    const discards = [
      { reason: "filter:resize-observer", category: "error", at: noon, n: 2 },
      { reason: "sample_rate", category: "transaction", at: noon, n: 7 },
      { reason: "filter:resize-observer", category: "error", at: noon - 2 * hourMs, n: 1 },
    ];
    items.push({ ...place, kind: "discards", discards });
    for (const batch of batchesOf(items, 10)) await store.commit(batch);
  });

  afterAll(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });

  it("the overview shows today beside the same day a week ago", async () => {
    const answer = await overview(context(), 1);
    expect(answer.today).toMatchObject({
      errors: 2,
      errorPages: 1,
      prefetchHitRate: 0.4,
      fullLoads: 1,
      sessions: { started: 100, crashFree: 0.98 },
    });
    expect(answer.weekAgo).toMatchObject({ errors: 0, prefetchHitRate: undefined });
    expect(answer.usual.errors.total).toBe(2);
    expect(answer.newIssues.map(({ title }) => title)).toEqual(["total is undefined"]);
    expect(answer.deploys.map(({ release }) => release)).toEqual(["2.0.0"]);
    expect(answer.leftOut).toEqual([
      { reason: "sample_rate", category: "transaction", n: 7 },
      { reason: "filter:resize-observer", category: "error", n: 3 },
    ]);
  });

  it("the list of issues has rows with sparklines, tabs with counts, and pages by cursor", async () => {
    const question = { project: 1, filter: "is:open", period: lastDays(1, now), limit: 1 };
    const first = await issueList(context(), question);
    expect(first.rows).toMatchObject([{ title: "total is undefined", events: 2, eventsInPeriod: 2, visitors: 2 }]);
    expect(first.rows[0]?.sparkline).toHaveLength(25);
    const second = await issueList(context(), { ...question, ...(first.next ? { after: first.next } : {}) });
    expect(second.rows.map(({ title }) => title)).toEqual(["other"]);
    expect(second.next).toBeUndefined();
    expect((await issueList(context(), { ...question, after: "'; DROP TABLE issue" })).rows).toEqual(first.rows);
    expect(await issueTabs(context(), 1)).toEqual({ open: 2, regressed: 0, resolved: 0, muted: 0 });
  });

  it("the list of an hour has the issues with events in it, with their number", async () => {
    const asked = async (hour: number, filter = "") =>
      (await issueList(context(), { project: 1, filter, period: lastDays(1, now), hour })).rows.map(
        ({ title, eventsInHour }) => ({ title, eventsInHour }),
      );
    expect(await asked(noon - 2 * hourMs)).toEqual([{ title: "total is undefined", eventsInHour: 1 }]);
    expect(await asked(noon)).toEqual([{ title: "total is undefined", eventsInHour: 1 }]);
    expect(await asked(noon - hourMs)).toEqual([]);
    expect(await asked(noon, "is:resolved")).toEqual([]);
  });

  it("open issues of the last 24 hours are counted as new", async () => {
    expect(await newIssueCount(context(), 1)).toBe(1);
    expect(await newIssueCount(context(now + dayMs), 1)).toBe(0);
  });

  it("an issue has numbers, a chart, distributions, the reason of its grouping, and the latest event", async () => {
    const number = (await store.issue(1, { id: (await store.event(1, error.eventId))?.issue ?? 0 }))?.number ?? 0;
    const answer = await issueByNumber(context(), 1, number, lastDays(7, now));
    expect(answer).toMatchObject({
      issue: { title: "total is undefined" },
      groups: [{ rule: "type-and-text", events: 2 }],
      latest: { eventId: error.eventId },
      releases: [{ release: "1.0.0", events: 2 }],
    });
    expect(answer?.distributions[0]).toEqual({ key: "route", total: 2, values: [{ value: "/cart", n: 2, share: 1 }] });
    expect(answer?.chart.reduce((sum, n) => sum + n, 0)).toBe(2);
    expect(await issueByNumber(context(), 2, number, lastDays(7, now))).toBeUndefined();
  });

  it("spans of a trace are titled by what they did, and link to the traces they name", async () => {
    const span = (name: string, links: object[], attributes = {}, op = "http.client") => ({
      traceId: hex("linking"),
      spanId: hex(name).slice(0, 16),
      name,
      op,
      startMs: now,
      endMs: now + 9,
      isSegment: false,
      status: "ok",
      attributes,
      links,
    });
    const to = (traceId: string, type?: string) => ({
      traceId,
      spanId: hex("other").slice(0, 16),
      attributes: type === undefined ? {} : { "sentry.link.type": type },
    });
    const spans = [
      span(
        "Navigation",
        [to(hex("trace"), "previous_trace"), to(hex("linking"))],
        { "url.path": "/next" },
        "navigation",
      ),
      span("/cart", [to(hex("ahead"))], {}, "navigation"),
      span("GET", [to(hex("trace"), "previous_trace")], {
        "http.request.method": "GET",
        "url.full": "http://a.test/b?c",
      }),
    ] as ReportedSpan[];
    const item: FiledSpans = {
      ...view({ at: now, name: "linking", release: "2.0.0", lcp: 1 }),
      traceId: hex("linking"),
      body: jsonOfSpans(spans),
      segments: [],
      measures: [],
    };
    for (const batch of batchesOf([item], 1, await store.appliedUpTo())) await store.commit(batch);
    const trace = await traceById(context(), 1, hex("linking"));
    expect(trace?.lines.map(({ span: { name } }) => name).sort()).toEqual(["/cart", "/next", "GET a.test/b"]);
    expect(trace?.links.map(({ relation, traceId, isKept, from }) => [relation, traceId, isKept, from.name])).toEqual([
      ["previous", hex("trace"), true, "/next"],
      ["prefetch", hex("ahead"), false, "/cart"],
    ]);
  });

  it("an event is found by its digest in any spelling, with feedback, neighbours and the visitor's path", async () => {
    const typed = digestOf(error.eventId).toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l");
    const answer = await eventByIdOrDigest(context(), 1, typed);
    expect(answer).toMatchObject({
      event: { eventId: error.eventId },
      digest: digestOf(error.eventId),
      feedback: [{ message: "my cart is gone" }],
    });
    expect(answer?.neighbours.older).toBeDefined();
    expect(answer?.path.map(({ kind }) => kind)).toEqual(["page", "error"]);
    expect(await eventByIdOrDigest(context(), 2, typed)).toBeUndefined();
    expect(await eventByIdOrDigest(context(), 1, "no digest")).toBeUndefined();
  });

  it("a trace has its spans as rows, with the error pinned to its span", async () => {
    const answer = await traceById(context(), 1, hex("trace"));
    expect(answer?.lines.map(({ span }) => span.name)).toEqual(["/cart"]);
    expect(answer?.errors.map(({ eventId, spanId, title }) => [eventId, spanId, title])).toEqual([
      [error.eventId, hex("trace").slice(0, 16), "Error: total is undefined"],
    ]);
    expect(await traceById(context(), 1, hex("nowhere"))).toBeUndefined();
  });

  it("the pages show views, quantiles, rated vitals, prefetches, full loads and errors of each route", async () => {
    const [cart] = await pages(context(), 1, lastDays(1, now));
    expect(cart).toMatchObject({
      route: "/cart",
      views: 41,
      errors: 2,
      prefetches: { stored: 10, fresh: 4 },
      navigations: { committed: 7 },
      fullLoads: { "timeout-data": 1 },
      vitals: { lcp: { count: 41, rating: "needs-improvement" } },
    });
    expect(cart?.load?.p75).toBeCloseTo(200, -1);
    expect((await pages(context(), 1, lastDays(30, now)))[0]?.views).toBe(41);
    const examples = { project: 1, route: "/cart", period: lastDays(1, now) };
    expect(await routeExamples(context(), { ...examples, minMs: 160, maxMs: 240 })).toHaveLength(10);
    expect(await routeExamples(context(), { ...examples, minMs: 4_000, maxMs: 6_000 })).toEqual([]);
  });

  it("the pages show what the server's cache did, and nothing for a page that is not cached", async () => {
    const [cart, ...others] = await pages(context(), 1, lastDays(1, now));
    expect(cart?.cache).toMatchObject({
      requests: 100,
      hitRate: 0.95,
      savedMs: 4_000,
      failing: 5,
      bypasses: { cookies: 3 },
    });
    expect(cart?.cache?.oldestMs).toBeCloseTo(7_200_000, -6);
    expect(others.filter(({ cache }) => cache)).toEqual([]);
  });

  it("the budget of each page is the one that its requests last declared", async () => {
    expect(await budgets(context(), 1)).toEqual({ "/cart": { lcpMs: 2_000, cls: 0.1 }, "/about": { loadMs: 900 } });
    expect(await budgets(context(), 2)).toEqual({});
  });

  it("releases show health, adoption, and what became slower", async () => {
    const [newest, before] = await releases(context(), 1);
    expect(newest).toMatchObject({ name: "2.0.0", adoption: 1, health: { crashed: 2 } });
    expect(newest?.change.lcp).toBeCloseTo(2_000, -2);
    expect(before).toMatchObject({ name: "1.0.0", adoption: 0, newIssues: 2 });
  });

  it("a release shows its commits since the previous one, as far as builds recorded them", async () => {
    const commit = (name: string) => ({ hash: hex(name), author: "Jo", at: noon, subject: name });
    const told = async () => (await releaseByName(context(), 1, "2.0.0"))?.commits;
    expect(await told()).toEqual({ kind: "unknown" });
    await store.addCommits(1, "2.0.0", ["c", "b", "a"].map(commit));
    expect(await told()).toEqual({ kind: "newest", commits: ["c", "b", "a"].map(commit) });
    await store.addCommits(1, "1.0.0", ["a"].map(commit));
    expect(await told()).toEqual({ kind: "since", release: "1.0.0", commits: ["c", "b"].map(commit) });
    expect(await releaseByName(context(), 1, "2.0.0")).toMatchObject({ before: "1.0.0", release: { adoption: 1 } });
    expect(await releaseByName(context(), 2, "2.0.0")).toBeUndefined();
  });

  it("the live stream has the newest first, then only what is new", async () => {
    const first = await live(context(), { project: 1 });
    expect(first.records.length).toBeGreaterThan(40);
    expect((await live(context(), { project: 1, after: first.after })).records).toEqual([]);
  });

  it("the live stream shows recent visitors, and the records of one of them, including those of servers", async () => {
    const visitor = visitorHash("jo@shop.test");
    expect((await liveVisitors(context(), 1)).filter((one) => one.visitor === visitor)).toMatchObject([
      { views: 1, errors: 1, route: "/cart", last: { at: noon, kind: "event" }, lastEventId: error.eventId },
    ]);
    expect(await liveVisitors(context(), 2)).toEqual([]);
    expect(await liveVisitors(context(now + 2 * dayMs), 1)).toEqual([]);
    const own = await live(context(), { project: 1, visitor });
    expect(own.records.map(({ kind }) => kind).sort()).toEqual(["event", "segment"]);
    expect(own.after).toBe((await live(context(), { project: 1 })).after);
    expect((await live(context(), { project: 1, visitor, after: own.after })).records).toEqual([]);
  });

  it("the search box leads to events, traces, issues or a filtered list", async () => {
    expect(await find(context(), 1, ` ${digestOf(error.eventId)} `)).toEqual({ kind: "event", eventId: error.eventId });
    expect(await find(context(), 1, error.eventId.toUpperCase())).toEqual({ kind: "event", eventId: error.eventId });
    expect(await find(context(), 1, hex("trace"))).toEqual({ kind: "trace", traceId: hex("trace") });
    expect(await find(context(), 1, "#1")).toEqual({ kind: "issue", number: 1 });
    expect(await find(context(), 1, "2.0.0")).toEqual({ kind: "release", name: "2.0.0" });
    expect(await find(context(), 2, "2.0.0")).toEqual({ kind: "issues", filter: "2.0.0" });
    expect(await find(context(), 1, "jo@shop.test")).toEqual({ kind: "visitor", visitor: visitorHash("jo@shop.test") });
    expect(await find(context(), 1, "https://shop.test/cart?x=1")).toEqual({ kind: "issues", filter: '"/cart"' });
    expect(await find(context(), 1, "is undefined")).toEqual({ kind: "issues", filter: "is undefined" });
  });
});

const place = { rowId: 0, project: 1, receivedAt: noon };

function view(fields: { at: number; name: string; release: string; lcp: number; visitor?: number }): FiledSpans {
  const { at, name, release, lcp } = fields;
  const [traceId, spanId] = [hex(name), hex(name).slice(0, 16)];
  const measure = (what: string, value: number) => ({ route: "/cart", measure: what, at, value, release });
  return {
    ...place,
    kind: "spans",
    traceId,
    key: 1,
    at,
    body: jsonOfSpans([
      {
        traceId,
        spanId,
        name: "/cart",
        startMs: at,
        endMs: at + 200,
        isSegment: true,
        status: "ok",
        attributes: {},
        links: [],
      },
    ]),
    segments: [
      {
        spanId,
        route: "/cart",
        op: "pageload",
        at,
        durationMs: 200,
        status: "ok",
        release,
        environment: undefined,
        visitor: fields.visitor,
        session: undefined,
      },
    ],
    counts: [],
    measures: [measure("pageload", 200), measure("request", 50), measure("lcp", lcp)],
  };
}
