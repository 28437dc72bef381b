import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ReportedSpan } from "#protocol";
import type { FiledItem } from "../stores/filed.ts";
import { batchesOf, hex, noon } from "../stores/filed-examples.ts";
import { openSqliteStore } from "../stores/sqlite/open-sqlite-store.ts";
import { jsonOfSpans } from "../stores/values/spans-json.ts";
import { routeExamples, slowestPart } from "./route-examples.ts";

function span(spanId: string, parentSpanId: string, startMs: number, endMs: number, name = spanId): ReportedSpan {
  return {
    traceId: "t",
    spanId,
    parentSpanId,
    name,
    op: "db",
    startMs,
    endMs,
    isSegment: false,
    status: "ok",
    attributes: {},
    links: [],
  };
}

interface View {
  name: string;
  at: number;
  ms: number;
  release?: string;
  visitor?: number;
  kind?: "pageload" | "request";
  /** Time of its one query. */
  query?: number;
  /** Without one, a trace of its own. */
  trace?: string;
}

function view({ name, at, ms, release = "shop@2", visitor, kind = "pageload", query, trace = name }: View): FiledItem {
  const traceId = hex(trace);
  const spanId = hex(name).slice(0, 16);
  const queries = query === undefined ? [] : [span("q", spanId, at, at + query, "SELECT price")];
  return {
    kind: "spans",
    rowId: 0,
    project: 1,
    receivedAt: at,
    traceId,
    key: Number.parseInt(spanId.slice(0, 8), 16),
    at,
    body: jsonOfSpans(queries),
    segments: [
      {
        spanId,
        route: "/cart",
        op: kind,
        at,
        durationMs: ms,
        status: "ok",
        release,
        environment: undefined,
        visitor,
        session: undefined,
      },
    ],
    measures: [],
    counts: [],
  };
}

/** The names of the examples, in their order. */
async function examplesOf(
  views: readonly View[],
  wanted: Partial<Parameters<typeof routeExamples>[1]> = {},
): Promise<readonly (string | undefined)[]> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-examples-"));
  const store = openSqliteStore({ folder });
  try {
    for (const batch of batchesOf(views.map(view))) await store.commit(batch);
    const period = { from: noon - 1_000, to: noon + 100_000 };
    const question = { project: 1, route: "/cart", period, minMs: 500, ...wanted };
    const examples = await routeExamples({ store, now: noon }, question);
    return examples.map(({ spanId }) => views.find(({ name }) => hex(name).startsWith(spanId))?.name);
  } finally {
    store.close();
    rmSync(folder, { recursive: true });
  }
}

describe("the examples of a route", () => {
  const views: View[] = [
    { name: "unexplained", at: noon, ms: 9_000 },
    { name: "explained", at: noon + 1, ms: 1_000, query: 900 },
    { name: "explained, with a visitor", at: noon + 2, ms: 900, query: 810, visitor: 7 },
    { name: "quick", at: noon + 3, ms: 400, query: 400 },
    { name: "of the release before", at: noon + 4, ms: 2_000, query: 2_000, release: "shop@1" },
    { name: "a request", at: noon + 5, ms: 700, query: 350, kind: "request" },
  ];

  it("examples are slow ones, first those that explain most and have a visitor", async () => {
    expect(await examplesOf(views)).toEqual([
      "of the release before",
      "explained, with a visitor",
      "explained",
      "a request",
      "unexplained",
    ]);
  });

  it("examples are of the release and the kind that are asked for", async () => {
    expect(await examplesOf(views, { release: "shop@2", kind: "pageload" })).toEqual([
      "explained, with a visitor",
      "explained",
      "unexplained",
    ]);
    expect(await examplesOf(views, { kind: "request" })).toEqual(["a request"]);
  });

  it("examples are those of other releases if that one has none", async () => {
    expect(await examplesOf(views, { release: "shop@9", kind: "request" })).toEqual(["a request"]);
  });

  it("examples have each trace once, with the part of it that explains more", async () => {
    const [trace, at] = ["both", noon];
    const parts: View[] = [
      { name: "the load", at, ms: 2_000, trace },
      { name: "its request", at, ms: 1_000, query: 900, kind: "request", trace },
    ];
    expect(await examplesOf(parts)).toEqual(["its request"]);
  });

  it("examples are ten of the hundred newest", async () => {
    const many = Array.from({ length: 101 }, (_, n) => ({ name: `view ${n}`, at: noon + n, ms: 1_000 - n, query: 10 }));
    const found = await examplesOf(many);
    expect(found).toHaveLength(10);
    // The slowest is the oldest, and no longer among them.
    expect(found[0]).toBe("view 1");
  });
});

describe("the longest part", () => {
  it("is the one that took longest without the spans below it", () => {
    const spans = [
      span("load", "root", 0, 100),
      span("query", "load", 10, 70),
      span("other", "load", 60, 90),
      span("elsewhere", "unknown", 0, 900),
    ];
    expect(slowestPart(spans, "root")).toEqual({ title: "query", op: "db", ms: 60, times: 1 });
    expect(slowestPart(spans, "load")).toMatchObject({ title: "query" });
  });

  it("is a group of spans that differ in values only, with the time in which any of them ran", () => {
    const queries = (count: number, after: number) =>
      Array.from({ length: count }, (_, n) =>
        span(`q${n}`, "load", n * after, n * after + 10, `SELECT price WHERE id = ${n}`),
      );
    const load = span("load", "root", 0, 100, "load /cart");
    const title = "SELECT price WHERE id = ?";
    expect(slowestPart([load, ...queries(9, 10)], "root")).toEqual({ title, op: "db", ms: 90, times: 9 });
    expect(slowestPart([load, ...queries(9, 1)], "load")).toMatchObject({ title, ms: 18, times: 9 });
  });

  it("is unknown where there is none, and is found in a circle", () => {
    expect(slowestPart([], "root")).toBeUndefined();
    const circle = [span("a", "root", 0, 5), span("b", "a", 0, 5), span("a", "b", 0, 5)];
    expect(slowestPart(circle, "root")).toMatchObject({ ms: 0 });
  });
});
