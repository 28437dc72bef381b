import type { NavigationOutcome, RequestOutcome } from "#signals";

/** Which traces are left out, by the rule's name; nothing when the trace goes out. */
export function judgeRequest(route: string | undefined, outcome: RequestOutcome): string | undefined {
  // A page that does not exist is no page whose speed anyone wants to know, and scanners ask for thousands of them.
  return route === undefined || route === "not-found" || outcome.status === 404 ? "not-found-page" : undefined;
}

/**
 * Only what the visitor saw arrive is measured. A hand-over to the browser shows in the page load that follows, a
 * failure as its error.
 */
export function judgeNavigation(outcome: NavigationOutcome): string | undefined {
  if (outcome.kind !== "committed") return "unfinished-navigation";
  return outcome.status === 404 ? "not-found-page" : undefined;
}
