import { describe, expect, test } from "vitest";
import type { WireEvent } from "../wire.ts";
import { classes } from "./classes.ts";
import { frameworkSignals } from "./framework-signals.ts";
import { judgeEvent } from "./judge-event.ts";
import { judgeNavigation, judgeRequest } from "./judge-trace.ts";
import { noisyErrors } from "./noisy-errors.ts";

const inBrowser = {
  isOwnFile: (file: string): boolean => file.startsWith("https://shop.example/_assets/"),
  vendorOf: (file: string): string | undefined => (file.startsWith("https://pay.example/") ? "pay.example" : undefined),
};

/** Examples of the rules, as `Type: value`. */
const noise = [
  ["opaque-script-error", "Error: Script error."],
  ["opaque-script-error", "Error: Javascript error: Script error. on line 0"],
  ["resize-observer", "Error: ResizeObserver loop completed with undelivered notifications."],
  ["extension-script", "Error: Extension context invalidated."],
  ["ad-script", "TypeError: Cannot redefine property: googletag"],
  ["wallet-extension", 'TypeError: can\'t redefine non-configurable property "solana"'],
  ["search-app", "ReferenceError: Can't find variable: gmo"],
  ["search-app", "TypeError: undefined is not an object (evaluating 'a.L')"],
  ["marketing-script", "TypeError: vv().getRestrictions is not a function"],
  ["autofill-script", "ReferenceError: Can't find variable: _AutofillCallbackHandler"],
  ["link-scanner", "Error: Object Not Found Matching Id:3, MethodName:simulateEvent, ParamCount:1"],
  ["android-bridge", "Error: Java object is gone"],
  ["media-interrupted", "AbortError: The play() request was interrupted by a call to pause()."],
] as const;

const signals = [
  ["abort", "AbortError: This operation was aborted"],
  ["view-transition-skipped", "AbortError: Transition was skipped"],
  ["suspense", "Error: Suspense Exception: This is not a real error! It's an implementation detail"],
  ["outcome", "Error: Object captured as exception with keys: ends"],
] as const;

const context = [
  ["deploy-skew", "TypeError: Failed to fetch dynamically imported module: https://shop.example/_assets/page-1.js"],
  ["offline", "TypeError: Failed to fetch"],
  ["hydration", "Error: Minified React error #418; visit https://react.dev/errors/418"],
  [
    "translator",
    "NotFoundError: Failed to execute 'removeChild' on 'Node': The node to be removed is not a child of this node.",
  ],
] as const;

describe("every rule", () => {
  test.each([
    ["noise", noisyErrors, noise],
    ["signals", frameworkSignals, signals],
    ["classes", classes, context],
  ] as const)("every rule of %s has an example", (_, rules, examples) => {
    const without = rules.filter(
      ({ name, pattern }) => !examples.some(([of, example]) => of === name && pattern.test(example)),
    );
    expect(without).toEqual([]);
    expect(rules.length).toBeGreaterThan(2);
  });
});

describe("a report", () => {
  test.each(noise)("leaves out %s: %s", (rule, example) => {
    expect(judgeEvent(eventOf(example), inBrowser)).toEqual({ kind: "leave-out", rule });
  });

  test.each(noise)("a report of the same words on the server is kept: %s, %s", (_rule, example) => {
    expect(judgeEvent(eventOf(example)).kind).not.toBe("leave-out");
  });

  test.each(signals)("leaves out %s on both sides", (rule, example) => {
    expect(judgeEvent(eventOf(example))).toEqual({ kind: "leave-out", rule });
    expect(judgeEvent(eventOf(example), inBrowser)).toEqual({ kind: "leave-out", rule });
  });

  test.each(context)("a report of the class %s goes out with its class", (as, example) => {
    expect(judgeEvent(eventOf(example), inBrowser)).toEqual({ kind: "warn", tags: { class: as } });
  });

  test.each([
    "TypeError: Cannot read properties of undefined (reading 'id')",
    "Error: The script error log could not be written",
    "Error: aborted by the warehouse",
    "AbortError: The warehouse aborted the order",
  ])("a report of an ordinary error is sent: %s", (text) => {
    expect(judgeEvent(eventOf(text), inBrowser)).toEqual({ kind: "report" });
  });

  test.each([
    "TypeError: fetch failed",
    "Error: The signature did not match",
    "Error: error while hydrating the cache",
  ])("a report of a server has no class: %s", (text) => {
    expect(judgeEvent(eventOf(text))).toEqual({ kind: "report" });
  });

  test("a report of something else that does not match is no failed hydration", () => {
    expect(judgeEvent(eventOf("Error: The passwords did not match"), inBrowser)).toEqual({ kind: "report" });
  });

  test("leaves out an error without a line of the application in its stack", () => {
    const event = eventOf("TypeError: x is not a function", ["chrome-extension://abc/a.js", "<anonymous>"]);
    expect(judgeEvent(event, inBrowser)).toEqual({ kind: "leave-out", rule: "foreign-frames" });
  });

  test("is the vendor's if all lines are in scripts of others and one is of a site whose script was loaded", () => {
    const event = eventOf("TypeError: x is not a function", [
      "chrome-extension://abc/a.js",
      "https://pay.example/v3.js",
    ]);
    expect(judgeEvent(event, inBrowser)).toEqual({ kind: "warn", tags: { vendor: "pay.example" } });
  });

  test("keeps it if one line is the application's", () => {
    const event = eventOf("TypeError: x is not a function", [
      "https://cdn.example/a.js",
      "https://shop.example/_assets/a.js",
    ]);
    expect(judgeEvent(event, inBrowser)).toEqual({ kind: "report" });
  });

  test("leaves out an error without message and stack", () => {
    expect(judgeEvent(eventOf("Error: "), inBrowser)).toEqual({ kind: "leave-out", rule: "empty-error" });
  });
});

describe("a trace", () => {
  test("a trace of a page that does not exist is left out", () => {
    expect(judgeRequest("not-found", { status: 404, kind: "answered" })).toBe("not-found-page");
    expect(judgeRequest("/orders/[id]", { status: 404, kind: "answered" })).toBe("not-found-page");
    expect(judgeRequest("/orders/[id]", { status: 200, kind: "answered" })).toBeUndefined();
    expect(judgeNavigation({ kind: "committed", route: "/a", status: 404, data: "fetched" })).toBe("not-found-page");
  });

  test("a trace of a navigation that did not complete is left out", () => {
    expect(judgeNavigation({ kind: "superseded" })).toBe("unfinished-navigation");
    expect(judgeNavigation({ kind: "cancelled" })).toBe("unfinished-navigation");
    expect(judgeNavigation({ kind: "held" })).toBe("unfinished-navigation");
    expect(judgeNavigation({ kind: "committed", route: "/a", status: 200, data: "fetched" })).toBeUndefined();
    expect(judgeNavigation({ kind: "handed-over", reason: "timeout-data" })).toBe("unfinished-navigation");
  });
});

function eventOf(text: string, files: readonly string[] = []): WireEvent {
  const [type = "Error"] = text.split(":", 1);
  const frames = files.map((filename) => ({ filename, function: "?", in_app: true }));
  return {
    event_id: "0123456789abcdef0123456789abcdef",
    timestamp: 0,
    platform: "javascript",
    level: "error",
    exception: {
      values: [
        {
          type,
          value: text.slice(type.length + 2),
          mechanism: { type: "generic", handled: false },
          ...(frames.length > 0 && { stacktrace: { frames } }),
        },
      ],
    },
  };
}
