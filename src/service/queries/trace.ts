import { type ReportedSpan, textAttribute } from "#protocol";
import { titleOfEvent } from "../grouping/title.ts";
import type { LogLine } from "../stores/filed.ts";
import type { EventSummary, SegmentRecord } from "../stores/records.ts";
import type { StoreReader } from "../stores/store.ts";
import { type AssembledTrace, assembleTrace } from "./assemble-trace.ts";
import { findRepeats, type RepeatedSpans } from "./find-repeats.ts";
import type { QueryContext } from "./query-context.ts";
import { spanTitle } from "./span-title.ts";

export interface TraceAnswer extends AssembledTrace {
  traceId: string;
  /** Spans that a waterfall can fold into one row. */
  repeats: readonly RepeatedSpans[];
  segments: readonly SegmentRecord[];
  errors: readonly TraceEvent[];
  logs: readonly LogLine[];
  /** Number of unreadable parts. */
  damaged: number;
  /** Other traces that its spans refer to. */
  links: readonly LinkedTrace[];
}

/** An event that was reported within the trace. */
export interface TraceEvent extends EventSummary {
  /** The span in which it was reported, if its client knew it and the span arrived. */
  spanId: string | undefined;
  /** Undefined if the event was not read: only its row is kept, or there are too many. */
  title: string | undefined;
}

export interface LinkedTrace {
  traceId: string;
  spanId: string;
  /** The span of this trace with the reference. */
  from: { spanId: string; name: string };
  /** `previous`: the visitor's previous page. `prefetch`: the prefetch of the page. */
  relation: "previous" | "prefetch" | "linked";
  /** Whether any part of it is stored. Its client may not have sampled it. */
  isKept: boolean;
}

// More occur for a queue that handled many messages at once.
const mostLinks = 20;

// Each is read from the disk. A trace with more has the same error again and again.
const mostReadEvents = 20;

/** Returns everything of one trace, from the click in the browser to the server's queries. */
export async function traceById(
  { store }: QueryContext,
  project: number,
  traceId: string,
): Promise<TraceAnswer | undefined> {
  const { spans: reported, segments, events, logs, damaged } = await store.trace(project, traceId);
  const spans = reported.map((span) => ({ ...span, name: spanTitle(span) }));
  if (spans.length === 0 && events.length === 0 && logs.length === 0) return undefined;
  const assembled = assembleTrace(spans);
  // A trace may consist of an error alone, if its client did not sample the spans.
  const moments = [...events.map(({ at }) => at), ...logs.map(({ at }) => at)];
  const startMs = Math.min(assembled.startMs, ...moments);
  const endMs = Math.max(assembled.endMs, ...moments);
  const links = await Promise.all(
    linksOf(spans, traceId).map(async (link) => ({ ...link, isKept: await store.hasTrace(project, link.traceId) })),
  );
  const errors = await withSpans(store, events, new Set(spans.map(({ spanId }) => spanId)));
  const repeats = findRepeats(assembled.lines, new Set(errors.flatMap(({ spanId }) => spanId ?? [])));
  return { traceId, lines: assembled.lines, startMs, endMs, repeats, segments, errors, logs, damaged, links };
}

/** Only the event itself contains its span and its title. */
async function withSpans(
  store: StoreReader,
  events: readonly EventSummary[],
  known: ReadonlySet<string>,
): Promise<readonly TraceEvent[]> {
  return Promise.all(
    events.map(async (event, place) => {
      const read = place < mostReadEvents ? await store.event(event.project, event.eventId) : undefined;
      if (read?.body.kind !== "whole") return { ...event, spanId: undefined, title: undefined };
      const { spanId } = read.body.event.trace ?? {};
      const isKnown = spanId !== undefined && known.has(spanId);
      return { ...event, spanId: isKnown ? spanId : undefined, title: titleOfEvent(read.body.event) };
    }),
  );
}

function linksOf(spans: readonly ReportedSpan[], ownTrace: string): Omit<LinkedTrace, "isKept">[] {
  const found = new Map<string, Omit<LinkedTrace, "isKept">>();
  for (const span of spans) {
    for (const { traceId, spanId, attributes } of span.links) {
      if (found.size === mostLinks || traceId === ownTrace || found.has(traceId + spanId)) continue;
      const relation = relationOf(textAttribute(attributes, "sentry.link.type"), span.op);
      found.set(traceId + spanId, { traceId, spanId, from: { spanId: span.spanId, name: span.name }, relation });
    }
  }
  return [...found.values()];
}

/** The framework's own navigations refer only to the prefetch they used. */
function relationOf(type: string | undefined, op: string | undefined): LinkedTrace["relation"] {
  if (type === "previous_trace") return "previous";
  return type === undefined && op === "navigation" ? "prefetch" : "linked";
}
