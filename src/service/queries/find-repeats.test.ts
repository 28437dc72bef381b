import { describe, expect, it } from "vitest";
import type { ReportedSpan } from "#protocol";
import { assembleTrace } from "./assemble-trace.ts";
import { findRepeats } from "./find-repeats.ts";

const nothingApart: ReadonlySet<string> = new Set();

describe("repeats of a trace", () => {
  it("repeats are the equal children of one span, also if they take turns with others", () => {
    const spans = [span({ id: "page", to: 100 })];
    for (let n = 0; n < 6; n++) {
      const at = n * 10;
      spans.push(query(`p${n}`, `SELECT price FROM items WHERE id = ${n}`, at, at + 4));
      spans.push(query(`s${n}`, `SELECT stock FROM items WHERE sku = 'a-${n}'`, at + 4, at + 8));
    }
    expect(repeatsOf(spans)).toEqual([
      {
        name: "SELECT price FROM items WHERE id = ?",
        times: 6,
        kind: "database",
        coveredMs: 24,
        waitMs: 24,
        shortestMs: 4,
        longestMs: 4,
        isInSequence: true,
        isNPlusOne: true,
      },
      expect.objectContaining({ name: "SELECT stock FROM items WHERE sku = ?", times: 6, isNPlusOne: true }),
    ]);
  });

  it("repeats keep their title if it is the same in all, and lists of values count as one value", () => {
    expect(repeatsOf(three("SELECT a WHERE id = $1", "SELECT a WHERE id = $1", "SELECT a WHERE id = $1"))).toEqual([
      expect.objectContaining({ name: "SELECT a WHERE id = $1", times: 3 }),
    ]);
    expect(repeatsOf(three("a IN (1, 2)", "a IN (4, 5, 6)", "a IN (7, 8, 9, 10)"))).toEqual([
      expect.objectContaining({ name: "a IN (?, …)" }),
    ]);
  });

  it("repeats are at least three, and at least five queries or requests in sequence are called N+1", () => {
    expect(repeatsOf(three("a", "a", "b"))).toEqual([]);
    expect(repeatsOf(three("a", "a", "a"))).toEqual([expect.objectContaining({ isNPlusOne: false })]);
    const five = (op: string, stepMs: number) =>
      repeatsOf([
        span({ id: "page", to: 100 }),
        ...Array.from({ length: 5 }, (_, n) =>
          span({ id: `q${n}`, name: "a", op, parent: "page", from: n * stepMs, to: n * stepMs + 10 }),
        ),
      ])[0];
    expect(five("db", 10)).toMatchObject({ isInSequence: true, isNPlusOne: true });
    expect(five("http.client", 10)).toMatchObject({ isNPlusOne: true });
    expect(five("function", 10)).toMatchObject({ isNPlusOne: false });
    expect(five("db", 1)).toMatchObject({ isInSequence: false, isNPlusOne: false, coveredMs: 14 });
  });

  it("repeats contain no failed span and no span that must stay visible", () => {
    const spans = [
      span({ id: "page", to: 100 }),
      ...["a", "b", "c", "d", "e"].map((id, n) => query(id, "SELECT 1", n, n + 1)),
      { ...query("f", "SELECT 1", 6, 7), status: "internal_error" },
    ];
    expect(repeatsOf(spans, new Set(["a"]))).toEqual([expect.objectContaining({ times: 4 })]);
  });

  it("repeats are not searched among children of different spans", () => {
    const spans = ["x", "y", "z"].flatMap((id, n) => [
      span({ id, name: id, parent: "page", from: n, to: n + 1 }),
      { ...query(`q${n}`, "SELECT 1", n, n + 1), parentSpanId: id },
    ]);
    expect(repeatsOf([span({ id: "page", to: 100 }), ...spans])).toEqual([]);
  });

  it("repeats count what was waited for below them too", () => {
    const spans = ["x", "y", "z"].flatMap((id, n) => [
      span({ id, name: "priceOf", parent: "page", from: n * 10, to: n * 10 + 10 }),
      { ...query(`q${n}`, "SELECT 1", n * 10 + 2, n * 10 + 8), parentSpanId: id },
    ]);
    expect(repeatsOf([span({ id: "page", to: 100 }), ...spans])).toEqual([
      expect.objectContaining({ name: "priceOf", times: 3, kind: "code", waitMs: 30 }),
    ]);
  });

  it("repeats are found among many spans without comparing each with each", () => {
    const many = Array.from({ length: 10_000 }, (_, n) => query(`q${n}`, `SELECT ${n}`, n, n + 1));
    expect(repeatsOf([span({ id: "page", to: 10_000 }), ...many])).toEqual([
      expect.objectContaining({ times: 10_000 }),
    ]);
  });
});

function repeatsOf(spans: readonly ReportedSpan[], apart = nothingApart) {
  return findRepeats(assembleTrace(spans).lines, apart).map(({ places, ...rest }) => ({
    times: places.length,
    ...rest,
  }));
}

function three(...names: readonly [string, string, string]): ReportedSpan[] {
  return [span({ id: "page", to: 100 }), ...names.map((name, n) => query(`q${n}`, name, n, n + 1))];
}

function query(id: string, name: string, from: number, to: number): ReportedSpan {
  return span({ id, name, op: "db.query", parent: "page", from, to });
}

function span(given: {
  id: string;
  name?: string;
  op?: string;
  parent?: string;
  from?: number;
  to: number;
}): ReportedSpan {
  const { id, name = id, op, parent, from = 0, to } = given;
  return {
    traceId: "t",
    spanId: id,
    name,
    startMs: from,
    endMs: to,
    isSegment: parent === undefined,
    status: "ok",
    attributes: {},
    links: [],
    ...(op !== undefined && { op }),
    ...(parent !== undefined && { parentSpanId: parent }),
  };
}
