import { setImmediate as nextTurn } from "node:timers/promises";
import type { ReportedSpan } from "#protocol";
import { quantileOf, type SketchSet, sketchCount } from "../sketches/quantile-sketch.ts";
import type { SegmentRecord } from "../stores/records.ts";
import type { StoreReader } from "../stores/store.ts";
import { assembleTrace, type TraceLine } from "./assemble-trace.ts";
import { type Period, stepOf } from "./period.ts";
import { spanTitle } from "./span-title.ts";

/** Traces of every route, with their spans. Spans are stored by trace, so that searching all of them is no option. */
export interface SpanSample {
  traces: readonly SampledTrace[];
  /** Page loads, navigations, requests and tasks that were read. */
  read: number;
  /** Those of the period that were measured. */
  measured: number;
}

export interface SampledTrace {
  traceId: string;
  lines: readonly TraceLine[];
  /** The request or page load that each line belongs to. Undefined if it is none of those that were asked for. */
  owners: readonly (SegmentRecord | undefined)[];
}

export interface SampleWish {
  project: number;
  period: Period;
  isRoute: (route: string) => boolean;
  isWanted: (segment: SegmentRecord) => boolean;
  /** Only those that took so long. */
  minMs?: number | undefined;
  /** How many traces are read. */
  mostTraces: number;
  /** Also the slow ones of each route: what is rare is there. */
  withSlow?: boolean;
}

/** Those with the most time. An application has fewer, except for invented ones. */
const mostRoutes = 80;
const fewestOfRoute = 5;
/** Rows of which the wanted ones are chosen, for each wanted one. */
const rowsForEach = 4;
/** Between so many traces, other work of the thread has a turn. */
const tracesAtOnce = 20;

const ownMeasures = ["request", "pageload", "navigation", "task"];

/** Reads the newest traces of each route, as many of each, so that a frequent route does not hide the others. */
export async function sampleSpans(store: StoreReader, wish: SampleWish): Promise<SpanSample> {
  const { project, period } = wish;
  const byRoute = await store.measuresByRoute({ project, step: stepOf(period), ...period });
  const routes = [...byRoute]
    .filter(([route]) => route !== "" && wish.isRoute(route))
    .map(([route, sketches]) => ({ route, ...timeOf(sketches) }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.totalMs - a.totalMs)
    .slice(0, Math.min(mostRoutes, Math.ceil(wish.mostTraces / fewestOfRoute)));
  const each = Math.max(fewestOfRoute, Math.floor(wish.mostTraces / Math.max(1, routes.length)));
  const segments: SegmentRecord[] = [];
  for (const { route, p95 } of routes) {
    const newest = await segmentsOf(store, { ...wish, route, limit: each });
    const slow = wish.withSlow
      ? await segmentsOf(store, { ...wish, route, minMs: p95, limit: Math.ceil(each / 2) })
      : [];
    segments.push(...newest, ...slow);
  }
  const traces = await readTraces(store, project, segments);
  const read = new Set(segments.map(({ spanId }) => spanId)).size;
  const measured = routes.reduce((sum, { count }) => sum + count, 0);
  // Prefetches are not measured: no visitor waits for them.
  return { traces, read, measured: Math.max(read, measured) };
}

function timeOf(sketches: SketchSet): { count: number; totalMs: number; p95: number } {
  let [count, totalMs, p95] = [0, 0, 0];
  for (const name of ownMeasures) {
    const sketch = sketches.get(name);
    if (sketch === undefined) continue;
    const n = sketchCount(sketch);
    count += n;
    totalMs += n * (quantileOf(sketch, 0.5) ?? 0);
    p95 = Math.max(p95, quantileOf(sketch, 0.95) ?? 0);
  }
  return { count, totalMs, p95 };
}

async function segmentsOf(
  store: StoreReader,
  { project, period, route, minMs, limit, isWanted }: SampleWish & { route: string; limit: number },
): Promise<readonly SegmentRecord[]> {
  const newest = await store.segments({
    project,
    route,
    ...period,
    ...(minMs !== undefined && { minMs }),
    limit: limit * rowsForEach,
  });
  return newest.filter(isWanted).slice(0, limit);
}

async function readTraces(
  store: StoreReader,
  project: number,
  segments: readonly SegmentRecord[],
): Promise<readonly SampledTrace[]> {
  const owners = new Map(segments.map((segment) => [segment.spanId, segment]));
  const ids = [...new Set(segments.map(({ traceId }) => traceId))];
  const traces: SampledTrace[] = [];
  for (let from = 0; from < ids.length; from += tracesAtOnce) {
    for (const [traceId, spans] of await store.spansOf(project, ids.slice(from, from + tracesAtOnce)))
      traces.push(traceOf(traceId, spans, owners));
    await nextTurn();
  }
  return traces;
}

function traceOf(
  traceId: string,
  spans: readonly ReportedSpan[],
  segments: ReadonlyMap<string, SegmentRecord>,
): SampledTrace {
  const { lines } = assembleTrace(spans.map((span) => ({ ...span, name: spanTitle(span) })));
  const above: (SegmentRecord | undefined)[] = [];
  const owners = lines.map(({ span, depth }) => {
    above.length = depth;
    const owner = segments.get(span.spanId) ?? above.at(-1);
    above.push(owner);
    return owner;
  });
  return { traceId, lines, owners };
}
