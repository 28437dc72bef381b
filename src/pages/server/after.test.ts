import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { request as ask } from "node:http";
import { expect, test } from "vitest";
import { Refusals } from "#bounds";
import { after } from "./author/after.ts";
import { action, load, onRequest } from "./author/define.ts";
import { redirect } from "./author/outcome.ts";
import { testApplication } from "./test-application.ts";

const component = { default: () => null };

/** The linter takes a function named GET for a component. */
const handler = (answer: () => Response): (() => Response) => answer;

test("work of hook, guard, load, action and API route runs when the response has been sent", async () => {
  const events: string[] = [];
  const arrived = Promise.withResolvers<void>();
  const note = (what: string) => after(() => void events.push(what));
  await using app = await testApplication({
    "request.server.ts": {
      default: onRequest(() => {
        note("hook");
        return {};
      }),
    },
    "page.tsx": component,
    "page.server.ts": {
      guard: () => note("guard"),
      data: load(async () => {
        await Promise.resolve();
        note("load");
      }),
      actions: {
        save: action({}, () => {
          note("action");
          redirect("/page");
        }),
      },
    },
    "api.server.ts": {
      GET: handler(() => {
        note("api");
        const body = new ReadableStream<Uint8Array>({
          start: async (stream) => {
            stream.enqueue(new TextEncoder().encode("first piece"));
            await arrived.promise;
            stream.close();
          },
        });
        return new Response(body);
      }),
    },
  });
  const ran = async (expected: readonly string[]) => {
    await expect.poll(() => events).toEqual(expected);
    events.length = 0;
  };
  expect((await app.ask("/page")).status).toBe(200);
  await ran(["hook", "guard", "load"]);
  const headers = { "content-type": "application/x-www-form-urlencoded", origin: app.origin };
  expect((await app.ask("/page/_action/save", { method: "POST", body: "a=1", headers })).status).toBe(303);
  await ran(["hook", "guard", "action"]);
  const onPiece = () => {
    expect(events).toEqual([]);
    arrived.resolve();
  };
  expect((await app.ask("/api", { onPiece })).text).toBe("first piece");
  await ran(["hook", "api"]);
});

test("the work of an action runs after it when its visitor has left before", async () => {
  const events: string[] = [];
  const begun = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  await using app = await testApplication({
    "page.tsx": component,
    "page.server.ts": {
      actions: {
        save: action({}, async () => {
          after(() => void events.push("after"));
          begun.resolve();
          await left.promise;
          events.push("action ends");
        }),
      },
    },
  });
  const headers = { "content-type": "application/x-www-form-urlencoded", origin: app.origin };
  const request = ask({ port: app.port, path: "/page/_action/save", method: "POST", headers });
  request.on("error", () => undefined).end("a=1");
  await begun.promise;
  request.destroy();
  await expect.poll(() => app.connections()).toBe(0);
  left.resolve();
  await expect.poll(() => events).toEqual(["action ends", "after"]);
});

test("work that is left when the request has been handled runs too", async () => {
  const events: string[] = [];
  const handled = Promise.withResolvers<void>();
  await using app = await testApplication({
    "api.server.ts": {
      GET: handler(() => {
        void handled.promise.then(() => after(() => void events.push("after")));
        return new Response("fine");
      }),
    },
  });
  await app.ask("/api");
  await expect.poll(() => app.connections()).toBe(0);
  handled.resolve();
  await expect.poll(() => events).toEqual(["after"]);
});

test("work that throws is recorded with its route and a digest, and the log names it; the response is not changed", async () => {
  const warnings: string[] = [];
  await using app = await testApplication(
    {
      "orders/[id].server.ts": {
        GET: handler(() => {
          after(() => Promise.reject(new Error("no mail server")));
          return new Response("fine");
        }),
      },
    },
    { warn: (sentence) => void warnings.push(sentence) },
  );
  expect((await app.ask("/orders/7")).text).toBe("fine");
  await expect
    .poll(() => app.recorded.map(({ place }) => place))
    .toMatchObject([{ during: "after", route: "/orders/[id]", params: { id: "7" }, visitorSaw: "page" }]);
  expect(warnings).toEqual(["The work after a response of /orders/[id] failed: no mail server (TEST-TEST-0001)"]);
});

test("work beyond its time is aborted and recorded", async () => {
  await using app = await testApplication(
    {
      "api.server.ts": {
        GET: handler(() => {
          after(
            ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
          );
          return new Response("fine");
        }),
      },
    },
    { limits: { afterMs: 50 } },
  );
  await app.ask("/api");
  await expect.poll(() => app.recorded.map(({ error }) => error)).toMatchObject([{ code: "after-timed-out" }]);
  await app.after.idle();
});

test("work beyond the limit of those at once is left out, recorded and counted", async () => {
  const refusals = new Refusals();
  const release = Promise.withResolvers<void>();
  const ran: number[] = [];
  await using app = await testApplication(
    {
      "api.server.ts": {
        GET: handler(() => {
          for (const number of [1, 2, 3])
            after(() => {
              ran.push(number);
              return release.promise;
            });
          return new Response("fine");
        }),
      },
    },
    { limits: { afterAtOnce: 2 }, refusals },
  );
  await app.ask("/api");
  await expect.poll(() => app.recorded.map(({ error }) => error)).toMatchObject([{ code: "after-left-out" }]);
  expect([ran, refusals.totals.get("after")]).toEqual([[1, 2], 1]);
  release.resolve();
  await app.after.idle();
});

test("a server that cannot wait longer aborts the work, and the event says so", async () => {
  await using app = await testApplication({
    "api.server.ts": {
      GET: handler(() => {
        after(async ({ signal }) => {
          await once(signal, "abort");
          signal.throwIfAborted();
        });
        return new Response("fine");
      }),
    },
  });
  await app.ask("/api");
  await expect.poll(() => app.after.count).toBe(1);
  app.after.abandon();
  await app.after.idle();
  await expect.poll(() => app.recorded.map(({ error }) => error)).toMatchObject([{ code: "after-interrupted" }]);
});

test("work keeps the context of the code that left it, and may leave more", async () => {
  const own = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  await using app = await testApplication({
    "api.server.ts": {
      GET: handler(() =>
        own.run("mine", () => {
          after(() => {
            seen.push(own.getStore());
            after(() => void seen.push("more"));
          });
          return new Response("fine");
        }),
      ),
    },
  });
  await app.ask("/api");
  await expect.poll(() => seen).toEqual(["mine", "more"]);
});

test("outside of a request there is no response to wait for", () => {
  expect(() => after(() => undefined)).toThrow(/\[after-outside-request\]$/);
});
