import { createHash } from "node:crypto";
import { type Envelope, isObject, type JsonObject, jsonItem, type Reading, readJson } from "#protocol";
import type { AcceptLimits } from "../limits.ts";
import { readLogRequest, readTraceRequest } from "./read-protobuf.ts";

export type OtlpFormat = "json" | "protobuf";
export type OtlpSignal = "traces" | "logs";

/** What OpenTelemetry exporters send, as envelopes: spans and logs in containers, and every recorded exception as an event. */
export function fromOtlp(
  body: Buffer,
  format: OtlpFormat,
  signal: OtlpSignal,
  limits: AcceptLimits,
): Reading<readonly Envelope[]> {
  const request = readRequest(body, format, signal, limits);
  if (request.kind === "unreadable") return request;
  return {
    kind: "read",
    value: signal === "traces" ? traceEnvelopes(request.value, limits) : logEnvelopes(request.value, limits),
  };
}

function readRequest(body: Buffer, format: OtlpFormat, signal: OtlpSignal, limits: AcceptLimits): Reading<JsonObject> {
  if (format === "json") {
    const { jsonDepth, containerKeys } = limits.protocol;
    const reading = readJson(body, { jsonDepth, jsonKeys: containerKeys });
    if (reading.kind === "unreadable") return reading;
    return isObject(reading.value)
      ? { kind: "read", value: reading.value }
      : { kind: "unreadable", why: "An export must be a JSON object." };
  }
  try {
    return { kind: "read", value: { ...(signal === "traces" ? readTraceRequest(body) : readLogRequest(body)) } };
  } catch (error) {
    if (error instanceof RangeError)
      return { kind: "unreadable", why: `The body is no protobuf message: ${error.message}` };
    throw error;
  }
}

function traceEnvelopes(request: JsonObject, limits: AcceptLimits): readonly Envelope[] {
  const spans: JsonObject[] = [];
  const exceptions: Envelope[] = [];
  for (const resourceSpans of objects(request.resourceSpans)) {
    const resource = resourceAttributes(resourceSpans);
    for (const scope of objects(resourceSpans.scopeSpans)) {
      for (const span of objects(scope.spans)) {
        spans.push(spanOf(span, resource));
        for (const event of objects(span.events))
          if (event.name === "exception") exceptions.push(exceptionEnvelope(span, event, resource));
      }
    }
  }
  return [...containers("span", spans, limits), ...exceptions];
}

function logEnvelopes(request: JsonObject, limits: AcceptLimits): readonly Envelope[] {
  const logs: JsonObject[] = [];
  for (const resourceLogs of objects(request.resourceLogs)) {
    const resource = resourceAttributes(resourceLogs);
    for (const scope of objects(resourceLogs.scopeLogs)) {
      for (const log of objects(scope.logRecords)) {
        logs.push({
          timestamp: secondsOf(log.timeUnixNano) ?? secondsOf(log.observedTimeUnixNano),
          level: typeof log.severityText === "string" ? log.severityText.toLowerCase() : undefined,
          severity_number: log.severityNumber,
          body: textOf(log.body),
          trace_id: log.traceId,
          span_id: log.spanId,
          attributes: { ...resource, ...attributesOf(log.attributes) },
        });
      }
    }
  }
  return containers("log", logs, limits);
}

function containers(type: "span" | "log", items: readonly JsonObject[], limits: AcceptLimits): readonly Envelope[] {
  const envelopes: Envelope[] = [];
  const size = limits.protocol.itemsPerContainer;
  for (let from = 0; from < items.length; from += size) {
    const some = items.slice(from, from + size);
    envelopes.push({
      header: {},
      items: [jsonItem(type, { version: 2, items: some }, { itemCount: some.length })],
      skipped: [],
    });
  }
  return envelopes;
}

/** OpenTelemetry's kinds 1 to 5, as the words a span's operation uses. */
const opOfKind: Readonly<Record<number, string>> = {
  1: "function",
  2: "http.server",
  3: "http.client",
  4: "queue.publish",
  5: "queue.process",
};

function spanOf(span: JsonObject, resource: JsonObject): JsonObject {
  const kind = Number(span.kind ?? 0);
  const parent = typeof span.parentSpanId === "string" && span.parentSpanId !== "" ? span.parentSpanId : undefined;
  return {
    trace_id: span.traceId,
    span_id: span.spanId,
    parent_span_id: parent,
    name: span.name,
    op: opOfKind[kind],
    origin: "auto.otlp",
    start_timestamp: secondsOf(span.startTimeUnixNano),
    end_timestamp: secondsOf(span.endTimeUnixNano),
    // Where a request enters a process its own part of the trace begins.
    is_segment: parent === undefined || kind === 2 || kind === 5,
    status: isObject(span.status) && Number(span.status.code) === 2 ? "error" : "ok",
    attributes: { ...resource, ...attributesOf(span.attributes) },
    links: objects(span.links).map((link) => ({
      trace_id: link.traceId,
      span_id: link.spanId,
      attributes: attributesOf(link.attributes),
    })),
  };
}

function exceptionEnvelope(span: JsonObject, event: JsonObject, resource: JsonObject): Envelope {
  const attributes = attributesOf(event.attributes);
  // Made from what the exception is, so that an exporter's second try is recognised.
  const eventId = createHash("sha256")
    .update(
      JSON.stringify([
        span.traceId,
        span.spanId,
        event.timeUnixNano,
        attributes["exception.type"],
        attributes["exception.message"],
      ]),
    )
    .digest("hex")
    .slice(0, 32);
  const payload = {
    event_id: eventId,
    timestamp: secondsOf(event.timeUnixNano),
    platform: resource["telemetry.sdk.language"] ?? "other",
    release: resource["service.version"],
    environment: resource["deployment.environment.name"] ?? resource["deployment.environment"],
    server_name: resource["host.name"],
    transaction: span.name,
    exception: {
      values: [
        {
          type: attributes["exception.type"],
          value: attributes["exception.message"],
          mechanism: { type: "otlp", handled: true },
        },
      ],
    },
    contexts: { trace: { trace_id: span.traceId, span_id: span.spanId }, otel: resource },
    extra: { stacktrace: attributes["exception.stacktrace"] },
  };
  return { header: { eventId }, items: [jsonItem("event", payload)], skipped: [] };
}

function resourceAttributes(holder: JsonObject): JsonObject {
  return isObject(holder.resource) ? attributesOf(holder.resource.attributes) : {};
}

function attributesOf(list: unknown): JsonObject {
  return Object.fromEntries(objects(list).map(({ key, value }) => [String(key), plainValue(value)]));
}

function plainValue(value: unknown): unknown {
  if (!isObject(value)) return undefined;
  if (isObject(value.arrayValue)) return objects(value.arrayValue.values).map(plainValue);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.boolValue ?? value.doubleValue ?? undefined;
}

function textOf(body: unknown): string {
  const value = plainValue(body);
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}

function secondsOf(nanos: unknown): number | undefined {
  const number = Number(nanos ?? 0);
  return Number.isFinite(number) && number > 0 ? number / 1e9 : undefined;
}

function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
