import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/root.js";
import { readStrictly } from "./strict-protocol.ts";

const real = globSync(join(root, "tests/compatibility/envelopes/*.envelope"));

test.each(real.map((file) => [basename(file), file] as const))("what official clients send is taken: %s", (_, file) => {
  expect(readStrictly(readFileSync(file)).length).toBeGreaterThan(0);
});

const id = "0123456789abcdef0123456789abcdef";
const event = { event_id: id, timestamp: 1_763_183_354.1, platform: "node", level: "error", message: "x" };

function envelope(header: object, itemHeader: object, payload: object): Buffer {
  return Buffer.from(`${JSON.stringify(header)}\n${JSON.stringify(itemHeader)}\n${JSON.stringify(payload)}\n`);
}

test.each([
  ["a header that is no JSON", Buffer.from("nonsense\n")],
  ["a length that is too large", envelope({ event_id: id }, { type: "event", length: 9_999 }, event)],
  ["a length that is too small", envelope({ event_id: id }, { type: "event", length: 3 }, event)],
  ["two ids", envelope({ event_id: id.replace("0", "f") }, { type: "event" }, event)],
  ["milliseconds", envelope({ event_id: id }, { type: "event" }, { ...event, timestamp: Date.now() })],
  ["an event without anything", envelope({ event_id: id }, { type: "event" }, { ...event, message: undefined })],
  ["a tag that is an object", envelope({ event_id: id }, { type: "event" }, { ...event, tags: { a: {} } })],
  [
    "a short trace",
    envelope({ event_id: id }, { type: "event" }, { ...event, contexts: { trace: { trace_id: "a" } } }),
  ],
  [
    "a wrong count",
    envelope({}, { type: "log", item_count: 2, content_type: "application/vnd.sentry.items.log+json" }, { items: [] }),
  ],
])("what breaks the protocol is refused: %s", (_, bytes) => {
  expect(() => readStrictly(bytes)).toThrow("The protocol is broken");
});
