import { onCLS, onFCP, onINP, onLCP, onTTFB } from "web-vitals";
import { readBaggage, readSentryTrace, type TraceParent } from "#protocol";
import { TraceSegment } from "../trace/trace.ts";

/** Opens the trace of the first page: it continues the server's trace and starts with the visitor's request. */
export function openPageLoad(rate: number | undefined, spansAtMost: number): TraceSegment {
  const { parent, context } = handedOver();
  const sampled = parent?.sampled ?? Math.random() < (rate ?? 0);
  const startMs = performance.timeOrigin;
  const segment = new TraceSegment(
    { parent, sampled, sampleRate: context ?? rate ?? 0, op: "pageload", name: location.pathname, startMs },
    spansAtMost,
  );
  watchVitals(segment);
  return segment;
}

/** Reads the server's trace from the `Server-Timing` of the document. A cached document has none. */
function handedOver(): { parent: TraceParent | undefined; context: number | undefined } {
  const entries = navigationTiming()?.serverTiming ?? [];
  const read = (wanted: string): string => entries.find(({ name }) => name === wanted)?.description ?? "";
  const rate = Number(readBaggage(read("baggage")).sample_rate);
  return { parent: readSentryTrace(read("sentry-trace")), context: rate > 0 ? rate : undefined };
}

export function navigationTiming(): PerformanceNavigationTiming | undefined {
  const [entry] = performance.getEntriesByType("navigation");
  return entry as PerformanceNavigationTiming | undefined;
}

/** Values may change until the page is hidden; a trace contains the latest ones when it is sent. */
function watchVitals(segment: TraceSegment): void {
  segment.measurements = {};
  const note = ({ name, value }: { name: string; value: number }): void => {
    if (segment.measurements)
      segment.measurements[name.toLowerCase()] = { value, unit: name === "CLS" ? "" : "millisecond" };
  };
  const always = { reportAllChanges: true };
  onCLS(note, always);
  onINP(note, always);
  onLCP(note, always);
  onFCP(note);
  onTTFB(note);
}

/** Adds spans for the stages of loading, from the browser's navigation timing. Returns the end of the last one. */
export function addLoadingSpans(segment: TraceSegment, shownMs: number): number {
  const timing = navigationTiming();
  const origin = performance.timeOrigin;
  const add = (op: string, name: string, from: number | undefined, to: number | undefined): void => {
    if (from === undefined || to === undefined || from <= 0 || to < from) return;
    segment.begin(undefined, op, name, origin + from).endMs = origin + to;
  };
  add("browser.connect", "Connect", timing?.domainLookupStart, timing?.connectEnd);
  add("browser.request", "Wait for the first byte", timing?.requestStart, timing?.responseStart);
  add("browser.response", "Receive the document", timing?.responseStart, timing?.responseEnd);
  add("ui.hydrate", "Make the page alive", timing?.domInteractive, shownMs - origin);
  return Math.max(shownMs, origin + (timing?.loadEventEnd ?? 0));
}
