import type { RequestFacts } from "#signals";
import type { ErrorContext } from "../report-error.ts";
import type { ReportSettings } from "../settings.ts";
import type { WireRequest } from "../wire.ts";
import { type RequestTraceContext, requestScope } from "./request-context.ts";

/** Returns the context of the running code: its request, span and breadcrumbs. */
export function errorContextOf(timeMs: number, settings: ReportSettings): ErrorContext {
  const where = requestScope.getStore();
  if (!where) return { timeMs, sentAtMs: timeMs };
  const { request, span } = where;
  return {
    timeMs,
    sentAtMs: timeMs,
    segment: request.segment,
    span,
    steps: request.steps,
    user: request.user && { ...request.user },
    route: request.route,
    facts: {
      params: request.params,
      ...(isPrefetch(request.facts) && { prefetch: { state: "under way" } }),
    },
    ...(request.kind === "request" && { request: requestOf(request, settings) }),
  };
}

/** Prefetched by our own pages, which cannot set `Sec-Purpose`, or by the browser itself. */
function isPrefetch(facts: RequestFacts): boolean {
  return `${facts.header("purpose")} ${facts.header("sec-purpose")}`.includes("prefetch");
}

/**
 * The browser's name is as useful for an error as its place. Headers that may identify the visitor are sent only if
 * this is enabled.
 */
const usualHeaders = ["user-agent"];
const furtherHeaders = ["referer", "accept-language", "accept", "host", "x-forwarded-for", "x-request-id"];

function requestOf({ facts }: RequestTraceContext, settings: ReportSettings): WireRequest {
  const names = settings.sendDefaults ? [...usualHeaders, ...furtherHeaders] : usualHeaders;
  const headers = names.flatMap((name) => {
    const value = facts.header(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return { method: facts.method, url: facts.target, headers: Object.fromEntries(headers) };
}
