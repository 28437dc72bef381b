import { describe, expect, it } from "vitest";
import { readEvent } from "#protocol";
import { markInApp } from "../grouping/in-app.ts";
import { eventAsMarkdown } from "./event-as-markdown.ts";

describe("an event as a page of text", () => {
  it("says what was thrown, what caused it and what was logged with it", () => {
    const text = markdownOf({
      platform: "python",
      logentry: { message: "Import of %s failed", params: ["orders"] },
      exception: {
        values: [
          { type: "OSError", value: "refused" },
          {
            type: "RuntimeError",
            value: "no orders",
            stacktrace: { frames: [{ abs_path: "/app/main.go", function: "run", lineno: 7 }] },
          },
        ],
      },
    });
    expect(text).toMatch(/^# RuntimeError: no orders\n/);
    expect(text).toContain("## Message\n\nImport of orders failed\n");
    expect(text).toContain("- run (/app/main.go:7)");
    expect(text.indexOf("## RuntimeError")).toBeLessThan(text.indexOf("## Caused by OSError"));
  });

  it("has a long message as a whole, under its first line", () => {
    const message = `first line\n${"word ".repeat(100)}end`;
    const text = markdownOf({ message });
    expect(text).toMatch(/^# first line\n/);
    expect(text).toContain(message);
    expect(markdownOf({ message: "short" })).not.toContain("## Message");
  });

  it("says that there is nothing where there is nothing", () => {
    expect(markdownOf({ exception: { values: [{}] } })).toMatch(/^# Error\n/);
    expect(markdownOf({})).toMatch(/^# \(no message\)\n/);
  });
});

function markdownOf(payload: object): string {
  const reading = readEvent(payload);
  if (reading.kind !== "read") throw new Error(reading.why);
  const eventId = "0123456789abcdef0123456789abcdef";
  return eventAsMarkdown({
    rowId: 1,
    project: 1,
    issue: 1,
    eventId,
    at: 0,
    receivedAt: 0,
    level: "error",
    route: undefined,
    release: undefined,
    environment: undefined,
    traceId: undefined,
    visitor: undefined,
    body: { kind: "whole", event: { ...markInApp(reading.value), eventId } },
  });
}
