import { describe, expect, it } from "vitest";
import { routeName, routeOfSpan } from "./route-name.ts";

describe("the route of a span", () => {
  it.each([
    [
      "the pattern the server matched",
      { name: "GET /x", attributes: { "http.route": "/orders/[id]", "url.path": "/orders/7" } },
      "/orders/[id]",
    ],
    [
      "the pattern the browser matched",
      { name: "Pageload", attributes: { "url.template": "/orders/[id]" } },
      "/orders/[id]",
    ],
    [
      "the path without its ids, when the name says nothing",
      { name: "Pageload", attributes: { "url.path": "/orders/4711/items" } },
      "/orders/*/items",
    ],
    [
      "the path, when the name is only a method",
      { name: "GET", attributes: { "url.path": "/ok", "sentry.segment.name.source": "url" } },
      "/ok",
    ],
    ["the name without its method", { name: "POST /orders", attributes: {} }, "/orders"],
    ["the name of a task", { name: "nightly import", attributes: {} }, "nightly import"],
  ])("is %s", (_what, span, route) => {
    expect(routeOfSpan({ isSegment: true, ...span } as Parameters<typeof routeOfSpan>[0])).toBe(route);
  });

  it("is that of its segment for a child span", () => {
    const attributes = { "sentry.segment.name": "/cart", "url.path": "/api/x" };
    expect(routeOfSpan({ name: "GET api", isSegment: false, attributes })).toBe("/cart");
  });

  it("leaves a text that only begins like a method unchanged", () => {
    expect(routeName("GET ready")).toBe("GET ready");
  });
});
