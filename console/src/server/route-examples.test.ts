import { describe, expect, it } from "vitest";
import { chooseTraces } from "./route-examples.ts";
import type { RouteTrend } from "./trend-line.ts";

type MeasureTrend = RouteTrend["measures"][number];

const period = { from: 1_000, to: 9_000 };

function measured(measure: MeasureTrend["measure"], p75: number, times?: number): MeasureTrend {
  const change = { since: 5_000, release: "shop@2", before: 1, after: p75 * 2, times };
  return {
    measure,
    whole: { count: 100, p50: p75 / 2, p75, p95: p75 * 2 },
    p75: [],
    p95: [],
    change: times === undefined ? undefined : change,
  };
}

function choose(measures: MeasureTrend[], search = "") {
  const none = { values: [], total: 0, change: undefined };
  const trend = { route: "/cart", from: 0, stepMs: 1, views: [], releases: [], worst: undefined };
  return chooseTraces({ ...trend, measures, errors: none, fullLoads: none }, new URLSearchParams(search), period);
}

describe("the traces of a route", () => {
  it("the traces are slow ones since the largest change for the worse", () => {
    const chosen = choose([
      measured("pageload", 400, 0.2),
      measured("navigation", 300, 1.5),
      measured("request", 100, 3),
    ]);
    expect(chosen).toMatchObject({
      title: "Slow requests to the server",
      kind: "request",
      period: { from: 5_000, to: 9_000 },
      minMs: 196,
      change: { release: "shop@2" },
    });
  });

  it("the traces are of every kind if nothing has become slower", () => {
    expect(choose([measured("pageload", 400), measured("request", 100, 0.3)])).toEqual({
      title: "Traces",
      kind: undefined,
      period,
      minMs: 0,
      change: undefined,
    });
  });

  it("the traces are those of the number that a person has chosen", () => {
    const measures = [
      measured("pageload", 400, 4),
      measured("request", 100),
      measured("lcp", 900),
      measured("cls", 0.1),
    ];
    expect(choose(measures, "measure=request")).toMatchObject({ kind: "request", period, minMs: 98 });
    // A vital is one of a page load, whose duration says nothing about the layout.
    expect(choose(measures, "measure=lcp")).toMatchObject({ kind: "pageload", period, minMs: 784 });
    expect(choose(measures, "measure=cls")).toMatchObject({ title: "Page loads", kind: "pageload", minMs: 0 });
    expect(choose(measures, "measure=request&around=100")).toMatchObject({ kind: "request", minMs: 80, maxMs: 120 });
    expect(choose(measures, "measure=views")).toMatchObject({ kind: undefined, period, minMs: 0 });
    expect(choose(measures, "measure=toString&around=x")).toMatchObject({ kind: "pageload", change: { times: 4 } });
  });
});
