import { describe, expect, it } from "vitest";
import type { Envelope, Reading } from "#protocol";
import { acceptLimits } from "../limits.ts";
import { fromOtlp } from "./from-otlp.ts";

const traceId = "6729a172567d8fb0f8f9b793e2bb2098";
const spanId = "372708c0e96286ea";

describe("an OpenTelemetry export", () => {
  it("an OpenTelemetry export of spans yields the same from protobuf as from JSON", () => {
    const json = {
      resourceSpans: [
        {
          resource: { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] },
          scopeSpans: [
            {
              spans: [
                {
                  traceId,
                  spanId,
                  parentSpanId: "1111111111111111",
                  name: "GET /orders",
                  kind: 2,
                  startTimeUnixNano: "1794702437443000000",
                  endTimeUnixNano: "1794702437543000000",
                  attributes: [
                    { key: "count", value: { intValue: "-7" } },
                    { key: "ratio", value: { doubleValue: 0.25 } },
                    { key: "ok", value: { boolValue: true } },
                    { key: "list", value: { arrayValue: { values: [{ stringValue: "a" }, { stringValue: "b" }] } } },
                    {
                      key: "pairs",
                      value: { kvlistValue: { values: [{ key: "a", value: { stringValue: "b" } }] } },
                    },
                  ],
                  events: [
                    {
                      timeUnixNano: "1794702437443584497",
                      name: "exception",
                      attributes: [{ key: "exception.type", value: { stringValue: "Error" } }],
                    },
                  ],
                  links: [{ traceId, spanId: "2222222222222222", attributes: [] }],
                  status: { message: "bad", code: 2 },
                },
              ],
            },
          ],
        },
      ],
    };
    const text = (value: string) => bytes(1, utf8(value));
    const attribute = (key: string, value: Buffer) => Buffer.concat([text(key), bytes(2, value)]);
    const span = Buffer.concat([
      bytes(1, hex(traceId)),
      bytes(2, hex(spanId)),
      bytes(4, hex("1111111111111111")),
      bytes(5, utf8("GET /orders")),
      number(6, 2n),
      fixed64(7, 1794702437443000000n),
      fixed64(8, 1794702437543000000n),
      bytes(9, attribute("count", number(3, BigInt.asUintN(64, -7n)))),
      bytes(9, attribute("ratio", double(4, 0.25))),
      bytes(9, attribute("ok", number(2, 1n))),
      bytes(9, attribute("list", bytes(5, Buffer.concat([bytes(1, text("a")), bytes(1, text("b"))])))),
      bytes(9, attribute("pairs", bytes(6, bytes(1, attribute("a", text("b")))))),
      bytes(
        11,
        Buffer.concat([
          fixed64(1, 1794702437443584497n),
          bytes(2, utf8("exception")),
          bytes(3, attribute("exception.type", text("Error"))),
        ]),
      ),
      bytes(13, Buffer.concat([bytes(1, hex(traceId)), bytes(2, hex("2222222222222222"))])),
      bytes(15, Buffer.concat([bytes(2, utf8("bad")), number(3, 2n)])),
    ]);
    const resource = bytes(1, bytes(1, attribute("service.name", text("shop"))));
    const protobuf = bytes(1, Buffer.concat([resource, bytes(2, bytes(2, span))]));
    const fromJson = payloads(fromOtlp(Buffer.from(JSON.stringify(json)), "json", "traces", acceptLimits));
    expect(fromJson).toMatchObject([
      {
        items: [
          {
            name: "GET /orders",
            attributes: { count: -7, list: ["a", "b"], pairs: { a: "b" }, "service.name": "shop" },
          },
        ],
      },
      { exception: {} },
    ]);
    expect(payloads(fromOtlp(protobuf, "protobuf", "traces", acceptLimits))).toEqual(fromJson);
  });

  it("an OpenTelemetry export of logs yields the same from protobuf as from JSON", () => {
    const record = {
      timeUnixNano: "1794702437443000000",
      severityNumber: 17,
      severityText: "ERROR",
      body: { stringValue: "hello" },
      traceId,
      spanId,
    };
    const json = { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] };
    const protobuf = Buffer.concat([
      fixed64(1, 1794702437443000000n),
      number(2, 17n),
      bytes(3, utf8("ERROR")),
      bytes(5, bytes(1, utf8("hello"))),
      bytes(9, hex(traceId)),
      bytes(10, hex(spanId)),
    ]);
    const fromJson = payloads(fromOtlp(Buffer.from(JSON.stringify(json)), "json", "logs", acceptLimits));
    expect(fromJson).toMatchObject([{ items: [{ body: "hello", level: "error", trace_id: traceId }] }]);
    expect(payloads(fromOtlp(bytes(1, bytes(2, bytes(2, protobuf))), "protobuf", "logs", acceptLimits))).toEqual(
      fromJson,
    );
  });

  const attributes = (values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const exception = attributes({
    "exception.type": "ValueError",
    "exception.message": "no order",
    "exception.stacktrace":
      'Traceback (most recent call last):\n  File "/app/orders.py", line 4, in load\n    raise ValueError()\nValueError: no order',
  });
  const resource = { attributes: attributes({ "telemetry.sdk.language": "nodejs", "service.version": "1.2" }) };
  const event = {
    platform: "node",
    release: "1.2",
    exception: {
      values: [
        {
          type: "ValueError",
          value: "no order",
          stacktrace: { frames: [{ filename: "/app/orders.py", lineno: 4, function: "load" }] },
        },
      ],
    },
  };

  it("contains an exception with its stack, recorded by a span or a log", () => {
    const span = {
      traceId,
      spanId,
      name: "GET /orders",
      attributes: attributes({ "enduser.id": "u1" }),
      events: [{ timeUnixNano: "1794702437443584497", name: "exception", attributes: exception }],
    };
    const log = { timeUnixNano: "1794702437443584497", traceId, spanId, severityNumber: 17, attributes: exception };
    const traces = { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] };
    const logs = {
      resourceLogs: [{ resource, scopeLogs: [{ logRecords: [log, { body: { stringValue: "calm" } }] }] }],
    };
    const read = (request: object, signal: "traces" | "logs") =>
      payloads(fromOtlp(Buffer.from(JSON.stringify(request)), "json", signal, acceptLimits));
    expect(read(traces, "traces")[1]).toMatchObject({ ...event, user: { id: "u1" }, transaction: "GET /orders" });
    const [lines, ...raised] = read(logs, "logs");
    expect(lines).toMatchObject({ items: [{ severity_number: 17 }, { body: "calm" }] });
    expect(raised).toMatchObject([event]);
  });

  it("gets the operation of a span from its kind and its attributes", () => {
    const opOf = (kind: number, named: Readonly<Record<string, string>>) => {
      const span = { traceId, spanId, name: "x", kind, startTimeUnixNano: "1", attributes: attributes(named) };
      const request = { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
      const [payload] = payloads(fromOtlp(Buffer.from(JSON.stringify(request)), "json", "traces", acceptLimits));
      return payload;
    };
    expect(opOf(3, { "db.system.name": "postgresql" })).toMatchObject({ items: [{ op: "db" }] });
    expect(opOf(3, {})).toMatchObject({ items: [{ op: "http.client" }] });
    expect(opOf(2, { "rpc.system": "grpc" })).toMatchObject({ items: [{ op: "rpc.server" }] });
  });

  it("an OpenTelemetry export that is malformed is refused with a reason", () => {
    for (const broken of [
      Buffer.from([0x0a, 0xff]),
      Buffer.from([0x0a, 0x05, 1]),
      Buffer.from([0x0f]),
      Buffer.alloc(20, 0xff),
    ]) {
      expect(fromOtlp(broken, "protobuf", "traces", acceptLimits)).toMatchObject({
        kind: "unreadable",
        why: expect.stringContaining("no protobuf message"),
      });
    }
  });

  it("an OpenTelemetry export that is sent twice names the same exception by the same id", () => {
    const span = {
      traceId,
      spanId,
      startTimeUnixNano: "1",
      endTimeUnixNano: "2",
      events: [{ name: "exception", timeUnixNano: "1", attributes: [] }],
    };
    const body = Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }));
    const ids = [1, 2].map(() => {
      const reading = fromOtlp(body, "json", "traces", acceptLimits);
      return reading.kind === "read" ? reading.value[1]?.header.eventId : undefined;
    });
    expect(ids[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(ids[1]).toBe(ids[0]);
  });
});

function payloads(reading: Reading<readonly Envelope[]>): unknown[] {
  if (reading.kind === "unreadable") throw new Error(reading.why);
  return reading.value.flatMap(({ items }) => items.map(({ payload }) => JSON.parse(Buffer.from(payload).toString())));
}

/** The part of a protobuf writer that these tests need. */
function varint(value: bigint): Buffer {
  const out: number[] = [];
  let left = value;
  do {
    const more = left > 0x7fn;
    out.push(Number(left & 0x7fn) | (more ? 0x80 : 0));
    left >>= 7n;
  } while (left > 0n);
  return Buffer.from(out);
}

function number(field: number, value: bigint): Buffer {
  return Buffer.concat([varint(BigInt(field << 3)), varint(value)]);
}

function bytes(field: number, value: Buffer): Buffer {
  return Buffer.concat([varint(BigInt((field << 3) | 2)), varint(BigInt(value.length)), value]);
}

function fixed64(field: number, value: bigint): Buffer {
  const out = Buffer.alloc(8);
  out.writeBigUInt64LE(value);
  return Buffer.concat([varint(BigInt((field << 3) | 1)), out]);
}

function double(field: number, value: number): Buffer {
  const out = Buffer.alloc(8);
  out.writeDoubleLE(value);
  return Buffer.concat([varint(BigInt((field << 3) | 1)), out]);
}

function utf8(text: string): Buffer {
  return Buffer.from(text);
}

function hex(text: string): Buffer {
  return Buffer.from(text, "hex");
}
