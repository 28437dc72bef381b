import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { notFound, redirect } from "./outcome.ts";
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
  expect((await app.ask("/api", { method: "TRACE" })).status).toBe(405);
});

test("a body beyond the limit is a 413, announced or not, unless the route takes more", async () => {
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

test("planned ends are plain answers; whatever is no Response is an error", async () => {
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
