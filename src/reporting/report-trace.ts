import { jsonItem, writeEnvelope } from "#protocol";
import { type Identity, traceFacts } from "./identity.ts";
import { quickId, type Segment } from "./trace.ts";
import type { WireRequest } from "./wire.ts";

export interface TraceMoment {
  endMs: number;
  request?: WireRequest | undefined;
  user?: Readonly<Record<string, unknown>> | undefined;
  tags?: Readonly<Record<string, string>> | undefined;
}

/**
 * A finished segment as an envelope with one transaction. Span containers, the newer form, are three times the size and not shown by
 * several receivers; the reasons are in docs/decisions.
 */
export function reportTrace(segment: Segment, moment: TraceMoment, identity: Identity): Uint8Array {
  const { root } = segment;
  const eventId = quickId(4);
  const transaction = {
    type: "transaction",
    event_id: eventId,
    transaction: root.name,
    transaction_info: { source: segment.nameSource },
    start_timestamp: root.startMs / 1000,
    timestamp: moment.endMs / 1000,
    platform: identity.platform,
    release: identity.release,
    environment: identity.environment,
    server_name: identity.serverName,
    request: moment.request,
    user: moment.user,
    tags: moment.tags,
    measurements: segment.measurements,
    contexts: {
      ...identity.contexts,
      trace: {
        trace_id: segment.traceId,
        span_id: root.spanId,
        parent_span_id: root.parentId,
        op: root.op,
        status: root.status,
        origin: "auto.holdfast",
        links: root.links,
        data: {
          "sentry.op": root.op,
          "sentry.origin": "auto.holdfast",
          "sentry.source": segment.nameSource,
          "sentry.sample_rate": segment.sampleRate,
          ...root.data,
        },
      },
    },
    spans: segment.wireSpans(moment.endMs),
    sdk: identity.sdk,
  };
  const header = {
    eventId,
    sentAtMs: moment.endMs,
    sdk: identity.sdk,
    trace: traceFacts(identity, segment, root.name),
  };
  return writeEnvelope(header, [jsonItem("transaction", transaction)]);
}
