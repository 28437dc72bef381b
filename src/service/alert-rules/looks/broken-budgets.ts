import type { AlertRule } from "../../alerts/alert-settings.ts";
import { dayMs, hourMs } from "../../clock.ts";
import { budgets, type PageReport, pages, vitalBounds } from "../../queries/pages.ts";
import type { QueryContext } from "../../queries/query-context.ts";
import type { Budget } from "../../stores/values/page-counts.ts";
import { passesRoute } from "./rule-filters.ts";

/** A measure of a route that was within its bound before a release. Values are in words. */
export interface BrokenBudget {
  readonly route: string;
  readonly measure: string;
  readonly was: string;
  readonly is: string;
  readonly bound: string;
}

/** Fewer measurements say little about a percentile. */
const leastCount = 50;

interface Measured {
  readonly measure: string;
  readonly unit: "ms" | "";
  readonly figure: { readonly count: number; readonly p75: number } | undefined;
  /** The declared budget, or the bound of a poor vital. */
  readonly bound: number | undefined;
}

/** Compares the whole hours since a release with the day before it. */
export async function brokenSince(
  context: QueryContext,
  { project, rule, since }: { project: number; rule: AlertRule; since: number },
): Promise<readonly BrokenBudget[]> {
  const from = Math.ceil(since / hourMs) * hourMs;
  const to = Math.floor(context.now / hourMs) * hourMs - 1;
  if (to <= from) return [];
  const before = Math.floor(since / hourMs) * hourMs;
  const [declared, after, earlier] = await Promise.all([
    budgets(context, project),
    pages(context, project, { from, to }),
    pages(context, project, { from: before - dayMs, to: before - 1 }),
  ]);
  return after
    .filter(({ route }) => passesRoute(rule.filters.routes, route))
    .flatMap((page) => {
      const same = earlier.find(({ route }) => route === page.route);
      return same === undefined ? [] : brokenOf(page, same, declared[page.route] ?? {});
    });
}

function brokenOf(page: PageReport, earlier: PageReport, budget: Budget): BrokenBudget[] {
  const then = measuresOf(earlier, budget);
  return measuresOf(page, budget).flatMap(({ measure, unit, figure, bound }, at) => {
    const was = then[at]?.figure;
    if (figure === undefined || was === undefined || bound === undefined) return [];
    const isBroken = figure.count >= leastCount && was.count >= leastCount && was.p75 <= bound && figure.p75 > bound;
    const words = (value: number): string => (unit === "ms" ? `${Math.round(value)} ms` : value.toFixed(2));
    return isBroken
      ? [{ route: page.route, measure, was: words(was.p75), is: words(figure.p75), bound: words(bound) }]
      : [];
  });
}

function measuresOf({ load, navigation, request, vitals }: PageReport, budget: Budget): Measured[] {
  return [
    { measure: "Loading", unit: "ms", figure: load, bound: budget.loadMs },
    { measure: "Navigation", unit: "ms", figure: navigation, bound: budget.navigationMs },
    { measure: "Response", unit: "ms", figure: request, bound: budget.serverMs },
    { measure: "LCP", unit: "ms", figure: vitals.lcp, bound: budget.lcpMs ?? vitalBounds.lcp[1] },
    { measure: "INP", unit: "ms", figure: vitals.inp, bound: budget.inpMs ?? vitalBounds.inp[1] },
    { measure: "CLS", unit: "", figure: vitals.cls, bound: budget.cls ?? vitalBounds.cls[1] },
  ];
}
