import { expect, test } from "vitest";
import { carriesReports, mayCarryReports } from "./carries-reports.ts";

test.each([
  ["POST /api/1/envelope/", {}],
  ["POST /_holdfast/api/1/envelope/", {}],
  ["POST https://o1.errors.example/api/42/store/?sentry_key=a", {}],
  ["POST /_holdfast/post", {}],
  ["POST", { "url.path": "/api/7/envelope/" }],
  ["POST", { "http.route": "/api/:project/envelope/" }],
  ["POST /v1/traces", { "url.full": "https://errors.example/api/1/integration/otlp/v1/traces" }],
])("%s %o carries a report", (name, attributes) => {
  expect(carriesReports({ name, attributes })).toBe(true);
  const json = JSON.stringify({ description: name, data: attributes });
  expect(mayCarryReports(json)).toBe(true);
  expect(mayCarryReports(json.replaceAll("/", "\\/"))).toBe(true);
});

test.each([
  ["GET /api/orders/7", {}],
  ["POST /envelope/", {}],
  ["GET /store/", {}],
  ["/_holdfast/posters", {}],
  ["GET /api/1/envelopes/3", { "url.path": "/api/1/envelopes/3" }],
])("%s %o is somebody's own", (name, attributes) => {
  expect(carriesReports({ name, attributes })).toBe(false);
});

test("most transactions are recognised as free of reports without reading their spans", () => {
  const json = JSON.stringify({
    description: "GET /api/orders/7",
    data: { "url.full": "https://shop.example/store/" },
  });
  expect(mayCarryReports(json)).toBe(false);
});
