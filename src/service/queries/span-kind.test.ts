import { describe, expect, it } from "vitest";
import { spanKind } from "./span-kind.ts";

describe("the kind of a span", () => {
  it.each([
    ["pageload", "browser"],
    ["navigation", "browser"],
    ["ui.action.click", "browser"],
    ["resource.script", "browser"],
    ["http.server", "request"],
    ["http.client", "request"],
    ["queue.publish", "request"],
    ["prefetch", "request"],
    ["db", "database"],
    ["db.query", "database"],
    ["cache.get", "database"],
    ["render", "render"],
    ["ui.commit", "render"],
    ["ui.react.render", "render"],
    ["template.render", "render"],
    ["load", "code"],
    ["function", "code"],
    ["dbase", "code"],
  ] as const)("%s is %s", (op, kind) => {
    expect(spanKind({ op, attributes: {} })).toBe(kind);
  });

  it("is read from attributes if there is no operation, and code if they say nothing", () => {
    expect(spanKind({ attributes: { "db.system": "postgresql" } })).toBe("database");
    expect(spanKind({ attributes: { "http.request.method": "GET" } })).toBe("request");
    expect(spanKind({ attributes: { "code.function": "load" } })).toBe("code");
  });
});
