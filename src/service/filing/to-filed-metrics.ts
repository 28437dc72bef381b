import { type AttributeMap, type ReportedMetric, textAttribute } from "#protocol";
import type { FiledCount, FiledMeasure, FiledMetrics, RowKey } from "../stores/filed.ts";
import { type ClientTime, happenedAt } from "./client-time.ts";
import { routeName } from "./route-name.ts";
import type { Scrubber } from "./scrub.ts";

/**
 * Counters are summed by route and label, measured values are added to the route's sketches. The framework uses them
 * for events without a trace: navigations by outcome, prefetches and their use, full page loads by reason.
 */
export function toFiledMetrics(
  metrics: readonly ReportedMetric[],
  row: RowKey,
  time: ClientTime,
  scrubber: Scrubber,
): FiledMetrics {
  const counts: FiledCount[] = [];
  const measures: FiledMeasure[] = [];
  for (const { name, type, value, timestampMs, attributes } of metrics) {
    const at = happenedAt(timestampMs, time);
    const route = scrubber.text(routeOf(attributes));
    if (type === "counter")
      counts.push({ name: scrubber.text(name), route, label: scrubber.text(labelOf(attributes)), at, n: value });
    else
      measures.push({
        route,
        measure: scrubber.text(name),
        at,
        value,
        release: textAttribute(attributes, "sentry.release"),
      });
  }
  return { kind: "metrics", ...row, receivedAt: Math.round(time.receivedAt), counts, measures };
}

function routeOf(attributes: AttributeMap): string {
  const route =
    textAttribute(attributes, "route") ??
    textAttribute(attributes, "http.route") ??
    textAttribute(attributes, "sentry.segment.name");
  return route === undefined ? "" : routeName(route);
}

/** Label of a count, for example `handed-over timeout-data`, `stored` or `fresh`. */
function labelOf(attributes: AttributeMap): string {
  return ["outcome", "use", "reason"]
    .map((name) => textAttribute(attributes, name))
    .filter((part) => part !== undefined)
    .join(" ");
}
