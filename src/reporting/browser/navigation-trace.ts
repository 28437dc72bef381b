import type { NavigationFacts, NavigationOutcome } from "#signals";
import { Segment, type Span } from "../trace.ts";
import type { NewTrace } from "./relay.ts";

/** One navigation as a trace: the click, the request for its data, the commit. */
export interface NavigationTrace {
  readonly segment: Segment;
  /** Address of the page, without hash, as prefetches are known by. */
  readonly url: string;
  readonly endMs: number;
  dataRequested(at: number): void;
  usedPrefetch(prefetch: { trace: NewTrace } | undefined, state: string, ageMs: number): void;
  committed(outcome: Extract<NavigationOutcome, { kind: "committed" }>, at: number): void;
}

export function openNavigationTrace(
  facts: NavigationFacts,
  trace: NewTrace,
  clickMs: number,
  startMs: number,
  before: Segment,
  spansAtMost: number,
): NavigationTrace {
  const target = new URL(facts.to, location.href);
  const segment = new Segment(
    {
      parent: undefined,
      sampled: trace.sampled,
      sampleRate: 1,
      op: "navigation",
      name: target.pathname,
      startMs: clickMs,
      own: { traceId: trace.traceId },
    },
    spansAtMost,
  );
  const { root } = segment;
  root.data = { "navigation.kind": facts.kind, "url.path": target.pathname, "holdfast.previous_trace": before.traceId };
  if (clickMs < startMs) segment.begin(undefined, "ui.action.click", "Click", clickMs).endMs = startMs;
  let request: Span | undefined;
  let endMs = startMs;
  return {
    segment,
    url: target.href.split("#", 1)[0] ?? target.href,
    get endMs() {
      return endMs;
    },
    dataRequested: (at) => {
      // Its id went out with the request's headers; the server's part hangs below it.
      request = segment.begin(undefined, "http.client", `GET ${dataPath(target)}`, at, trace.spanId);
    },
    usedPrefetch: (prefetch, state, ageMs) => {
      root.data["holdfast.prefetch"] = state;
      root.data["holdfast.prefetch_age_ms"] = Math.round(ageMs);
      if (prefetch)
        root.links = [
          { trace_id: prefetch.trace.traceId, span_id: prefetch.trace.spanId, sampled: prefetch.trace.sampled },
        ];
    },
    committed: (outcome, at) => {
      endMs = at;
      root.name = outcome.route;
      segment.nameSource = "route";
      root.data = {
        ...root.data,
        "url.template": outcome.route,
        "http.response.status_code": outcome.status,
        "holdfast.data": outcome.data,
      };
      const receivedMs = request && receivedAt(target, request.startMs);
      // Data that was there already was not requested, whatever was planned.
      if (request) request.endMs = Math.min(receivedMs ?? at, at);
      segment.begin(undefined, "ui.commit", "Show the page", receivedMs ?? startMs).endMs = at;
    },
  };
}

function dataPath({ pathname }: URL): string {
  return `${pathname === "/" ? "" : pathname}/_data`;
}

/** When the last byte of the page's data was there, by the browser's own record. */
function receivedAt(target: URL, afterMs: number): number | undefined {
  const url = new URL(target);
  url.pathname = dataPath(target);
  url.hash = "";
  const entry = performance
    .getEntriesByName(url.href, "resource")
    .findLast(({ startTime }) => performance.timeOrigin + startTime >= afterMs - 5);
  return entry instanceof PerformanceResourceTiming && entry.responseEnd > 0
    ? performance.timeOrigin + entry.responseEnd
    : undefined;
}
