import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { protocolLimits } from "../limits.ts";
import { itemKinds } from "./item-types.ts";
import { EnvelopeReader, type EnvelopeReading, readEnvelope } from "./read-envelope.ts";
import { type EnvelopeItem, jsonItem, writeEnvelope } from "./write-envelope.ts";

describe("reading an envelope", () => {
  it("returns what was written, for all payloads and wherever the chunks are cut", () => {
    fc.assert(
      fc.property(envelopes, fc.array(fc.nat(400), { maxLength: 20 }), (items, cuts) => {
        const bytes = writeEnvelope({ eventId: "0123456789abcdef0123456789abcdef" }, items);
        const whole = readEnvelope(bytes);
        expect(plain(readInPieces(bytes, cuts))).toEqual(plain(whole));
        expect(plain(whole)).toEqual({
          eventId: "0123456789abcdef0123456789abcdef",
          items: items.map(({ header, payload }) => [header.type, Buffer.from(payload).toString("hex")]),
        });
      }),
    );
  });

  it("ends in a reading and never in an exception, for all bytes", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.constantFrom("", "{}\n", '{}\n{"type":"event"}\n', '{}\n{"type":"event","length":3}\n'),
        (bytes, start) => {
          const all = Buffer.concat([Buffer.from(start), bytes]);
          expect(["read", "malformed", "too-large"]).toContain(readEnvelope(all).kind);
          expect(plain(readInPieces(all, [1, 2, 5, 40]))).toEqual(plain(readEnvelope(all)));
        },
      ),
    );
  });

  it("reads payloads without length to the end of their line, with or without a last line end", () => {
    for (const end of ["", "\n", "\n\n"])
      expect(plain(read(`{}\n{"type":"event"}\n{"a":1}${end}`))).toMatchObject({ items: [["event", hex('{"a":1}')]] });
  });

  it("reads a length of 0 as an empty payload, not as a missing length", () => {
    expect(plain(read('{}\n{"type":"attachment","length":0}\n\n{"type":"event"}\n{}'))).toMatchObject({
      items: [
        ["attachment", ""],
        ["event", hex("{}")],
      ],
    });
  });

  it("leaves a carriage return in the payload, as the protocol requires", () => {
    expect(plain(read('{}\n{"type":"event"}\n{}\r\n'))).toMatchObject({ items: [["event", hex("{}\r")]] });
  });

  it("skips items of unknown type and those that are too large, and keeps the others", () => {
    const large = "x".repeat(protocolLimits.smallItemBytes + 1);
    const reading = read(
      `{}\n{"type":"future","length":4}\n\n\n\n\n\n{"type":"session"}\n${large}\n{"type":"event"}\n{}`,
    );
    expect(reading).toMatchObject({
      kind: "read",
      envelope: {
        items: [{ header: { type: "event" } }],
        skipped: [
          { type: "future", reason: "unknown-type" },
          { type: "session", reason: "too-large" },
        ],
      },
    });
  });

  it("reads the header line, in every form of its fields", () => {
    const reading = read(
      '{"event_id":"01234567-89AB-cdef-0123-456789abcdef","sent_at":"2026-11-15T00:00:00Z","dsn":"http://k@h/1","trace":{"trace_id":"t","n":1}}\n',
    );
    expect(reading).toMatchObject({
      envelope: {
        header: {
          eventId: "0123456789abcdef0123456789abcdef",
          sentAtMs: 1_794_700_800_000,
          dsn: "http://k@h/1",
          trace: { trace_id: "t", n: 1 },
        },
      },
    });
  });

  it("holds no more memory than has arrived, whatever length is declared", () => {
    const reader = new EnvelopeReader();
    const before = process.memoryUsage().arrayBuffers;
    reader.push(Buffer.from('{}\n{"type":"span","length":12000000}\nabc'));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
    expect(reader.end()).toMatchObject({ kind: "malformed", why: expect.stringContaining("beyond the end") });
  });

  it("stops when the kept payloads together exceed the limit of one request", () => {
    const reader = new EnvelopeReader({ ...protocolLimits, keptBytes: 100 });
    reader.push(Buffer.from(`{}\n{"type":"event"}\n${"x".repeat(60)}\n{"type":"log"}\n${"x".repeat(60)}\n`));
    expect(reader.failure).toMatchObject({ kind: "too-large" });
  });
});

const envelopes = fc.array(
  fc.oneof(
    fc
      .record({ type: fc.constantFrom(...Object.keys(itemKinds)), payload: fc.uint8Array({ maxLength: 200 }) })
      .map(({ type, payload }): EnvelopeItem => ({ header: { type }, payload })),
    fc.jsonValue().map((value) => jsonItem("event", value)),
  ),
  { maxLength: 6 },
);

function read(text: string): EnvelopeReading {
  return readEnvelope(Buffer.from(text));
}

function readInPieces(bytes: Uint8Array, cuts: readonly number[]): EnvelopeReading {
  const reader = new EnvelopeReader();
  let from = 0;
  for (const cut of cuts) {
    reader.push(bytes.slice(from, from + cut));
    from += cut;
  }
  reader.push(bytes.slice(from));
  return reader.end();
}

function plain(reading: EnvelopeReading): unknown {
  if (reading.kind !== "read") return reading;
  const { header, items } = reading.envelope;
  return {
    eventId: header.eventId,
    items: items.map((item) => [item.header.type, Buffer.from(item.payload).toString("hex")]),
  };
}

function hex(text: string): string {
  return Buffer.from(text).toString("hex");
}
