import { href } from "holdfast";
import { consoleApi, type Period, type QueryFinding } from "holdfast/service";
import { milliseconds } from "../../parts/charts/numbers.ts";

/** Something that a route does too often or too slowly, in words. */
export interface ShownFinding {
  route: string;
  kind: QueryFinding["kind"];
  name: "N+1" | "Slow query";
  statement: string;
  /** In one request: `49 × in 842 ms`, `1.20 s`. */
  cost: string;
  requests: string;
  total: string;
  /** The trace of the most costly one. */
  to: string;
}

/** Reading some hundred traces takes longer than a page should, and in a minute they are nearly the same. */
const freshMs = 60_000;
const mostKept = 50;
const longestStatement = 300;

interface Kept {
  at: number;
  findings: Promise<readonly QueryFinding[]>;
}

const kept = new Map<string, Kept>();

export async function findingsOf(project: number, filter: string, period: Period): Promise<readonly ShownFinding[]> {
  const api = consoleApi();
  const now = api.now();
  const key = JSON.stringify([project, filter, Math.round((period.to - period.from) / freshMs), isPast(period, now)]);
  const known = kept.get(key);
  if (known !== undefined && now - known.at < freshMs) return (await known.findings).map(showIn(project));
  const findings = api.slowQueries({ project, filter, period });
  kept.delete(key);
  kept.set(key, { at: now, findings });
  for (const oldest of kept.keys()) if (kept.size > mostKept) kept.delete(oldest);
  findings.catch(() => kept.delete(key));
  return (await findings).map(showIn(project));
}

/** The beginning of a time that has ended. Others end now. */
function isPast({ from, to }: Period, now: number): number | undefined {
  return now - to > freshMs ? from : undefined;
}

function showIn(project: number): (finding: QueryFinding) => ShownFinding {
  return ({ kind, route, statement, times, costMs, totalMs, requests, readOfRoute, example }) => ({
    kind,
    route,
    name: kind === "repeated" ? "N+1" : "Slow query",
    statement: statement.slice(0, longestStatement),
    cost: times > 1 ? `${times} × in ${milliseconds(costMs)}` : milliseconds(costMs),
    requests: `${requests} of ${readOfRoute}`,
    total: milliseconds(totalMs),
    to: href("/[project]/traces/[id]", { project, id: example.traceId }, { span: example.spanId }),
  });
}
