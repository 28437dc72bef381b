import { describe, expect, test } from "vitest";
import type { WireEvent } from "../wire.ts";
import { classes } from "./classes.ts";
import { frameworkSignals } from "./framework-signals.ts";
import { judgeEvent } from "./judge-event.ts";
import { judgeNavigation, judgeRequest } from "./judge-trace.ts";
import { noisyErrors } from "./noisy-errors.ts";

const inBrowser = (file: string): boolean => file.startsWith("https://shop.example/_assets/");

describe("a report", () => {
  test.each(noisyErrors.map(({ name, example }) => [name, example]))("leaves out %s: %s", (rule, example) => {
    expect(judgeEvent(eventOf(example), inBrowser)).toEqual({ kind: "leave-out", rule });
  });

  test.each(noisyErrors.map(({ example }) => example))("of the same words on the server is kept: %s", (example) => {
    expect(judgeEvent(eventOf(example)).kind).not.toBe("leave-out");
  });

  test.each(frameworkSignals.map(({ name, example }) => [name, example]))(
    "leaves out %s on both sides",
    (rule, example) => {
      expect(judgeEvent(eventOf(example))).toEqual({ kind: "leave-out", rule });
      expect(judgeEvent(eventOf(example), inBrowser)).toEqual({ kind: "leave-out", rule });
    },
  );

  test.each(classes.map(({ name, example }) => [name, example]))(
    "of the class %s goes out, told apart",
    (as, example) => {
      expect(judgeEvent(eventOf(example), inBrowser)).toEqual({ kind: "classify", as });
    },
  );

  test.each([
    "TypeError: Cannot read properties of undefined (reading 'id')",
    "Error: The script error log could not be written",
    "Error: aborted by the warehouse",
    "AbortError: The warehouse aborted the order",
  ])("of an ordinary error goes out: %s", (text) => {
    expect(judgeEvent(eventOf(text), inBrowser)).toEqual({ kind: "report" });
  });

  test.each([
    "TypeError: fetch failed",
    "Error: The signature did not match",
    "Error: error while hydrating the cache",
  ])("of a server is of no class: %s", (text) => {
    expect(judgeEvent(eventOf(text))).toEqual({ kind: "report" });
  });

  test("of something else that does not match is no failed hydration", () => {
    expect(judgeEvent(eventOf("Error: The passwords did not match"), inBrowser)).toEqual({ kind: "report" });
  });

  test("leaves out an error without a line of the application in its stack", () => {
    const event = eventOf("TypeError: x is not a function", ["chrome-extension://abc/a.js", "<anonymous>"]);
    expect(judgeEvent(event, inBrowser)).toEqual({ kind: "leave-out", rule: "foreign-frames" });
  });

  test("keeps it when one line is the application's", () => {
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
  test("of a page that does not exist is left out", () => {
    expect(judgeRequest("not-found", { status: 404, kind: "answered" })).toBe("not-found-page");
    expect(judgeRequest("/orders/[id]", { status: 404, kind: "answered" })).toBe("not-found-page");
    expect(judgeRequest("/orders/[id]", { status: 200, kind: "answered" })).toBeUndefined();
    expect(judgeNavigation({ kind: "committed", route: "/a", status: 404, data: "fetched" })).toBe("not-found-page");
  });

  test("of a navigation that did not complete is left out", () => {
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
