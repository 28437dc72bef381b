import { type ReportedSpan, textAttribute } from "#protocol";
import type { FiledCount } from "../filed.ts";

/**
 * Names of the counters of each route. The framework reports the first three in its traces (below). Any client may also
 * send them as counters with the attributes `route` and `outcome`, and optionally `reason`. Errors are counted when
 * they are filed.
 */
export const navigationCount = "holdfast.navigation";
export const prefetchCount = "holdfast.prefetch";
export const fullLoadCount = "holdfast.full-load";
export const errorCount = "holdfast.errors";
/** Errors for which a visitor saw an error page or a fallback. The label says which. */
export const errorPageCount = "holdfast.error-pages";
/** Tag of the framework's clients: what a visitor saw of an error. */
export const sawTag = "saw";
export const errorPages: ReadonlySet<string> = new Set(["error-page", "nested-error", "last-resort"]);
/** Requests of a page with a budget. The label is the budget. */
export const budgetCount = "holdfast.budget";
/**
 * Requests for pages that the server may cache, traced or not. The label says what the cache did: `hit`, `stale`,
 * `failing`, `miss`, or `bypass` with its reason.
 */
export const cacheCount = "holdfast.cache";
/** The milliseconds that their loads and renderings would have taken. */
export const cacheSavedCount = "holdfast.cache-saved";
/** A measure: age of the oldest page that a process has sent from its cache in some seconds, in milliseconds. */
export const cacheAgeMeasure = "holdfast.cache-age";

/** Lines of logs. They have no route; the label is level and environment. */
export const logCount = "holdfast.logs";

export function logLabel(level: string, environment: string | undefined): string {
  return environment === undefined ? level : `${level} ${environment}`;
}

export function levelAndEnvironment(label: string): { level: string; environment: string | undefined } {
  const at = label.indexOf(" ");
  return at < 0
    ? { level: label, environment: undefined }
    : { level: label.slice(0, at), environment: label.slice(at + 1) };
}

/** Counts of a page load, navigation, prefetch or request, from the attributes of its span. */
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
    const declared = text("holdfast.budget");
    // Few pages have one, and most traces are requests.
    if (declared === undefined) return [];
    const budget = budgetIn(declared);
    return Object.keys(budget).length === 0 ? [] : [count(budgetCount, budgetAsText(budget))];
  }
  const reason = span.op === "pageload" ? text("holdfast.full_load_reason") : undefined;
  return reason === undefined ? [] : [count(navigationCount, "handed-over"), count(fullLoadCount, reason)];
}

/** Source of a navigation's data → use of a prefetch. */
const usesOfPrefetch: Readonly<Record<string, string>> = {
  "prefetched-fresh": "fresh",
  "prefetched-stale": "stale",
  joined: "joined",
};

/** Upper bounds of a page's measures, as 75th percentiles: in milliseconds, `cls` without a unit. */
export type Budget = Readonly<Partial<Record<(typeof budgetMeasures)[number], number>>>;

const budgetMeasures = ["loadMs", "navigationMs", "serverMs", "lcpMs", "inpMs", "cls"] as const;

/** Parses `lcpMs=2500 inpMs=200`. Ignores unknown measures. */
export function budgetIn(text: string): Budget {
  const declared = new URLSearchParams(text.replaceAll(" ", "&"));
  const known = budgetMeasures.map((measure) => [measure, Number(declared.get(measure))] as const);
  return Object.fromEntries(known.filter(([, limit]) => limit > 0 && Number.isFinite(limit)));
}

function budgetAsText(budget: Budget): string {
  return Object.entries(budget)
    .map(([measure, limit]) => `${measure}=${limit}`)
    .join(" ");
}
