import { newSpanId, newTraceId } from "#protocol/new-ids";
import type { BrowserSignals } from "#signals";
import { early, errorCaught, pageShown, tell } from "./relay.ts";
import { traceHeaders } from "./trace-headers.ts";

/** Ids of a trace that begins here, and whether it is recorded. Made at once, because requests carry them. */
export interface NewTrace {
  traceId: string;
  /** Of the request that carries them. */
  spanId: string;
  sampled: boolean;
  /** The share that is recorded. */
  rate: number;
}

function newTrace(): NewTrace {
  const rate = early?.settings.rate ?? (pageIsSampled() ? 1 : 0);
  return { traceId: newTraceId(), spanId: newSpanId(), sampled: Math.random() < rate, rate };
}

/** Where the server decides by a function, its decision for the page counts for what follows on it. */
function pageIsSampled(): boolean {
  const [page] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return (
    page?.serverTiming?.some(({ name, description }) => name === "sentry-trace" && description.endsWith("-1")) ?? false
  );
}

function headersOf({ traceId, spanId, sampled, rate }: NewTrace): Record<string, string> {
  return traceHeaders(traceId, spanId, sampled, rate);
}

/** All signals, for the code that moves between pages. */
export const movingSignals: BrowserSignals = {
  pageShown,
  errorCaught,
  navigationStarted: (facts) => {
    const trace = newTrace();
    // The click that brought us here happened a little earlier.
    tell("navigationStarted", facts, trace, globalThis.event?.timeStamp);
    return {
      headers: () => headersOf(trace),
      dataRequested: () => tell("dataRequested", facts.id),
      ended: (outcome) => tell("navigationEnded", facts.id, outcome),
    };
  },
  prefetchStarted: ({ url }) => {
    const trace = newTrace();
    tell("prefetchStarted", url, trace);
    return { headers: () => headersOf(trace) };
  },
  prefetchEnded: (facts) => tell("prefetchEnded", facts),
  prefetchUsed: (facts) => tell("prefetchUsed", facts),
  fullLoadChosen: (facts) => tell("fullLoadChosen", facts),
  connection: (state) => tell("connection", state),
};
