import { defaultStackParser } from "sentry-browser-11";
import { describe, expect, it } from "vitest";
import { readEvent } from "#protocol";
import { readStack } from "../../src/reporting/describe/read-stack.ts";
import { groupEvent } from "../../src/service/grouping/group-event.ts";
import { markInApp } from "../../src/service/grouping/in-app.ts";
import { titleOf } from "../../src/service/grouping/title.ts";

const file = "https://shop.example/_assets/cart-B1x2c3d4.js";

/** One bug in a page, as each engine reports it: text, function names and native frames differ. */
const inEngines = {
  Chromium: `TypeError: Cannot read properties of undefined (reading 'cents')
    at priceOf (${file}:1:120)
    at Array.map (<anonymous>)
    at Cart.total [as sum] (${file}:1:80)
    at get checkout (${file}:1:70)
    at new Checkout (${file}:1:60)
    at HTMLButtonElement.<anonymous> (${file}:1:40)
    at async Cart.openCheckout (${file}:1:30)
    at ${file}:1:10`,
  Firefox: `priceOf@${file}:1:120
total@${file}:1:80
get checkout@${file}:1:70
Checkout@${file}:1:60
listen/<@${file}:1:40
async*openCheckout@${file}:1:30
@${file}:1:10
`,
  Safari: `priceOf@${file}:1:120
map@[native code]
total@${file}:1:80
checkout@${file}:1:70
Checkout@${file}:1:60
@${file}:1:40
openCheckout@${file}:1:30
module code@${file}:1:10`,
};

describe("one bug is one issue in every engine", () => {
  it.each([
    ["the official client", (stack: string) => defaultStackParser(stack)],
    ["the framework's own", (stack: string) => readStack(stack, 50)],
  ])("one bug is one issue in every engine when %s has read its stack", (_, read) => {
    const events = Object.values(inEngines).map((stack) => {
      const value = stack.startsWith("TypeError")
        ? "Cannot read properties of undefined"
        : "undefined is not an object";
      return eventWith("TypeError", value, read(stack));
    });
    const [first, ...others] = events.map((event) => groupEvent(event)[0]);
    expect(first?.reason.rule).toBe("stack");
    for (const other of others) expect(other).toEqual(first);
    expect(events.map((event) => titleOf(event).culprit)).toEqual(events.map(() => `${file}:1 priceOf`));
  });

  it("one bug is one issue in every engine, even if only a library was running, whose errors the engines word differently", () => {
    const library = "https://shop.example/node_modules/charts/index.js";
    const stacks = [
      `TypeError: x is undefined\n    at drawAxis (${library}:1:9)\n    at Array.forEach (<anonymous>)\n    at tick (${library}:1:1)`,
      `drawAxis@${library}:1:9\nforEach@[native code]\nstep@${library}:1:1`,
    ];
    const [chromium, safari] = stacks.map((stack, at) =>
      groupEvent(eventWith("TypeError", `text ${at}`, readStack(stack, 50))),
    );
    expect(chromium).toEqual(safari);
    expect(chromium?.[0].reason).toEqual({ rule: "library", parts: ["TypeError", "index.js drawAxis"] });
  });
});

function eventWith(type: string, value: string, frames: readonly object[]) {
  const reading = readEvent({
    platform: "javascript",
    exception: { values: [{ type, value, stacktrace: { frames } }] },
  });
  if (reading.kind !== "read") throw new Error(reading.why);
  return markInApp(reading.value);
}
