import type { NavigationOutcome, RequestOutcome } from "#signals";

/** Returns the rule that leaves a trace out; undefined if the trace is sent. */
export function judgeRequest(route: string | undefined, outcome: RequestOutcome): string | undefined {
  // The speed of a missing page is irrelevant, and scanners request thousands of them.
  return route === undefined || route === "not-found" || outcome.status === 404 ? "not-found-page" : undefined;
}

/**
 * Only navigations that the visitor saw complete are measured. A full load appears as the page load that follows, a
 * failure as its error.
 */
export function judgeNavigation(outcome: NavigationOutcome): string | undefined {
  if (outcome.kind !== "committed") return "unfinished-navigation";
  return outcome.status === 404 ? "not-found-page" : undefined;
}
