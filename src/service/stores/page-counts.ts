import { type ReportedSpan, textAttribute } from "#protocol";
import type { FiledCount } from "./filed.ts";

/**
 * The names under which things are counted for each route. The framework's reporting tells the first three in its
 * traces (below); any client may also send them as counters with the attributes `route` and `outcome` (and `reason`,
 * where there is one). Errors are counted as they are filed.
 */
export const navigationCount = "holdfast.navigation";
export const prefetchCount = "holdfast.prefetch";
export const fullLoadCount = "holdfast.full-load";
export const errorCount = "holdfast.errors";
/** Errors for which a visitor saw an error page, or a part of a page that stood in for one; the label is which. */
export const errorPageCount = "holdfast.error-pages";
/** The tag by which our own clients say what a visitor saw of an error. */
export const sawTag = "saw";
export const errorPages: ReadonlySet<string> = new Set(["error-page", "nested-error", "last-resort"]);
/** Requests of a page that says what it may cost; the label is what it says. */
export const budgetCount = "holdfast.budget";

/** What a page load, a navigation, a prefetch or a request says about how it came to be. */
export function countsOfSegment(span: ReportedSpan, route: string, at: number): FiledCount[] {
  const text = (name: string) => textAttribute(span.attributes, name);
  const count = (name: string, label: string): FiledCount => ({ name, route, label, at, n: 1 });
  if (span.op === "prefetch") return [count(prefetchCount, text("holdfast.prefetch") ?? "stored")];
  if (span.op === "navigation") {
    const used = usesOfPrefetch[text("holdfast.data") ?? ""];
    const committed = ["committed", text("navigation.kind")].filter((part) => part !== undefined).join(" ");
    return [count(navigationCount, committed), ...(used === undefined ? [] : [count(prefetchCount, used)])];
  }
  if (span.op === "http.server") {
    const said = text("holdfast.budget");
    if (said === undefined) return [];
    const budget = budgetIn(said);
    return Object.keys(budget).length === 0 ? [] : [count(budgetCount, budgetAsText(budget))];
  }
  const reason = span.op === "pageload" ? text("holdfast.full_load_reason") : undefined;
  return reason === undefined ? [] : [count(navigationCount, "handed-over"), count(fullLoadCount, reason)];
}

/** Where a navigation's data came from → how a prefetch was used for it. */
const usesOfPrefetch: Readonly<Record<string, string>> = {
  "prefetched-fresh": "fresh",
  "prefetched-stale": "stale",
  joined: "joined",
};

/**
 * What of a page's measures may be how much: the 75th percentile of each, in milliseconds or, for `cls`, as a share.
 */
export type Budget = Readonly<Partial<Record<(typeof budgetMeasures)[number], number>>>;

const budgetMeasures = ["loadMs", "navigationMs", "serverMs", "lcpMs", "inpMs", "cls"] as const;

/** Reads `lcpMs=2500 inpMs=200`, as far as it names what is measured. */
export function budgetIn(text: string): Budget {
  const said = new URLSearchParams(text.replaceAll(" ", "&"));
  const known = budgetMeasures.map((measure) => [measure, Number(said.get(measure))] as const);
  return Object.fromEntries(known.filter(([, limit]) => limit > 0 && Number.isFinite(limit)));
}

function budgetAsText(budget: Budget): string {
  return Object.entries(budget)
    .map(([measure, limit]) => `${measure}=${limit}`)
    .join(" ");
}
