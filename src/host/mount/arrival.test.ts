import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { mountPathOf } from "./arrival.ts";

const arrived = (request: object): IncomingMessage => request as IncomingMessage;

test.each([
  ["node:http", { url: "/app/orders" }, ""],
  ["Express, without a path", { url: "/app/orders", originalUrl: "/app/orders", baseUrl: "" }, ""],
  ["Express, at a path", { url: "/orders", originalUrl: "/app/orders", baseUrl: "/app" }, "/app"],
  ["Express, after a rewrite", { url: "/app/new", originalUrl: "/an-old-address", baseUrl: "" }, ""],
  ["Connect, without a path", { url: "/app?a=1", originalUrl: "/app?a=1" }, ""],
  ["Connect, at a path", { url: "/orders?a=1", originalUrl: "/app/orders?a=1" }, "/app"],
  ["Connect, the path itself", { url: "/", originalUrl: "/app" }, "/app"],
  ["Connect, the path itself with a search", { url: "/?a=1", originalUrl: "/app?a=1" }, "/app"],
  ["Connect, after a rewrite", { url: "/new", originalUrl: "/an-old-address" }, ""],
])("the path at which a handler is mounted: %s", (_, request, path) => {
  expect(mountPathOf(arrived(request))).toBe(path);
});
