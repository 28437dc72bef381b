import { describe, expect, it } from "vitest";
import type { ReportedSpan } from "#protocol";
import { assembleTrace } from "./assemble-trace.ts";

describe("a trace", () => {
  it("is assembled from spans in any order", () => {
    const { lines } = assembleTrace([
      span("query", 30, 60, "load"),
      span("load", 20, 80, "page"),
      span("page", 0, 100),
      span("style", 5, 15, "page"),
    ]);
    expect(lines.map(({ span: { name }, depth }) => [name, depth])).toEqual([
      ["page", 0],
      ["style", 1],
      ["load", 1],
      ["query", 2],
    ]);
  });

  it("shows the self time of a span, however its children overlap", () => {
    const { lines } = assembleTrace([
      span("page", 0, 100),
      span("a", 10, 50, "page"),
      span("b", 40, 60, "page"),
      span("late", 90, 130, "page"),
    ]);
    expect(lines[0]).toMatchObject({ durationMs: 100, selfMs: 40 });
  });

  it("marks the critical path", () => {
    const { lines } = assembleTrace([
      span("page", 0, 100),
      span("fast", 10, 30, "page"),
      span("slow", 10, 90, "page"),
      span("inner", 50, 90, "slow"),
    ]);
    expect(lines.filter(({ onCriticalPath }) => onCriticalPath).map(({ span: { name } }) => name)).toEqual([
      "page",
      "slow",
      "inner",
    ]);
  });

  it("divides the critical path among its spans, without gaps and overlaps", () => {
    const { lines } = assembleTrace([
      span("page", 0, 100),
      span("fast", 10, 30, "page"),
      span("slow", 10, 90, "page"),
      span("inner", 50, 70, "slow"),
      span("late", 95, 140, "page"),
      span("early clock", -5, 8, "page"),
    ]);
    const waits = Object.fromEntries(
      lines.map(({ span: { name }, waits }) => [name, waits.map(({ fromMs, toMs }) => [fromMs, toMs])]),
    );
    expect(waits).toEqual({
      page: [
        [8, 10],
        [90, 100],
      ],
      "early clock": [[0, 8]],
      fast: [],
      slow: [
        [10, 50],
        [70, 90],
      ],
      inner: [[50, 70]],
      late: [],
    });
  });

  it("shows spans whose parent never arrived", () => {
    const { lines } = assembleTrace([span("orphan", 0, 10, "nowhere"), span("page", 5, 20)]);
    expect(lines.map(({ span: { name }, isOrphan }) => [name, isOrphan])).toEqual([
      ["orphan", true],
      ["page", false],
    ]);
  });

  it("accepts cycles, spans that are their own parent, and duplicate ids", () => {
    const { lines } = assembleTrace([
      span("a", 0, 1, "b"),
      span("b", 0, 1, "a"),
      span("self", 0, 1, "self"),
      span("self", 0, 1, "self"),
    ]);
    expect(lines.map(({ span: { name } }) => name).sort()).toEqual(["a", "b", "self"]);
  });

  it("accepts a chain of five thousand spans", () => {
    const chain = Array.from({ length: 5_000 }, (_, n) => span(`s${n}`, n, 10_000, n === 0 ? undefined : `s${n - 1}`));
    expect(assembleTrace(chain).lines.at(-1)?.depth).toBe(4_999);
  });
});

function span(name: string, startMs: number, endMs: number, parentSpanId?: string): ReportedSpan {
  return {
    traceId: "t",
    spanId: name,
    name,
    startMs,
    endMs,
    isSegment: parentSpanId === undefined,
    status: "ok",
    attributes: {},
    links: [],
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
  };
}
