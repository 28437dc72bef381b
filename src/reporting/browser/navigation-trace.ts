import type { NavigationFacts, NavigationOutcome } from "#signals";
import { type TraceLink, TraceSegment } from "../trace/trace.ts";
import type { NewTrace } from "./reporter-calls.ts";

/** Trace of one navigation: click, data request, commit. */
export interface NavigationTrace {
  readonly segment: TraceSegment;
  /** Address of the page without hash, the key of prefetches. */
  readonly url: string;
  readonly endMs: number;
  dataRequested(at: number): void;
  usedPrefetch(prefetch: { trace: NewTrace; startMs: number } | undefined, state: string, ageMs: number): void;
  committed(outcome: Extract<NavigationOutcome, { kind: "committed" }>, at: number): void;
}

export interface NavigationTraceStart {
  facts: NavigationFacts;
  trace: NewTrace;
  clickMs: number;
  startMs: number;
  /** Segment of the page that the visitor leaves. */
  before: TraceSegment;
  spansAtMost: number;
}

export function openNavigationTrace(start: NavigationTraceStart): NavigationTrace {
  const { facts, trace, clickMs, startMs, before, spansAtMost } = start;
  const target = new URL(facts.to, location.href);
  const segment = new TraceSegment(
    {
      parent: undefined,
      sampled: trace.sampled,
      sampleRate: trace.rate,
      op: "navigation",
      name: target.pathname,
      startMs: clickMs,
      ids: { traceId: trace.traceId },
    },
    spansAtMost,
  );
  const { root } = segment;
  root.data = { "navigation.kind": facts.kind, "url.path": target.pathname, "holdfast.previous_trace": before.traceId };
  if (clickMs < startMs) segment.begin(undefined, "ui.action.click", "Click", clickMs).endMs = startMs;
  /**
   * The request for the page's data: its own, or the prefetch that it joined. Its headers carried this span id, so the
   * server's spans are its children.
   */
  let request: { startMs: number; spanId: string } | undefined;
  let endMs = startMs;
  return {
    segment,
    url: target.href.split("#", 1)[0] ?? target.href,
    get endMs() {
      return endMs;
    },
    dataRequested: (at) => {
      request = { startMs: at, spanId: trace.spanId };
    },
    usedPrefetch: (prefetch, state, ageMs) => {
      root.data = { ...root.data, "holdfast.prefetch": state, "holdfast.prefetch_age_ms": Math.round(ageMs) };
      if (!prefetch) return;
      if (state !== "joined") {
        root.links = [linkTo(prefetch.trace)];
        return;
      }
      // The request began before the click and is still pending: it becomes this navigation's request, with its own
      // trace.
      segment.traceId = prefetch.trace.traceId;
      segment.sampled = prefetch.trace.sampled;
      request = { startMs: prefetch.startMs, spanId: prefetch.trace.spanId };
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
      const sentRequest = outcome.data === "fetched" || outcome.data === "joined" ? request : undefined;
      const receivedMs = sentRequest && Math.min(receivedAt(target, sentRequest.startMs) ?? at, at);
      if (sentRequest) {
        const span = segment.begin(
          undefined,
          "http.client",
          `GET ${dataPath(target)}`,
          sentRequest.startMs,
          sentRequest.spanId,
        );
        span.endMs = receivedMs;
      }
      segment.begin(undefined, "ui.commit", "Show the page", receivedMs ?? startMs).endMs = at;
    },
  };
}

function linkTo({ traceId, spanId, sampled }: NewTrace): TraceLink {
  return { trace_id: traceId, span_id: spanId, sampled };
}

function dataPath({ pathname }: URL): string {
  return `${pathname}/_data`.replace("//", "/");
}

/** Returns when the last byte of the page's data arrived, from the browser's resource timing. */
function receivedAt(target: URL, afterMs: number): number | undefined {
  const { origin, pathname, search } = target;
  const page = origin + pathname.replace(/\/$/, "");
  // The address may name data that the browser has.
  const isData = (url: string): boolean =>
    url.startsWith(page) && /^(\/_keys\/[^/]*)?\/_data$/.test(url.slice(page.length, url.length - search.length));
  const entry = performance
    .getEntriesByType("resource")
    .findLast(
      ({ name, startTime }) =>
        performance.timeOrigin + startTime >= afterMs - 5 && name.endsWith(search) && isData(name),
    );
  return entry instanceof PerformanceResourceTiming && entry.responseEnd > 0
    ? performance.timeOrigin + entry.responseEnd
    : undefined;
}
