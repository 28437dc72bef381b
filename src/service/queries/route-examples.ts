import type { ReportedSpan } from "#protocol";
import type { SegmentKind } from "../stores/filed.ts";
import type { SegmentRecord } from "../stores/records.ts";
import { commonTitle } from "./find-repeats.ts";
import type { QueryContext } from "./query-context.ts";
import type { RouteQuestion } from "./route-trend.ts";
import { spanTitle } from "./span-title.ts";

/** A view or request of a route, and what took longest in it. */
export interface RouteExample extends SegmentRecord {
  slowest: LongestPart | undefined;
}

/** A span, or several of one parent that do the same: `times` of them. */
export interface LongestPart {
  title: string;
  op: string | undefined;
  ms: number;
  times: number;
}

export interface ExamplesWanted extends RouteQuestion {
  /** Only these. */
  kind?: SegmentKind | undefined;
  minMs: number;
  maxMs?: number | undefined;
  /** The release that a change is blamed on. Others are shown only if it has none. */
  release?: string | undefined;
}

/** Enough to find ten that explain something. The spans of each are read. */
const tracesRead = 20;
const newestLookedAt = 100;
const examplesShown = 10;

/**
 * Finds the most telling traces of a route among the newest that took so long: first those whose longest part explains
 * most of their time, and of equal ones those with a known visitor.
 */
export async function routeExamples(
  { store }: QueryContext,
  { project, route, period, release, ...wanted }: ExamplesWanted,
): Promise<readonly RouteExample[]> {
  const { kind, minMs, maxMs } = wanted;
  const only = { ...(kind && { kind }), minMs, ...(maxMs && { maxMs }) };
  const newest = await store.segments({ project, route, ...period, ...only, limit: newestLookedAt });
  const own = release === undefined ? [] : newest.filter((segment) => segment.release === release);
  const slowest = (own.length > 0 ? own : newest).toSorted((a, b) => b.durationMs - a.durationMs).slice(0, tracesRead);
  const traces = [...new Set(slowest.map(({ traceId }) => traceId))];
  const spans = await store.spansOf(project, traces);
  const examples = slowest.map((segment) => ({
    ...segment,
    slowest: slowestPart(spans.get(segment.traceId) ?? [], segment.spanId),
  }));
  // The sort is stable: of equal ones the slowest remains first. A navigation and its request are one trace.
  const sorted = examples.toSorted((a, b) => telling(b) - telling(a));
  const firsts = new Map(sorted.toReversed().map((example) => [example.traceId, example]));
  return sorted.filter((example) => firsts.get(example.traceId) === example).slice(0, examplesShown);
}

/** Tenths of its time that the longest part explains; a known visitor decides between equal ones. */
function telling({ slowest, durationMs, visitor }: RouteExample): number {
  const explained = slowest === undefined || durationMs <= 0 ? 0 : Math.min(1, slowest.ms / durationMs);
  return Math.round(explained * 10) + (visitor === undefined ? 0 : 0.5);
}

/** The span below this one that took longest by itself, without the spans below it. Repeats count as one. */
export function slowestPart(spans: readonly ReportedSpan[], root: string): LongestPart | undefined {
  const children = Map.groupBy(spans, ({ parentSpanId }) => parentSpanId);
  const seen = new Set([root]);
  const open = [root];
  let longest: LongestPart | undefined;
  for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
    // Reports of clients may go in a circle.
    const below = (children.get(parent) ?? []).filter(({ spanId }) => !seen.has(spanId));
    for (const { spanId } of below) {
      if (!seen.has(spanId)) open.push(spanId);
      seen.add(spanId);
    }
    for (const alike of Map.groupBy(below, (span) => `${span.op ?? ""}\n${commonTitle(spanTitle(span))}`).values()) {
      const part = describePart(alike, children);
      if (longest === undefined || part.ms > longest.ms) longest = part;
    }
  }
  return longest;
}

function describePart(
  spans: readonly ReportedSpan[],
  children: ReadonlyMap<string | undefined, readonly ReportedSpan[]>,
): LongestPart {
  const titles = new Set(spans.map(spanTitle));
  const [title = ""] = titles;
  const own = spans.reduce((sum, span) => sum + ownTime(span, children.get(span.spanId) ?? []), 0);
  const startMs = spans.reduce((first, span) => Math.min(first, span.startMs), Number.POSITIVE_INFINITY);
  const endMs = spans.reduce((last, span) => Math.max(last, span.endMs), Number.NEGATIVE_INFINITY);
  // Those that run at the same time take no longer together than the time in which any of them runs.
  const together = endMs - startMs - ownTime({ startMs, endMs }, spans);
  return {
    title: titles.size === 1 ? title : commonTitle(title),
    op: spans[0]?.op,
    ms: Math.min(own, together),
    times: spans.length,
  };
}

/** Its time without that in which any of these runs. They may overlap. */
function ownTime({ startMs, endMs }: Pick<ReportedSpan, "startMs" | "endMs">, below: readonly ReportedSpan[]): number {
  let own = endMs - startMs;
  let covered = startMs;
  for (const child of below.toSorted((a, b) => a.startMs - b.startMs)) {
    const from = Math.max(covered, child.startMs);
    const to = Math.min(endMs, child.endMs);
    if (to <= from) continue;
    own -= to - from;
    covered = to;
  }
  return own;
}
