import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import type { RequestContext } from "./author/define.ts";
import { notFound, redirect, unauthorized } from "./author/outcome.ts";
import { testApplication } from "./test-application.ts";

const echo = async (request: Request) => new Response(await request.text(), { status: 201 });
const saysGone = () => notFound();
const moves = () => redirect("/gone?ä=ü");
const saysText = () => "text";
const saysNothing = () => Response.error();

test("methods that are there answer, HEAD and OPTIONS by themselves, others are told what there is", async () => {
  const seen: string[] = [];
  const say = (request: Request) => {
    seen.push(`${request.method} ${request.url}`);
    return new Response("hello", { headers: { "x-frame-options": "DENY" } });
  };
  await using app = await testApplication({ "api.server.ts": { GET: say, POST: echo } });
  const get = await app.ask("/api?x=1");
  expect([get.status, get.text, get.headers["x-frame-options"], get.headers["x-content-type-options"]]).toEqual([
    200,
    "hello",
    "DENY",
    "nosniff",
  ]);
  expect(seen).toEqual([`GET ${app.origin}/api?x=1`]);
  expect((await app.ask("/api", { method: "POST", body: "back" })).text).toBe("back");
  const options = await app.ask("/api", { method: "OPTIONS" });
  expect([options.status, options.headers.allow]).toEqual([204, "GET, POST, HEAD, OPTIONS"]);
  const put = await app.ask("/api", { method: "PUT", body: "x" });
  expect([put.status, put.headers.allow]).toEqual([405, "GET, POST, HEAD, OPTIONS"]);
  expect(JSON.parse(put.text)).toEqual({
    title: "Method Not Allowed",
    status: 405,
    detail: "This address takes GET, POST, HEAD, OPTIONS.",
  });
  expect((await app.ask("/api", { method: "TRACE" })).status).toBe(405);
});

test("a server half with actions and without its page says that the page is missing", async () => {
  await using app = await testApplication({ "pay.server.ts": { actions: {} }, "empty.server.ts": {} });
  expect((await app.ask("/pay")).status).toBe(500);
  expect(app.recorded).toMatchObject([{ error: { code: "no-page-beside" } }]);
  expect((await app.ask("/empty")).status).toBe(405);
});

test("a body beyond the limit is a 413, announced or not, unless the route accepts more", async () => {
  await using app = await testApplication(
    { "api.server.ts": { POST: echo }, "wide.server.ts": { POST: echo, bodyBytes: 1_000_000 } },
    { limits: { bodyBytes: 1_000 } },
  );
  const large = "x".repeat(100_000);
  const announced = { "content-length": String(large.length) };
  const chunked = { "transfer-encoding": "chunked" };
  for (const headers of [announced, chunked]) {
    expect((await app.ask("/api", { method: "POST", body: large, headers })).status).toBe(413);
    expect((await app.ask("/wide", { method: "POST", body: large, headers })).text).toHaveLength(100_000);
  }
  expect(app.recorded).toEqual([]);
});

test("an answer is streamed, and given up when nobody reads it any more", async () => {
  let cancelled = false;
  const stream = () => {
    let count = 0;
    const body = new ReadableStream({
      pull: async (controller) => {
        await wait(5);
        controller.enqueue(new TextEncoder().encode(`${count++} `));
        if (count === 3) controller.close();
      },
      cancel: () => {
        cancelled = true;
      },
    });
    return new Response(body);
  };
  const endless = () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(1_000)),
        cancel: () => {
          cancelled = true;
        },
      }),
    );
  await using app = await testApplication({ "api.server.ts": { GET: stream }, "endless.server.ts": { GET: endless } });
  expect((await app.ask("/api")).text).toBe("0 1 2 ");
  expect(cancelled).toBe(false);
  const leave = new AbortController();
  const answer = await fetch(`${app.origin}/endless`, { signal: leave.signal });
  await answer.body?.getReader().read();
  leave.abort();
  await expect.poll(() => cancelled).toBe(true);
});

test("planned ends are plain responses; a value that is not a Response is an error", async () => {
  await using app = await testApplication({
    "gone.server.ts": { GET: saysGone },
    "moved.server.ts": { GET: moves },
    "wrong.server.ts": { GET: saysText },
    "zero.server.ts": { GET: saysNothing },
  });
  expect((await app.ask("/gone")).status).toBe(404);
  const moved = await app.ask("/moved");
  expect([moved.status, moved.headers.location]).toEqual([303, "/gone?%C3%A4=%C3%BC"]);
  expect(app.recorded).toEqual([]);
  expect((await app.ask("/wrong")).status).toBe(500);
  expect((await app.ask("/zero")).status).toBe(500);
  expect(app.recorded).toHaveLength(2);
});

const Page = () => "a page";
const noteOf = { accept: "*/*" };
const ofBrowser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const ofProgram = { accept: "application/json" };

test("an address that no route matches is a problem in JSON for programs, and a page for browsers", async () => {
  const refuses = () => unauthorized();
  await using app = await testApplication({
    "index.tsx": { default: Page },
    "shop.tsx": { default: Page },
    "api/orders.server.ts": { GET: echo },
    "api/private/_layout.server.ts": { guard: refuses },
    "api/private/list.server.ts": { GET: echo },
  });
  for (const [path, headers, status, isJson] of [
    ["/api/nothing", noteOf, 404, true],
    ["/api/nothing", {}, 404, true],
    ["/api/nothing", ofBrowser, 404, false],
    ["/shop/nothing", noteOf, 404, false],
    ["/shop/nothing", ofProgram, 404, true],
    ["/api/private/nothing", noteOf, 401, true],
    ["/api/a%2Fb", noteOf, 400, true],
    ["/api/a%2Fb", ofBrowser, 400, false],
  ] as const) {
    const answer = await app.ask(path, { headers });
    const isProblem = answer.headers["content-type"] === "application/problem+json";
    expect([path, headers, answer.status, isProblem]).toEqual([path, headers, status, isJson]);
    if (isJson) expect(JSON.parse(answer.text)).toMatchObject({ status });
    else expect(answer.text).toMatch(/^<!DOCTYPE html>/);
  }
  const post = await app.ask("/api/nothing", { method: "POST", body: "x", headers: noteOf });
  expect([post.status, JSON.parse(post.text)]).toEqual([404, { title: "Not Found", status: 404 }]);
  const foreign = { ...noteOf, origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  const refused = await app.ask("/api/orders", { method: "POST", body: "x", headers: foreign });
  expect([refused.status, JSON.parse(refused.text).detail]).toEqual([403, "Another site sent this request."]);
  expect(app.recorded).toEqual([]);
});

test("pages of other origins may call a route that names them, without the visitor's cookies", async () => {
  const seen: string[] = [];
  const whoami = (request: Request, { cookies }: RequestContext) => {
    seen.push(`${request.method} ${cookies.get("session")} ${request.headers.get("cookie")}`);
    if (request.headers.get("authorization") === null) unauthorized();
    return Response.json({ ok: true });
  };
  const guard = ({ headers }: RequestContext) => {
    if (headers.get("authorization") === null) unauthorized();
  };
  await using app = await testApplication({
    "open.server.ts": { POST: whoami, GET: whoami, guard, origins: "any" },
    "few.server.ts": { POST: whoami, origins: ["https://partner.example"] },
    "own.server.ts": { POST: whoami },
  });
  const from = (origin: string, more = {}) => ({
    origin,
    "sec-fetch-site": "cross-site",
    cookie: "session=ada",
    authorization: "Bearer x",
    ...more,
  });
  const post = (path: string, headers: Record<string, string>) => app.ask(path, { method: "POST", body: "x", headers });
  const open = await post("/open", from("https://anyone.example"));
  expect([open.status, open.headers["access-control-allow-origin"]]).toEqual([200, "*"]);
  const read = await app.ask("/open", { headers: from("https://anyone.example") });
  expect([read.status, read.headers["access-control-allow-origin"]]).toEqual([200, "*"]);
  expect(seen).toEqual(["POST undefined null", "GET undefined null"]);

  const partner = await post("/few", from("https://partner.example"));
  expect([partner.status, partner.headers["access-control-allow-origin"], partner.headers.vary]).toEqual([
    200,
    "https://partner.example",
    "Origin",
  ]);
  for (const path of ["/few", "/own"]) expect((await post(path, from("https://anyone.example"))).status).toBe(403);

  // The preflight carries no token, so no guard runs.
  const preflight = await app.ask("/open", {
    method: "OPTIONS",
    headers: {
      origin: "https://anyone.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization",
    },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers).toMatchObject({
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET, POST, HEAD, OPTIONS",
    "access-control-allow-headers": "authorization",
  });
  // The other origin may read error responses too.
  const without = await app.ask("/open", { headers: { origin: "https://anyone.example" } });
  expect([without.status, without.headers["access-control-allow-origin"]]).toEqual([401, "*"]);
  // A page of the own origin sends its cookies.
  seen.length = 0;
  await post("/open", { cookie: "session=ada", origin: app.origin, authorization: "Bearer x" });
  expect(seen).toEqual(["POST ada session=ada"]);
  expect(app.recorded).toEqual([]);
});

test("invalid origins are refused when the route is loaded", async () => {
  await using app = await testApplication({ "api.server.ts": { GET: echo, origins: ["shop.example/path"] } });
  expect((await app.ask("/api")).status).toBe(500);
  expect(String(app.recorded[0]?.error)).toContain("origins");
});
