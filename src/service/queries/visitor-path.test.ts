import { describe, expect, it } from "vitest";
import { stepOfBreadcrumb } from "./visitor-path.ts";

describe("a step on a visitor's way", () => {
  it.each([
    [{ category: "navigation", data: { from: "/", to: "/cart" } }, "navigation", "/ → /cart"],
    [{ category: "navigation", data: { screen: "Cart" } }, "note", 'navigation: {"screen":"Cart"}'],
    [{ category: "fetch", data: { method: "GET", url: "/a", status_code: 500 } }, "request", "GET /a 500"],
    [
      { type: "http", category: "httplib", data: { method: "GET", url: "http://a/", status_code: 200 } },
      "request",
      "GET http://a/ 200",
    ],
    [{ type: "http", category: "net.http", message: "GET a" }, "note", "net.http: GET a"],
    [{ category: "ui.click", message: "button#pay" }, "click", "click button#pay"],
    [
      { category: "ui.lifecycle", data: { screen: "Cart", state: "resumed" } },
      "note",
      'ui.lifecycle: {"screen":"Cart","state":"resumed"}',
    ],
    [{ category: "console", message: "hello" }, "log", "hello"],
    [{ category: "query", message: "SELECT 1" }, "note", "query: SELECT 1"],
    [{ type: "debug", message: "x" }, "note", "debug: x"],
    [{}, "note", ""],
  ] as const)("is made of %j", (crumb, kind, text) => {
    expect(stepOfBreadcrumb(crumb, 7, 0)).toEqual({ at: 7, kind, text });
  });
});
