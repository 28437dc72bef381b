import { describe, expect, it } from "vitest";
import { spanTitle } from "./span-title.ts";

describe("a span", () => {
  const get = { "http.request.method": "GET" };
  const url = { "url.full": "http://127.0.0.1:4210/data/next.json?x=1", "url.domain": "127.0.0.1" };
  it.each([
    ["http.server", "GET", { ...get, "url.path": "/ok", "url.query": "x=1" }, "GET /ok"],
    ["http.server", "GET", { ...get, "http.route": "/orders/:id", "url.path": "/orders/7" }, "GET /orders/:id"],
    ["http.server", "GET /orders", { ...get, "url.path": "/orders" }, "GET /orders"],
    ["http.server", "HTTP", { "http.method": "POST", "http.target": "/a?b" }, "POST /a"],
    ["http.client", "GET 127.0.0.1", { ...get, ...url }, "GET 127.0.0.1:4210/data/next.json"],
    ["http.client", "GET", { ...get, ...url, "url.template": "/data/{page}" }, "GET 127.0.0.1:4210/data/{page}"],
    ["http.client", "GET", get, "GET"],
    ["http.client", "GET https://a.test/b", { ...get, ...url }, "GET https://a.test/b"],
    ["pageload", "Pageload", { "url.path": "/next-page" }, "/next-page"],
    ["navigation", "/cart", { "url.path": "/cart" }, "/cart"],
    ["resource.script", "127.0.0.1", { ...url, "url.full": "http://127.0.0.1/main.js" }, "/main.js"],
    ["db", "SELECT", { "db.query.text": "SELECT price FROM items" }, "SELECT price FROM items"],
    ["db", "SELECT items", { "db.query.text": "SELECT price FROM items" }, "SELECT items"],
    [undefined, "work", {}, "work"],
    ["http.client", "GET", { ...get, "url.full": "not an address" }, "GET"],
  ])("a span of %s that is named %s is titled by what it did", (op, name, attributes, title) => {
    expect(spanTitle({ name, attributes, ...(op !== undefined && { op }) })).toBe(title);
  });
});
