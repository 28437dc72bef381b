import { createHash } from "node:crypto";
import { type Envelope, isObject, type JsonObject, jsonItem, type Reading, readJson } from "#protocol";
import type { AcceptLimits } from "../limits.ts";
import { readLogRequest, readTraceRequest } from "./read-protobuf.ts";
import { readStackText } from "./read-stack-text.ts";

export type OtlpFormat = "json" | "protobuf";
export type OtlpSignal = "traces" | "logs";

/**
 * Converts an OpenTelemetry export to envelopes: spans and logs in containers, and every recorded exception as an
 * event.
 */
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
          if (event.name === "exception")
            exceptions.push(exceptionEnvelope(exceptionOfSpan(span, event), resource, exceptions.length));
      }
    }
  }
  return [...containers("span", spans, limits), ...exceptions];
}

function logEnvelopes(request: JsonObject, limits: AcceptLimits): readonly Envelope[] {
  const logs: JsonObject[] = [];
  const exceptions: Envelope[] = [];
  for (const resourceLogs of objects(request.resourceLogs)) {
    const resource = resourceAttributes(resourceLogs);
    for (const scope of objects(resourceLogs.scopeLogs)) {
      for (const log of objects(scope.logRecords)) {
        const attributes = attributesOf(log.attributes);
        logs.push({
          timestamp: secondsOf(log.timeUnixNano) ?? secondsOf(log.observedTimeUnixNano),
          level: typeof log.severityText === "string" ? log.severityText.toLowerCase() : undefined,
          severity_number: log.severityNumber,
          body: textOf(log.body),
          trace_id: log.traceId,
          span_id: log.spanId,
          attributes: { ...resource, ...attributes },
        });
        if (attributes["exception.type"] !== undefined || attributes["exception.message"] !== undefined)
          exceptions.push(exceptionEnvelope(exceptionOfLog(log, attributes), resource, exceptions.length));
      }
    }
  }
  return [...containers("log", logs, limits), ...exceptions];
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

/** Returns the operation of a span. OpenTelemetry expresses it by the kind, 1 to 5, and by the present attributes. */
function opOf(kind: number, attributes: JsonObject): string | undefined {
  if (attributes["db.system"] !== undefined || attributes["db.system.name"] !== undefined) return "db";
  if (attributes["rpc.system"] !== undefined) return kind === 2 ? "rpc.server" : "rpc.client";
  return opOfKind[kind];
}

const opOfKind: Readonly<Record<number, string>> = {
  1: "function",
  2: "http.server",
  3: "http.client",
  4: "queue.publish",
  5: "queue.process",
};

function spanOf(span: JsonObject, resource: JsonObject): JsonObject {
  const kind = Number(span.kind ?? 0);
  const attributes = attributesOf(span.attributes);
  const parent = typeof span.parentSpanId === "string" && span.parentSpanId !== "" ? span.parentSpanId : undefined;
  return {
    trace_id: span.traceId,
    span_id: span.spanId,
    parent_span_id: parent,
    name: span.name,
    op: opOf(kind, attributes),
    origin: "auto.otlp",
    start_timestamp: secondsOf(span.startTimeUnixNano),
    end_timestamp: secondsOf(span.endTimeUnixNano),
    // A segment begins where a request enters a process.
    is_segment: parent === undefined || kind === 2 || kind === 5,
    status: isObject(span.status) && Number(span.status.code) === 2 ? "error" : "ok",
    attributes: { ...resource, ...attributes },
    links: objects(span.links).map((link) => ({
      trace_id: link.traceId,
      span_id: link.spanId,
      attributes: attributesOf(link.attributes),
    })),
  };
}

/** An exception recorded in a span or, in newer instrumentations, in a log. */
interface RecordedException {
  readonly traceId: unknown;
  readonly spanId: unknown;
  readonly nanos: unknown;
  /** Name of the enclosing span, if known. */
  readonly transaction: unknown;
  readonly attributes: JsonObject;
  /** The visitor, from the enclosing span or log. */
  readonly user: unknown;
}

function exceptionOfSpan(span: JsonObject, event: JsonObject): RecordedException {
  const spanAttributes = attributesOf(span.attributes);
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    nanos: event.timeUnixNano,
    transaction: span.name,
    attributes: attributesOf(event.attributes),
    user: spanAttributes["user.id"] ?? spanAttributes["enduser.id"],
  };
}

function exceptionOfLog(log: JsonObject, attributes: JsonObject): RecordedException {
  return {
    traceId: log.traceId,
    spanId: log.spanId,
    nanos: log.timeUnixNano ?? log.observedTimeUnixNano,
    transaction: undefined,
    attributes,
    user: attributes["user.id"] ?? attributes["enduser.id"],
  };
}

/** OpenTelemetry's names of languages, where Sentry clients use other ones. */
const platforms: Readonly<Record<string, string>> = {
  nodejs: "node",
  webjs: "javascript",
  dotnet: "csharp",
  cpp: "native",
  erlang: "elixir",
  swift: "cocoa",
};

function platformOf(language: unknown): unknown {
  return typeof language === "string" && Object.hasOwn(platforms, language) ? platforms[language] : language;
}

// Parsing the stacks of an export full of exceptions would block other requests for half a second. Beyond this number,
// stacks stay text.
const mostStacksRead = 200;

function exceptionEnvelope(exception: RecordedException, resource: JsonObject, before: number): Envelope {
  const { traceId, spanId, nanos, transaction, attributes, user } = exception;
  const type = attributes["exception.type"];
  const message = attributes["exception.message"];
  const stack = attributes["exception.stacktrace"];
  // Derived from the exception, so that a retry of the exporter is recognised.
  const eventId = createHash("sha256")
    .update(JSON.stringify([traceId, spanId, nanos, type, message]))
    .digest("hex")
    .slice(0, 32);
  const frames = typeof stack === "string" && before < mostStacksRead ? readStackText(stack) : [];
  const payload = {
    event_id: eventId,
    timestamp: secondsOf(nanos),
    platform: platformOf(resource["telemetry.sdk.language"]) ?? "other",
    release: resource["service.version"],
    environment: resource["deployment.environment.name"] ?? resource["deployment.environment"],
    server_name: resource["host.name"],
    transaction,
    user: user === undefined ? undefined : { id: user },
    exception: {
      values: [
        {
          type,
          value: message,
          mechanism: { type: "otlp", handled: true },
          stacktrace: frames.length === 0 ? undefined : { frames },
        },
      ],
    },
    contexts: { trace: { trace_id: traceId, span_id: spanId }, otel: resource },
    extra: { stacktrace: stack },
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
  if (isObject(value.kvlistValue)) return attributesOf(value.kvlistValue.values);
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
