import { readFilter } from "../stores/filter-language.ts";
import type { TraceLine } from "./assemble-trace.ts";
import { commonTitle, findRepeats } from "./find-repeats.ts";
import type { Period } from "./period.ts";
import type { QueryContext } from "./query-context.ts";
import { type SampledTrace, sampleSpans } from "./sample-spans.ts";
import { scanLimits } from "./scan-limits.ts";
import { segmentWish } from "./spans.ts";

export interface SlowQueriesQuestion {
  project: number;
  /** In the filter language, as far as it is about routes, environments and releases. */
  filter: string;
  period: Period;
}

/** What a route does too often or too slowly. */
export interface QueryFinding {
  /** `repeated`: one query per element of a list, where one for all would do. `slow`: a single query takes long. */
  kind: "repeated" | "slow";
  route: string;
  op: string | undefined;
  /** Without its values. */
  statement: string;
  /** Requests in which it was found, of those of the route that were read. */
  requests: number;
  readOfRoute: number;
  /** In one request: the most repeats, or the most slow ones. */
  times: number;
  /** What one request waits for it: in the middle of those in which it was found. */
  costMs: number;
  /** In all of them. */
  totalMs: number;
  example: { traceId: string; spanId: string };
}

const mostFindings = 50;

/** Finds repeated and slow queries in the newest and the slowest traces of each route, the most costly first. */
export async function slowQueries(
  { store, limits = scanLimits }: QueryContext,
  { project, period, filter }: SlowQueriesQuestion,
): Promise<readonly QueryFinding[]> {
  const wish = segmentWish(readFilter(filter));
  const mostTraces = limits.traces;
  const { traces } = await sampleSpans(store, {
    project,
    period,
    mostTraces,
    ...wish,
    minMs: undefined,
    withSlow: true,
  });
  const readOfRoute = new Map<string, number>();
  for (const { route } of new Set(traces.flatMap(({ owners }) => owners.flatMap((owner) => owner ?? []))))
    readOfRoute.set(route, (readOfRoute.get(route) ?? 0) + 1);
  const found = traces.flatMap((trace) => [...repeatsIn(trace), ...slowOnesIn(trace, limits.slowQueryMs)]);
  const groups = Map.groupBy(found, ({ kind, route, op, statement }) => [kind, route, op, statement].join("\n"));
  return [...groups.values()]
    .map((alike) => findingOf(alike, readOfRoute))
    .sort((a, b) => b.totalMs - a.totalMs)
    .slice(0, mostFindings);
}

/** One finding in one request. */
interface Occurrence {
  kind: QueryFinding["kind"];
  route: string;
  op: string | undefined;
  statement: string;
  request: string;
  times: number;
  ms: number;
  example: QueryFinding["example"];
}

function findingOf(alike: readonly Occurrence[], readOfRoute: ReadonlyMap<string, number>): QueryFinding {
  const byCost = alike.toSorted((a, b) => a.ms - b.ms);
  // A group has at least one.
  const worst = byCost.at(-1) as Occurrence;
  const { kind, route, op, statement, example } = worst;
  return {
    kind,
    route,
    op,
    statement,
    example,
    requests: new Set(alike.map(({ request }) => request)).size,
    readOfRoute: readOfRoute.get(route) ?? 0,
    times: alike.reduce((most, { times }) => Math.max(most, times), 0),
    costMs: byCost[Math.floor(byCost.length / 2)]?.ms ?? 0,
    totalMs: alike.reduce((sum, { ms }) => sum + ms, 0),
  };
}

function repeatsIn({ traceId, lines, owners }: SampledTrace): Occurrence[] {
  return findRepeats(lines, new Set()).flatMap(({ isNPlusOne, places, name, coveredMs }) => {
    const [first = -1] = places;
    const [line, owner] = [lines[first], owners[first]];
    if (!isNPlusOne || line === undefined || owner === undefined) return [];
    return {
      kind: "repeated",
      route: owner.route,
      op: line.span.op,
      statement: commonTitle(name),
      request: owner.spanId,
      times: places.length,
      ms: coveredMs,
      example: { traceId, spanId: line.span.spanId },
    };
  });
}

function slowOnesIn({ traceId, lines, owners }: SampledTrace, slowMs: number): Occurrence[] {
  const slow = lines.flatMap((line, place) => {
    const owner = owners[place];
    return isSlowQuery(line, slowMs) && owner !== undefined ? [{ line, owner }] : [];
  });
  const alike = Map.groupBy(
    slow,
    ({ line: { span }, owner }) => `${owner.spanId}\n${span.op ?? ""}\n${commonTitle(span.name)}`,
  );
  return [...alike.values()].flatMap((all) => {
    const slowest = all.reduce((most, one) => (one.line.durationMs > most.line.durationMs ? one : most));
    const { line, owner } = slowest;
    return {
      kind: "slow",
      route: owner.route,
      op: line.span.op,
      statement: commonTitle(line.span.name),
      request: owner.spanId,
      times: all.length,
      ms: all.reduce((sum, one) => sum + one.line.durationMs, 0),
      example: { traceId, spanId: line.span.spanId },
    };
  });
}

function isSlowQuery({ kind, durationMs }: TraceLine, slowMs: number): boolean {
  return kind === "database" && durationMs >= slowMs;
}
