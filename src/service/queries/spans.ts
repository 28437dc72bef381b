import { type FilterTerm, type IssueFilter, readFilter } from "../stores/filter-language.ts";
import { type Filtered, matcherOf, textsOf } from "../stores/match-terms.ts";
import type { SegmentRecord } from "../stores/records.ts";
import type { TraceLine } from "./assemble-trace.ts";
import { commonTitle } from "./find-repeats.ts";
import type { Period } from "./period.ts";
import type { QueryContext } from "./query-context.ts";
import { sampleSpans } from "./sample-spans.ts";
import { scanLimits } from "./scan-limits.ts";
import type { SpanKind } from "./span-kind.ts";

export interface SpansQuestion {
  project: number;
  /**
   * In the filter language: words of the description, `op:`, `status:`, `duration:>500`, `route:`, `environment:`,
   * `release:`, and names of attributes.
   */
  filter: string;
  period: Period;
}

export interface SpansAnswer {
  /** Those that take most time first. */
  groups: readonly SpanGroup[];
  /** The slowest, one of each trace. */
  examples: readonly SpanExample[];
  /** Requests and page loads that were read, of those in the period. */
  read: number;
  measured: number;
}

/** Spans that do the same and differ in values at most. */
export interface SpanGroup {
  op: string | undefined;
  title: string;
  kind: SpanKind;
  count: number;
  failed: number;
  p50: number;
  p95: number;
  totalMs: number;
  /** Where they were, the most frequent first. */
  routes: readonly string[];
  slowest: SpanExample;
}

export interface SpanExample {
  traceId: string;
  spanId: string;
  op: string | undefined;
  title: string;
  kind: SpanKind;
  at: number;
  durationMs: number;
  status: string;
  route: string;
}

const mostGroups = 100;
const mostExamples = 30;
const routesShown = 3;

/** Searches the spans of the newest traces of each route. */
export async function spans(
  { store, limits = scanLimits }: QueryContext,
  question: SpansQuestion,
): Promise<SpansAnswer> {
  const { project, period } = question;
  const filter = readFilter(question.filter);
  const fits = spanMatcher(filter);
  const sample = await sampleSpans(store, { project, period, mostTraces: limits.traces, ...segmentWish(filter) });
  const found: SpanExample[] = [];
  for (const { traceId, lines, owners } of sample.traces)
    for (const [place, line] of lines.entries()) {
      const owner = owners[place];
      if (owner !== undefined && fits(line, owner)) found.push(exampleOf(traceId, line, owner));
    }
  const groups = Map.groupBy(found, ({ op, title }) => `${op ?? ""}\n${commonTitle(title)}`);
  return {
    groups: [...groups.values()].map(groupOf).sort(byTime).slice(0, mostGroups),
    examples: slowestOfEach(found).slice(0, mostExamples),
    read: sample.read,
    measured: sample.measured,
  };
}

function exampleOf(traceId: string, { span, kind, durationMs }: TraceLine, { route }: SegmentRecord): SpanExample {
  const { spanId, op, name, startMs, status } = span;
  return { traceId, spanId, op, title: name, kind, at: startMs, durationMs, status, route };
}

function groupOf(all: readonly SpanExample[]): SpanGroup {
  const sorted = all.toSorted((a, b) => a.durationMs - b.durationMs);
  const titles = new Set(all.map(({ title }) => title));
  const routes = [...Map.groupBy(all, ({ route }) => route)].sort(([, a], [, b]) => b.length - a.length);
  // A group has at least one.
  const slowest = sorted.at(-1) as SpanExample;
  return {
    op: slowest.op,
    title: titles.size === 1 ? slowest.title : commonTitle(slowest.title),
    kind: slowest.kind,
    count: all.length,
    failed: all.filter(({ status }) => isFailure(status)).length,
    p50: atShare(sorted, 0.5),
    p95: atShare(sorted, 0.95),
    totalMs: all.reduce((sum, { durationMs }) => sum + durationMs, 0),
    routes: routes.slice(0, routesShown).map(([route]) => route),
    slowest,
  };
}

function byTime(a: SpanGroup, b: SpanGroup): number {
  return b.totalMs - a.totalMs || (a.title < b.title ? -1 : 1);
}

/** Of a sorted list. */
function atShare(sorted: readonly SpanExample[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]?.durationMs ?? 0;
}

function slowestOfEach(found: readonly SpanExample[]): readonly SpanExample[] {
  const byTrace = new Map<string, SpanExample>();
  for (const example of found.toSorted((a, b) => b.durationMs - a.durationMs))
    if (!byTrace.has(example.traceId)) byTrace.set(example.traceId, example);
  return [...byTrace.values()];
}

export function isFailure(status: string): boolean {
  return status !== "ok" && status !== "unset" && status !== "cancelled";
}

const segmentFields: ReadonlySet<string> = new Set(["route", "environment", "release"]);

/** What the rows of segments know already, so that other traces are not read. */
export function segmentWish(filter: IssueFilter): {
  isRoute: (route: string) => boolean;
  isWanted: (segment: SegmentRecord) => boolean;
  minMs: number | undefined;
} {
  const terms = filter.terms.filter(({ field }) => segmentFields.has(field));
  const ofRoute = matcherOf({ words: [], terms: terms.filter(({ field }) => field === "route") });
  const all = matcherOf({ words: [], terms });
  const bounds = filter.terms.flatMap((term) => boundOf(term) ?? []);
  return {
    isRoute: (route) => ofRoute({ text: "", valuesOf: () => [route] }),
    isWanted: ({ route, environment, release }) =>
      all({
        text: "",
        valuesOf: (field) => [{ route, environment, release }[field as "route" | "environment" | "release"] ?? ""],
      }),
    // A span takes no longer than its request, with few exceptions.
    minMs: bounds.find(({ isLeast, not }) => isLeast && !not)?.ms,
  };
}

/** Returns whether a span matches. What its segment knows was compared before. */
function spanMatcher(filter: IssueFilter): (line: TraceLine, owner: SegmentRecord) => boolean {
  const bounds = filter.terms.flatMap((term) => boundOf(term) ?? []);
  const others = filter.terms.filter((term) => !segmentFields.has(term.field) && boundOf(term) === undefined);
  const matches = matcherOf({ words: filter.words, terms: others });
  return (line, owner) =>
    bounds.every(({ ms, isLeast, not }) => (isLeast ? line.durationMs >= ms : line.durationMs <= ms) !== not) &&
    matches(filteredSpan(line, owner));
}

function filteredSpan({ span, kind }: TraceLine, { kind: segment }: SegmentRecord): Filtered {
  return {
    text: `${span.name} ${span.op ?? ""}`,
    valuesOf: (field, key) => {
      switch (key ?? field) {
        case "op":
        case "operation":
          return span.op === undefined ? [] : [span.op];
        case "description":
          return [span.name];
        case "status":
          return isFailure(span.status) ? [span.status, "error"] : [span.status, "ok"];
        case "kind":
          return [kind, segment];
        case "trace":
          return [span.traceId];
        default:
          return textsOf(span.attributes, [key ?? field]);
      }
    },
  };
}

interface DurationBound {
  ms: number;
  isLeast: boolean;
  not: boolean;
}

/** `duration:>500`, `duration:>1.5s`, `duration:<20ms`. Without a sign, at least so long. */
function boundOf({ key, value, not }: FilterTerm): DurationBound | undefined {
  if (key !== "duration") return undefined;
  const [, sign, number, unit] = /^([<>]?)=?(\d+(?:\.\d+)?)(ms|s)?$/.exec(value) ?? [];
  if (number === undefined) return undefined;
  return { ms: Number(number) * (unit === "s" ? 1_000 : 1), isLeast: sign !== "<", not };
}
