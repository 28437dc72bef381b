import { describe, expect, test } from "vitest";
import type { Failure } from "#host";
import type { PastEvent } from "../replay/past-event.ts";
import { type HandedOver, nothingHandedOver } from "../replay/send-past-request.ts";
import { judge } from "./run-again.ts";
import { writeTest } from "./write-test.ts";

const page: PastEvent = {
  eventId: "0123456789abcdef0123456789abcdef",
  at: 0,
  side: "server",
  method: "GET",
  target: "/orders/7",
  action: undefined,
  name: "RangeError",
  message: "no order 7",
};
const action: PastEvent = { ...page, method: "POST", target: "/orders/7/_action/pay", action: "pay" };
const nothing = nothingHandedOver;
const paid: HandedOver = { ...nothing, fields: [["amount", "7"]] };
const failure = (name: string, message: string): Failure => ({ name, message }) as Failure;

function judged(event: PastEvent, status: number, handedOver = nothing, failures: Failure[] = []) {
  const { kind, ...more } = judge({ event, status, handedOver, failures, leadsTo: "/sign-in" });
  return "why" in more ? `${kind}: ${more.why}` : kind;
}

describe("a request that is sent again", () => {
  test("passes only if it got as far as the event did", () => {
    expect(judged(page, 200)).toBe("passes");
    expect(judged(action, 200, paid)).toBe("passes");
    expect(judged(action, 303, paid)).toBe("passes");
  });

  test.each<[string, PastEvent, number, HandedOver, string]>([
    ["finds nothing", page, 404, nothing, "nothing is found there"],
    ["leads elsewhere", page, 302, nothing, "it leads to /sign-in"],
    ["may not be seen", page, 403, nothing, "--cookie"],
    ["is refused for want of its form", action, 422, nothing, "hand it over with --field"],
    ["has another type of body than the action takes", action, 415, nothing, "hand it over with --field"],
    ["is taken without its form", action, 303, nothing, "without it nothing fails"],
    ["is refused with the form that was handed over", action, 422, paid, "what was sent is refused"],
    [
      "happened in a browser",
      { ...page, side: "browser" },
      200,
      nothing,
      "what happened in the browser is not done again",
    ],
    ["has no whole address", { ...page, target: "/reset/[left-out]" }, 200, nothing, "a part of its address"],
  ])("is no pass when it %s", (_, event, status, handedOver, why) => {
    expect(judged(event, status, handedOver)).toContain("cannot-tell: ");
    expect(judged(event, status, handedOver)).toContain(why);
  });

  test("a request that is sent again still fails with the same error, and fails otherwise with any other", () => {
    expect(judged(page, 500, nothing, [failure("RangeError", "no order 7")])).toBe("still-fails");
    expect(judged(page, 200, nothing, [failure("TypeError", "late")])).toBe("fails-otherwise");
    expect(judged(page, 500)).toBe("fails-otherwise");
  });
});

describe("a test that is written from an event", () => {
  test("submits to the action, with the given fields or a place for them", () => {
    expect(writeTest(action, paid)).toContain('await app.submit("/orders/7", "pay", {"amount":"7"});');
    expect(writeTest(action, nothing)).toContain("// An event never contains what was posted: write the fields here.");
  });

  test("requests the page, and fails if anything fails while it is rendered", () => {
    const written = writeTest(page, nothing);
    expect(written).toContain('await app.request("/orders/7");');
    expect(written).toContain("expect(app.failures).toEqual([]);");
  });
});
