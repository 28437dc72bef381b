import { describe, expect, it } from "vitest";
import { cleanEnvelope } from "./clean-envelope.ts";
import { Scrubber } from "./scrub.ts";

describe("a stored envelope that could not be filed", () => {
  it("contains no secrets, in any of its lines", () => {
    const event = {
      message: "a message",
      request: {
        cookies: { theme: "MARKER-1" },
        headers: { Authorization: "MARKER-2" },
        env: { REMOTE_ADDR: "10.0.0.9" },
      },
      extra: { note: "card 4111 1111 1111 1111", deep: [{ password: "MARKER-3" }] },
    };
    const kept = clean(`{"event_id":"a"}\n{"type":"event"}\n${JSON.stringify(event)}\nno JSON, token=MARKER-4\n`);
    expect(kept.split("\n").slice(0, 2)).toEqual(['{"event_id":"a"}', '{"type":"event"}']);
    expect(kept).toContain("a message");
    for (const secret of ["MARKER", "10.0.0.9", "4111"]) expect(kept).not.toContain(secret);
  });

  it("is replaced by a note if it cannot be scrubbed", () => {
    const scrubber = new Scrubber();
    scrubber.text = () => {
      throw new Error("a fault");
    };
    expect(`${cleanEnvelope(Buffer.from("token=MARKER"), scrubber)}`).toBe(
      "12 bytes that cannot be scrubbed: a fault\n",
    );
  });
});

function clean(text: string): string {
  return Buffer.from(cleanEnvelope(Buffer.from(text), new Scrubber())).toString();
}
