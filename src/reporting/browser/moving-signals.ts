import { newSpanId, newTraceId } from "#protocol/new-ids";
import type { BrowserSignals } from "#signals";
import { earlyErrors, errorCaught, notify, pageShown } from "./relay.ts";
import type { NewTrace } from "./reporter-calls.ts";
import { traceHeaders } from "./trace-headers.ts";

function newTrace(): NewTrace {
  const rate = earlyErrors?.settings.rate ?? (pageIsSampled() ? 1 : 0);
  return { traceId: newTraceId(), spanId: newSpanId(), sampled: Math.random() < rate, rate };
}

/** If a function on the server decides about sampling, its decision for the page applies to everything that follows. */
function pageIsSampled(): boolean {
  const [page] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return (
    page?.serverTiming?.some(({ name, description }) => name === "sentry-trace" && description.endsWith("-1")) ?? false
  );
}

function headersOf({ traceId, spanId, sampled, rate }: NewTrace): Record<string, string> {
  return traceHeaders(traceId, spanId, sampled, rate);
}

/** All signals, for the navigation code. */
export const movingSignals: BrowserSignals = {
  pageShown,
  errorCaught,
  navigationStarted: (facts) => {
    const trace = newTrace();
    // The click that caused the navigation happened a little earlier.
    notify("navigationStarted", facts, trace, globalThis.event?.timeStamp);
    return {
      headers: () => headersOf(trace),
      dataRequested: () => notify("dataRequested", facts.id),
      ended: (outcome) => notify("navigationEnded", facts.id, outcome),
    };
  },
  prefetchStarted: ({ url }) => {
    const trace = newTrace();
    notify("prefetchStarted", url, trace);
    return { headers: () => headersOf(trace) };
  },
  prefetchEnded: (facts) => notify("prefetchEnded", facts),
  prefetchUsed: (facts) => notify("prefetchUsed", facts),
  fullLoadChosen: (facts) => notify("fullLoadChosen", facts),
  connection: (state) => notify("connection", state),
};
