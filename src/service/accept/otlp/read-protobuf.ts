import { type Field, readProtobufFields } from "./protobuf.ts";

/**
 * Converts OpenTelemetry's protobuf messages to the objects of its JSON form, so that one converter serves both. Field
 * numbers are those of opentelemetry-proto 1.x.
 */
export function readTraceRequest(bytes: Uint8Array): object {
  return { resourceSpans: all(bytes, 1, readResourceSpans) };
}

export function readLogRequest(bytes: Uint8Array): object {
  return { resourceLogs: all(bytes, 1, readResourceLogs) };
}

function readResourceSpans(bytes: Uint8Array): object {
  return {
    resource: first(bytes, 1, readResource),
    scopeSpans: all(bytes, 2, (scope) => ({ spans: all(scope, 2, readSpan) })),
  };
}

function readResourceLogs(bytes: Uint8Array): object {
  return {
    resource: first(bytes, 1, readResource),
    scopeLogs: all(bytes, 2, (scope) => ({ logRecords: all(scope, 2, readLogRecord) })),
  };
}

function readResource(bytes: Uint8Array): object {
  return { attributes: all(bytes, 1, readKeyValue) };
}

function readSpan(bytes: Uint8Array): object {
  const fields = readProtobufFields(bytes);
  return {
    traceId: hexOf(fields, 1),
    spanId: hexOf(fields, 2),
    parentSpanId: hexOf(fields, 4),
    name: textOf(fields, 5),
    kind: numberOf(fields, 6),
    startTimeUnixNano: nanosOf(fields, 7),
    endTimeUnixNano: nanosOf(fields, 8),
    attributes: allOf(fields, 9, (pair) => readKeyValue(pair)),
    events: allOf(fields, 11, (event) => {
      const own = readProtobufFields(event);
      return {
        timeUnixNano: nanosOf(own, 1),
        name: textOf(own, 2),
        attributes: allOf(own, 3, (pair) => readKeyValue(pair)),
      };
    }),
    links: allOf(fields, 13, (link) => {
      const own = readProtobufFields(link);
      return { traceId: hexOf(own, 1), spanId: hexOf(own, 2), attributes: allOf(own, 4, (pair) => readKeyValue(pair)) };
    }),
    status: allOf(fields, 15, (status) => {
      const own = readProtobufFields(status);
      return { message: textOf(own, 2), code: numberOf(own, 3) };
    })[0],
  };
}

function readLogRecord(bytes: Uint8Array): object {
  const fields = readProtobufFields(bytes);
  return {
    timeUnixNano: nanosOf(fields, 1),
    severityNumber: numberOf(fields, 2),
    severityText: textOf(fields, 3),
    body: allOf(fields, 5, readAnyValue)[0],
    attributes: allOf(fields, 6, (pair) => readKeyValue(pair)),
    traceId: hexOf(fields, 9),
    spanId: hexOf(fields, 10),
    observedTimeUnixNano: nanosOf(fields, 11),
  };
}

function readKeyValue(bytes: Uint8Array, depth = 0): object {
  const fields = readProtobufFields(bytes);
  return { key: textOf(fields, 1), value: allOf(fields, 2, (value) => readAnyValue(value, depth))[0] };
}

/** Deeper values are useless to a reader and could exhaust the stack. */
const deepest = 16;

function readAnyValue(bytes: Uint8Array, depth = 0): object {
  const [field] = readProtobufFields(bytes);
  if (field === undefined || depth > deepest) return {};
  switch (field.number) {
    case 1:
      return { stringValue: field.kind === "bytes" ? decoder.decode(field.value) : "" };
    case 2:
      return { boolValue: field.kind === "varint" && field.value !== 0n };
    case 3:
      return { intValue: field.kind === "varint" ? String(BigInt.asIntN(64, field.value)) : "0" };
    case 4:
      return { doubleValue: field.kind === "fixed64" ? viewOf(field.value).getFloat64(0, true) : 0 };
    case 5:
      return field.kind === "bytes"
        ? { arrayValue: { values: all(field.value, 1, (value) => readAnyValue(value, depth + 1)) } }
        : {};
    case 6:
      return field.kind === "bytes"
        ? { kvlistValue: { values: all(field.value, 1, (value) => readKeyValue(value, depth + 1)) } }
        : {};
    default:
      return {};
  }
}

const decoder = new TextDecoder();

function all<T>(bytes: Uint8Array, number: number, read: (bytes: Uint8Array) => T): readonly T[] {
  return allOf(readProtobufFields(bytes), number, read);
}

function first<T>(bytes: Uint8Array, number: number, read: (bytes: Uint8Array) => T): T | undefined {
  return all(bytes, number, read)[0];
}

function allOf<T>(fields: readonly Field[], number: number, read: (bytes: Uint8Array) => T): readonly T[] {
  const values: T[] = [];
  for (const field of fields) if (field.number === number && field.kind === "bytes") values.push(read(field.value));
  return values;
}

function lastOf(fields: readonly Field[], number: number): Field | undefined {
  return fields.findLast((field) => field.number === number);
}

function textOf(fields: readonly Field[], number: number): string | undefined {
  const field = lastOf(fields, number);
  return field?.kind === "bytes" ? decoder.decode(field.value) : undefined;
}

function hexOf(fields: readonly Field[], number: number): string | undefined {
  const field = lastOf(fields, number);
  return field?.kind === "bytes" ? Buffer.from(field.value).toString("hex") : undefined;
}

function numberOf(fields: readonly Field[], number: number): number | undefined {
  const field = lastOf(fields, number);
  return field?.kind === "varint" ? Number(field.value) : undefined;
}

function nanosOf(fields: readonly Field[], number: number): string | undefined {
  const field = lastOf(fields, number);
  return field?.kind === "fixed64" ? String(viewOf(field.value).getBigUint64(0, true)) : undefined;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
