import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ReportedSpan } from "#protocol";
import { hourMs } from "../clock.ts";
import type { FiledItem } from "../stores/filed.ts";
import { anEvent, batchesOf, hex, noon } from "../stores/filed-examples.ts";
import { openSqliteStore } from "../stores/sqlite/open-sqlite-store.ts";
import type { Store } from "../stores/store.ts";
import { jsonOfSpans } from "../stores/values/spans-json.ts";
import { environments } from "./environments.ts";
import { logs } from "./logs.ts";
import { scanLimitsOf } from "./scan-limits.ts";
import { slowQueries } from "./slow-queries.ts";
import { spans } from "./spans.ts";

interface Query {
  statement: string;
  ms: number;
  status?: string;
}

interface Asked {
  name: string;
  route: string;
  queries: readonly Query[];
  environment?: string;
}

/** A request whose queries run one after the other. */
function request({ name, route, queries, environment = "production" }: Asked): FiledItem {
  const at = noon - 60_000;
  const [traceId, spanId] = [hex(name), hex(`root ${name}`).slice(0, 16)];
  const common = { traceId, attributes: {}, links: [], origin: "test" };
  let end = at;
  const below = queries.map(({ statement, ms, status = "ok" }, n): ReportedSpan => {
    const startMs = end;
    end += ms;
    const own = { spanId: hex(`${name} ${n}`).slice(0, 16), parentSpanId: spanId, name: statement, op: "db.query" };
    return { ...common, ...own, startMs, endMs: end, isSegment: false, status };
  });
  const durationMs = end - at + 1;
  const root = { spanId, name: route, op: "http.server", startMs: at, endMs: end + 1, isSegment: true, status: "ok" };
  const facts = { environment, release: "shop@1", visitor: undefined, session: undefined };
  return {
    kind: "spans",
    rowId: 0,
    project: 1,
    receivedAt: at,
    traceId,
    key: 1,
    at,
    body: jsonOfSpans([{ ...common, ...root }, ...below]),
    segments: [{ spanId, route, op: "request", at, durationMs, status: "ok", ...facts }],
    measures: [{ route, measure: "request", at, value: durationMs, release: "shop@1" }],
    counts: [],
  };
}

describe("spans of a shop", () => {
  let folder: string;
  let store: Store;
  const period = { from: noon - hourMs, to: noon };
  const context = () => ({ store, now: noon });
  const search = (filter: string) => spans(context(), { project: 1, filter, period });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-spans-"));
    store = openSqliteStore({ folder });
    const prices = Array.from({ length: 6 }, (_, n) => ({ statement: `SELECT price WHERE id = '${n}'`, ms: 5 }));
    const items = [
      ...Array.from({ length: 3 }, (_, n) => request({ name: `cart ${n}`, route: "/cart", queries: prices })),
      request({ name: "search", route: "/search", queries: [{ statement: "SELECT words", ms: 400 }] }),
      request({ name: "fast", route: "/search", queries: [{ statement: "SELECT words", ms: 4 }] }),
      request({
        name: "staged",
        route: "/search",
        environment: "staging",
        queries: [{ statement: "UPDATE stock", ms: 9, status: "internal_error" }],
      }),
    ];
    for (const batch of batchesOf(items)) await store.commit(batch);
  });

  afterAll(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });

  it("spans that differ in values are one group with its count, percentiles, total and slowest example", async () => {
    const { groups, read, measured } = await search("op:db*");
    expect({ read, measured }).toEqual({ read: 6, measured: 6 });
    expect(groups.map(({ title, count, p50, totalMs, failed }) => ({ title, count, p50, totalMs, failed }))).toEqual([
      { title: "SELECT words", count: 2, p50: 400, totalMs: 404, failed: 0 },
      { title: "SELECT price WHERE id = ?", count: 18, p50: 5, totalMs: 90, failed: 0 },
      { title: "UPDATE stock", count: 1, p50: 9, totalMs: 9, failed: 1 },
    ]);
    expect(groups[0]?.slowest).toMatchObject({ traceId: hex("search"), route: "/search", durationMs: 400 });
  });

  it("spans are found by words, duration, status, route and environment", async () => {
    const titles = async (filter: string) => (await search(filter)).groups.map(({ title }) => title).toSorted();
    expect(await titles("words")).toEqual(["SELECT words"]);
    expect(await titles("op:db.query duration:>100")).toEqual(["SELECT words"]);
    expect(await titles("op:db.query duration:<0.1s -price")).toEqual(["SELECT words", "UPDATE stock"]);
    expect(await titles("status:error")).toEqual(["UPDATE stock"]);
    expect(await titles("op:db* route:/ca*")).toEqual(["SELECT price WHERE id = ?"]);
    expect(await titles("op:db* environment:staging")).toEqual(["UPDATE stock"]);
  });

  it("environments are those of sessions, logs and the newest issues", async () => {
    const row = { rowId: 0, project: 7, receivedAt: noon };
    const line = { at: noon, level: "info", body: "x", attributes: { "sentry.environment": "staging" } } as const;
    const session = {
      sessionId: "s",
      startedAt: noon,
      ended: "well",
      release: undefined,
      environment: "test",
    } as const;
    const items: FiledItem[] = [
      { ...anEvent(), project: 7 },
      { ...row, kind: "logs", lines: [line] },
      { ...row, kind: "session", ...session },
    ];
    // Rows of their own: the first batch has the places from zero on.
    for (const batch of batchesOf(items, items.length, 1_000_000)) await store.commit(batch);
    expect(await environments(context(), 7)).toEqual(["production", "staging", "test"]);
    expect(await environments(context(), 8)).toEqual([]);
  });

  it("searches read as many traces and lines as the operator allows, and a query is slow when the operator says", async () => {
    const set = (env: NodeJS.ProcessEnv) => ({ ...context(), limits: scanLimitsOf(env) });
    const few = set({ HOLDFAST_TRACES_SEARCHED: "5" });
    expect(await spans(few, { project: 1, filter: "", period })).toMatchObject({ read: 3, measured: 3 });
    const patient = set({ HOLDFAST_SLOW_QUERY_MS: "500" });
    const kinds = (await slowQueries(patient, { project: 1, filter: "", period })).map(({ kind }) => kind);
    expect(kinds).toEqual(["repeated"]);
    const row = { rowId: 0, project: 9, receivedAt: noon };
    const lines = [1, 2, 3, 4].map((n) => ({
      at: noon - n,
      level: "info" as const,
      body: `line ${n}`,
      attributes: {},
    }));
    const blocks = lines.map((line): FiledItem => ({ ...row, kind: "logs", lines: [line] }));
    for (const batch of batchesOf(blocks, blocks.length, 2_000_000)) await store.commit(batch);
    const question = { project: 9, filter: "line", period };
    expect(await logs(context(), question)).toMatchObject({ lines: { length: 4 }, searchedFrom: undefined });
    const page = await logs(set({ HOLDFAST_LOG_LINES_SEARCHED: "2" }), question);
    expect([page.lines.length < 4, page.next === undefined, page.searchedFrom === undefined]).toEqual([
      true,
      false,
      false,
    ]);
    expect(scanLimitsOf({ HOLDFAST_LOG_LINES_EXPORTED: "7" }).exportedLines).toBe(7);
    expect(() => scanLimitsOf({ HOLDFAST_TRACES_SEARCHED: "all" })).toThrow("[service-wrong-search-limit]");
  });

  it("repeated and slow queries are found by themselves, with cost and example, the most costly first", async () => {
    const findings = await slowQueries(context(), { project: 1, filter: "", period });
    expect(findings).toMatchObject([
      { kind: "slow", route: "/search", statement: "SELECT words", times: 1, costMs: 400, requests: 1, readOfRoute: 3 },
      { kind: "repeated", route: "/cart", statement: "SELECT price WHERE id = ?", times: 6, costMs: 30, requests: 3 },
    ]);
    expect(findings[0]?.example.traceId).toBe(hex("search"));
    expect(await slowQueries(context(), { project: 1, filter: "route:/cart", period })).toHaveLength(1);
    expect(await slowQueries(context(), { project: 1, filter: "env:staging", period })).toEqual([]);
  });
});
