import { type ReportedSpan, textAttribute } from "#protocol";
import type { FiledCount } from "../stores/filed.ts";

/**
 * The names under which things are counted for each route. The framework's reporting tells the first three in its traces
 * (below); any client may also send them as counters with the attributes `route` and `outcome` (and `reason`, where there
 * is one). Errors are counted as they are filed.
 */
export const navigationCount = "holdfast.navigation";
export const prefetchCount = "holdfast.prefetch";
export const fullLoadCount = "holdfast.full-load";
export const errorCount = "holdfast.errors";

/** What a page load, a navigation or a prefetch says about how it came to be. */
export function countsOfSegment(span: ReportedSpan, route: string, at: number): FiledCount[] {
  const text = (name: string) => textAttribute(span.attributes, name);
  const count = (name: string, label: string): FiledCount => ({ name, route, label, at, n: 1 });
  if (span.op === "prefetch") return [count(prefetchCount, text("holdfast.prefetch") ?? "stored")];
  if (span.op === "navigation") {
    const used = usesOfPrefetch[text("holdfast.data") ?? ""];
    return [count(navigationCount, "committed"), ...(used === undefined ? [] : [count(prefetchCount, used)])];
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
