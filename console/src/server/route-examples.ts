import { consoleApi } from "holdfast/service";
import { namedVisitors } from "./live-visitors.ts";
import type { RouteTrend } from "./trend-line.ts";

type Period = { from: number; to: number };
type Kind = "pageload" | "navigation" | "request";
type MeasureTrend = RouteTrend["measures"][number];
type Measure = MeasureTrend["measure"];

/** Which traces a route shows, and why these. */
interface Choice {
  title: string;
  kind: Kind | undefined;
  period: Period;
  minMs: number;
  maxMs?: number;
  /** Of the change that these are examples of. */
  change: RouteTrend["errors"]["change"];
}

/** Traces in which a measure shows. A vital is one of a page load. */
const kindOf: Readonly<Record<Measure, Kind>> = {
  pageload: "pageload",
  navigation: "navigation",
  request: "request",
  lcp: "pageload",
  inp: "pageload",
  cls: "pageload",
  fcp: "pageload",
  ttfb: "pageload",
};

const titles: Readonly<Record<Kind, string>> = {
  pageload: "Page loads",
  navigation: "Navigations",
  request: "Requests to the server",
};

/** Durations of page loads say nothing about these. */
const notTimes: ReadonlySet<Measure> = new Set(["inp", "cls"]);

/** Traces behind a number of the screen, or behind what has changed most. */
export async function examplesOf(
  project: number,
  trend: RouteTrend,
  { search, period }: { search: URLSearchParams; period: Period },
) {
  const { title, change, ...choice } = chooseTraces(trend, search, period);
  const release = change?.release;
  const found = await consoleApi().routeExamples({ project, route: trend.route, ...choice, release });
  const visitors = new Set(found.flatMap(({ visitor }) => visitor ?? []));
  const named = await namedVisitors(project, [...visitors]);
  return {
    title,
    minMs: choice.maxMs === undefined && choice.minMs > 0 ? choice.minMs : undefined,
    since: change?.since,
    release,
    traces: found.map(({ visitor, environment: _, route: __, ...example }) => ({
      ...example,
      visitor: visitor === undefined ? undefined : named(visitor),
    })),
  };
}

/** A person chooses with `?measure=`, and with `?around=` a duration. Without a choice, what has become worst. */
export function chooseTraces(trend: RouteTrend, search: URLSearchParams, period: Period): Choice {
  const wanted = search.get("measure");
  const around = Number(search.get("around")) || 0;
  if (wanted === "views") return { title: "Newest traces", kind: undefined, period, minMs: 0, change: undefined };
  const chosen = trend.measures.find(({ measure }) => measure === wanted) ?? mostChanged(trend);
  // Nothing has become slower: traces of every kind may explain something.
  if (chosen === undefined) return { title: "Traces", kind: undefined, period, minMs: 0, change: undefined };
  const kind = kindOf[chosen.measure];
  const title = titles[kind];
  // 20 % to either side still looks like the same number to a person.
  if (around > 0) return { title, kind, period, minMs: around * 0.8, maxMs: around * 1.2, change: undefined };
  const change = isWorse(chosen) ? chosen.change : undefined;
  const from = Math.max(period.from, change?.since ?? 0);
  const timed = notTimes.has(chosen.measure) ? undefined : trend.measures.find(({ measure }) => measure === kind);
  const minMs = timed === undefined ? 0 : slowFrom(timed);
  return {
    title: minMs > 0 ? `Slow ${title.toLowerCase()}` : title,
    kind,
    period: { from, to: period.to },
    minMs,
    change,
  };
}

/** A sketch knows a duration to 2 %. */
const within = 0.98;

/** Three quarters are below it: since the change, if there is one for the worse. */
function slowFrom(timed: MeasureTrend): number {
  return within * (isWorse(timed) ? (timed.change?.after ?? 0) : timed.whole.p75);
}

/** The measure with the largest change for the worse. */
function mostChanged({ measures }: RouteTrend): MeasureTrend | undefined {
  return measures.filter(isWorse).toSorted((a, b) => (b.change?.times ?? 0) - (a.change?.times ?? 0))[0];
}

function isWorse({ change }: MeasureTrend): boolean {
  return (change?.times ?? 0) > 1;
}
