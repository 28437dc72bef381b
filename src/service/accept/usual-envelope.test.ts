import { describe, expect, it } from "vitest";
import { protocolLimits, readEnvelope } from "#protocol";
import { readUsualEnvelope } from "./usual-envelope.ts";

const id = "0123456789abcdef0123456789abcdef";
const payload = '{"message":"ünd\u2028"}';
const length = Buffer.byteLength(payload);

describe("an envelope of the usual form", () => {
  it.each([
    [
      "as the browser's client writes it",
      `{"event_id":"${id}","sent_at":"2026-11-15T10:00:00.000Z"}\n{"type":"event"}\n${payload}`,
    ],
    ["with a line end", `{"event_id":"${id}"}\n{"type":"event"}\n${payload}\n`],
    ["with a length", `{"event_id":"${id}"}\n{"type":"transaction","length":${length}}\n${payload}`],
    [
      "with both",
      `{"event_id":"${id}","sdk":{"name":"ü"},"trace":{"sampled":"true"}}\n{"type":"event","length":${length}}\n${payload}\n`,
    ],
    ["with a dsn", `{"event_id":"${id}","dsn":"https://a@b/1","sdk":{"name":"x"}}\n{"type":"event"}\n${payload}`],
    ["with a payload of several lines", `{"event_id":"${id}"}\n{"type":"event","length":3}\n{\n}\n`],
  ])("is recognised %s", (_name, text) => {
    expect(readUsualEnvelope(Buffer.from(text), protocolLimits)).toMatchObject({ eventId: id });
    expect(disagreement(Buffer.from(text))).toBeUndefined();
  });

  it.each([
    ["no id", `{}\n{"type":"event"}\n{}`],
    ["an id in capitals and dashes", '{"event_id":"01234567-89AB-CDEF-0123-456789ABCDEF"}\n{"type":"event"}\n{}'],
    ["an id of nothing but zeros", `{"event_id":"${"0".repeat(32)}"}\n{"type":"event"}\n{}`],
    ["a second id", `{"event_id":"${id}","event_id":"${id}"}\n{"type":"event"}\n{}`],
    ["a second id that is written otherwise", `{"event_id":"${id}","event\\u005fid":"${id}"}\n{"type":"event"}\n{}`],
    ["two dsns", `{"event_id":"${id}","dsn":"https://a@b/1","dsn":"https://a@b/2"}\n{"type":"event"}\n{}`],
    ["a dsn that is no text", `{"event_id":"${id}","dsn":{}}\n{"type":"event"}\n{}`],
    ["a number in its header", `{"event_id":"${id}","x":1}\n{"type":"event"}\n{}`],
    ["a header that is no JSON", `{"event_id":"${id}"\n{"type":"event"}\n{}`],
    ["a header that is no object", `"${id}"\n{"type":"event"}\n{}`],
    ["a header that is too long", `{"event_id":"${id}","x":"${"y".repeat(8_192)}"}\n{"type":"event"}\n{}`],
    ["two items", `{"event_id":"${id}"}\n{"type":"event"}\n{}\n{"type":"session"}\n{}\n`],
    ["no item", `{"event_id":"${id}"}\n`],
    ["an item of an unknown kind", `{"event_id":"${id}"}\n{"type":"telepathy"}\n{}`],
    ["an item with more in its header", `{"event_id":"${id}"}\n{"type":"event","content_type":"x"}\n{}`],
    ["a length beyond the end", `{"event_id":"${id}"}\n{"type":"event","length":3}\n{}`],
    ["a length before the end", `{"event_id":"${id}"}\n{"type":"event","length":1}\n{}\n`],
    ["bytes behind the payload", `{"event_id":"${id}"}\n{"type":"event","length":2}\n{}\n\n`],
    ["a payload worth looking through", `{"event_id":"${id}"}\n{"type":"event"}\n{"x":"${"y".repeat(16_384)}"}`],
    ["nothing", ""],
  ])("is not one with %s", (_name, text) => {
    expect(readUsualEnvelope(Buffer.from(text), protocolLimits)).toBeUndefined();
  });

  it("is never read differently from the general reader, however its bytes were changed", () => {
    const whole = Buffer.from(
      `{"event_id":"${id}","sent_at":"2026-11-15T10:00:00.000Z"}\n{"type":"event","length":${length}}\n${payload}\n`,
    );
    let recognised = 0;
    for (let at = 0; at < whole.length; at += 1) {
      for (const byte of [0x00, 0x0a, 0x0d, 0x20, 0x22, 0x30, 0x39, 0x5c, 0x61, 0x7b, 0x7d, 0x80, 0xff]) {
        const changed = Buffer.from(whole);
        changed[at] = byte;
        const longer = Buffer.concat([whole.subarray(0, at), Buffer.of(byte), whole.subarray(at)]);
        for (const bytes of [changed, longer, whole.subarray(0, at)]) {
          recognised += Number(readUsualEnvelope(bytes, protocolLimits) !== undefined);
          expect(disagreement(bytes), bytes.toString("latin1")).toBeUndefined();
        }
      }
    }
    expect(recognised).toBeGreaterThan(500);
  });
});

/** Differences between the two readers, if the quick one accepts the bytes. */
function disagreement(bytes: Buffer): object | undefined {
  const usual = readUsualEnvelope(bytes, protocolLimits);
  if (usual === undefined) return undefined;
  const reading = readEnvelope(bytes);
  if (reading.kind !== "read") return { usual, reading };
  const { header, items, skipped } = reading.envelope;
  const agrees =
    header.eventId === usual.eventId &&
    header.dsn === usual.dsn &&
    items.length === 1 &&
    items[0]?.header.type === usual.type &&
    skipped.length === 0;
  return agrees ? undefined : { usual, reading };
}
