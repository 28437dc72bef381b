import type { RuleFilters } from "../../alerts/alert-settings.ts";
import type { IssueRecord } from "../../stores/records.ts";

/** Whether an issue passes the filters that it can be compared with without reading an event. */
export function passesIssue({ levels, routes }: RuleFilters, issue: IssueRecord): boolean {
  return isAmong(levels, issue.level) && passesRoute(routes, issue.route);
}

export function isAmong(list: readonly string[], value: string | undefined): boolean {
  return list.length === 0 || (value !== undefined && list.includes(value));
}

/** A pattern may end with `*`. */
export function passesRoute(patterns: readonly string[], route: string | undefined): boolean {
  return patterns.length === 0 || patterns.some((pattern) => fits(pattern, route ?? ""));
}

function fits(pattern: string, route: string): boolean {
  return pattern.endsWith("*") ? route.startsWith(pattern.slice(0, -1)) : route === pattern;
}
