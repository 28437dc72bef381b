import { writeJsonEnvelope } from "#protocol";
import type { WireRequest } from "../wire.ts";
import { type Identity, traceFacts } from "./identity.ts";
import { quickId, type TraceSegment } from "./trace.ts";

export interface TraceDetails {
  endMs: number;
  request?: WireRequest | undefined;
  user?: Readonly<Record<string, unknown>> | undefined;
  tags?: Readonly<Record<string, string>> | undefined;
}

/**
 * Writes a finished segment as an envelope with one transaction. Span containers, the newer format, are three times the
 * size and several receivers do not show them; see docs/decisions.
 */
export function reportTrace(segment: TraceSegment, errorContext: TraceDetails, identity: Identity): Uint8Array {
  const { root } = segment;
  const eventId = quickId(4);
  const transaction = {
    type: "transaction",
    event_id: eventId,
    transaction: root.name,
    transaction_info: { source: segment.nameSource },
    start_timestamp: root.startMs / 1000,
    timestamp: errorContext.endMs / 1000,
    request: errorContext.request,
    user: errorContext.user,
    tags: errorContext.tags,
    measurements: segment.measurements,
    spans: segment.wireSpans(errorContext.endMs),
  };
  const trace = {
    trace_id: segment.traceId,
    span_id: root.spanId,
    parent_span_id: root.parentId,
    op: root.op,
    status: root.status,
    origin: "auto.holdfast",
    links: root.links,
    data: {
      "sentry.source": segment.nameSource,
      "sentry.sample_rate": segment.sampleRate,
      ...root.data,
    },
  };
  const header = {
    eventId,
    sentAtMs: errorContext.endMs,
    sdk: identity.sdk,
    trace: traceFacts(identity, segment, root.name),
  };
  const json = `${membersOf(transaction)},${constantOf(identity)}"trace":${JSON.stringify(trace)}}}`;
  return writeJsonEnvelope(header, "transaction", json);
}

/** Writes an object as JSON without its closing brace, so that more members can follow. */
function membersOf(object: object): string {
  return JSON.stringify(object).slice(0, -1);
}

const constants = new WeakMap<Identity, string>();

/**
 * The part that is equal in all transactions of one reporter, written once. It ends inside the contexts, to which each
 * transaction adds its own.
 */
function constantOf(identity: Identity): string {
  let text = constants.get(identity);
  if (text === undefined) {
    const { platform, release, environment, serverName: server_name, sdk, contexts } = identity;
    const members = membersOf({ platform, release, environment, server_name, sdk, contexts });
    text = members.slice(1, -1) + (members.endsWith("{}") ? "" : ",");
    constants.set(identity, text);
  }
  return text;
}
