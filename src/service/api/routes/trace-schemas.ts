import type { LogChart } from "../../queries/logs.ts";
import type { SpanKind } from "../../queries/span-kind.ts";
import type { LogLine, SegmentKind } from "../../stores/filed.ts";
import type { ApiTrace } from "../operations/event-operations.ts";
import type { AsJson } from "../schema/as-json.ts";
import {
  type ApiSchema,
  anyText,
  anything,
  decimal,
  flag,
  list,
  named,
  oneOf,
  shape,
  table,
  time,
  union,
  whole,
} from "../schema/schema.ts";

const attributeValue = named(
  "AttributeValue",
  union(anyText(), whole(), list(union(anyText(), whole(), flag())), flag()),
);

const spanLink = named("SpanLink", shape({ traceId: anyText(), spanId: anyText(), attributes: table(attributeValue) }));

const span = named(
  "Span",
  shape(
    {
      traceId: anyText(),
      spanId: anyText(),
      name: anyText(),
      startMs: decimal(),
      endMs: decimal(),
      isSegment: flag({
        description: "Root of the work of one process for one trace: a page load, a request, a task.",
      }),
      status: anyText("`ok`, or the name of the error."),
      attributes: table(attributeValue),
      links: list(spanLink),
    },
    { parentSpanId: anyText(), op: anyText(), origin: anyText() },
  ),
);

const timeRange = named("TimeRange", shape({ fromMs: decimal(), toMs: decimal() }));

export const spanKindSchema: ApiSchema<SpanKind> = oneOf(["browser", "code", "database", "render", "request"]);

const traceLine = named(
  "TraceLine",
  shape({
    span,
    depth: whole(),
    children: whole(),
    durationMs: decimal(),
    selfMs: decimal({ description: "Time in which none of its children ran." }),
    kind: spanKindSchema,
    isFailed: flag(),
    onCriticalPath: flag({ description: "Whether the trace would have ended earlier if this span had been faster." }),
    waits: list(timeRange, {
      description:
        "Its own part of the critical path: the times in which the trace waited for it and for none of its children.",
    }),
    isOrphan: flag({ description: "Its parent never arrived. Shown at the top level." }),
  }),
);

const repeatedSpans = named(
  "RepeatedSpans",
  shape({
    places: list(whole(), {
      description: "Places of its spans in the lines of the trace, in the order of their starts.",
    }),
    name: anyText("Their common title. Where titles differ, `?` replaces the values."),
    kind: spanKindSchema,
    coveredMs: decimal({ description: "Time in which at least one of them ran." }),
    waitMs: decimal({ description: "Part of the critical path that is theirs, with all spans below them." }),
    shortestMs: decimal(),
    longestMs: decimal(),
    isInSequence: flag({ description: "Whether each began after the one before it had ended, with few exceptions." }),
    isNPlusOne: flag({ description: "One request per element of a list, where one for all elements would do." }),
  }),
);

export const segmentKindSchema: ApiSchema<SegmentKind> = oneOf(["navigation", "pageload", "request", "task"]);

const segment = named(
  "Segment",
  shape(
    {
      traceId: anyText(),
      spanId: anyText(),
      route: anyText(),
      kind: segmentKindSchema,
      at: time(),
      durationMs: decimal(),
      status: anyText(),
    },
    {
      release: anyText(),
      environment: anyText(),
      visitor: whole({ description: "The visitor, or the visit if that is unknown." }),
    },
  ),
);

const traceEvent = named(
  "TraceEvent",
  shape(
    { eventId: anyText(), at: time(), receivedAt: time(), level: anyText() },
    {
      spanId: anyText("The span in which it was reported, if its client knew it and the span arrived."),
      title: anyText("Absent if the event was not read: only its row is kept, or there are too many."),
      route: anyText(),
      release: anyText(),
      environment: anyText(),
      traceId: anyText(),
      visitor: whole(),
    },
  ),
);

const logLevel = oneOf(["trace", "debug", "info", "warn", "error", "fatal"]);

export const logLineSchema: ApiSchema<AsJson<LogLine>> = named(
  "LogLine",
  shape(
    { at: time(), level: logLevel, body: anyText(), attributes: table(anything) },
    { traceId: anyText(), spanId: anyText() },
  ),
);

const linkedTrace = named(
  "LinkedTrace",
  shape({
    traceId: anyText(),
    spanId: anyText(),
    from: shape({ spanId: anyText(), name: anyText() }),
    relation: oneOf(["linked", "prefetch", "previous"], {
      description: "`previous`: the visitor's previous page. `prefetch`: the prefetch of the page.",
    }),
    isKept: flag({ description: "Whether any part of it is stored. Its client may not have sampled it." }),
  }),
);

export const traceSchema: ApiSchema<AsJson<ApiTrace>> = named(
  "Trace",
  shape({
    lines: list(traceLine),
    startMs: decimal(),
    endMs: decimal(),
    traceId: anyText(),
    repeats: list(repeatedSpans, { description: "Spans that a waterfall can fold into one row." }),
    segments: list(segment),
    errors: list(traceEvent),
    logs: list(logLineSchema),
    damaged: whole({ description: "Number of unreadable parts." }),
    links: list(linkedTrace, { description: "Other traces that its spans refer to." }),
  }),
);

export const logChartSchema: ApiSchema<AsJson<LogChart>> = named(
  "LogChart",
  shape(
    {
      bars: list(
        shape({
          at: time(),
          levels: shape(
            {},
            { debug: whole(), error: whole(), fatal: whole(), info: whole(), trace: whole(), warn: whole() },
          ),
        }),
        { description: "Beginning of each bar, oldest first." },
      ),
      barMs: decimal(),
    },
    { countedFrom: time("Only newer lines are counted. Absent if all of the period are.") },
  ),
);
