import { once } from "node:events";
import { stat } from "node:fs/promises";
import { connect } from "node:net";
import { runInThisContext } from "node:vm";
import zlib from "node:zlib";
import { describe, expect, test } from "vitest";
import {
  bypassName,
  type CacheDecision,
  type RequestOutcome,
  type ServerSignals,
  silentRequestSignals,
  silentServerSignals,
} from "#signals";
import { Await, useNonce } from "../../react/index.ts";
import { action, load, onRequest } from "../author/define.ts";
import { invalidate } from "../author/invalidate.ts";
import { notFound, redirect } from "../author/outcome.ts";
import { cookieSession } from "../author/session.ts";
import { type Answered, dataLinesOf, type TestFiles, type TestOptions, testApplication } from "../test-application.ts";
import type { PageCache } from "./policy.ts";

const Shown = ({ data }: { data?: unknown }) => <h1>Page {JSON.stringify(data)}</h1>;
const fresh: PageCache = { fresh: "1m", stale: "10m" };

/** What the response says of the cache. */
const timing = ({ headers }: Answered): string =>
  /cache;desc="([^"]*)"/.exec(String(headers["server-timing"]))?.[1] ?? "";

/** An application with one cached page, which counts its loads. */
async function cached(server: object, { files, ...options }: TestOptions & { files?: TestFiles } = {}) {
  const seen: CacheDecision[] = [];
  const arrived = { count: 0 };
  const signals: Partial<ServerSignals> = {
    request: (_facts, run) => {
      arrived.count += 1;
      return run({ ...silentRequestSignals, cached: (decision) => void seen.push(decision) });
    },
  };
  const clock = { now: 1_000_000 };
  const app = await testApplication(
    { "items.tsx": { default: Shown }, "items.server.ts": { cache: fresh, ...server }, ...files },
    { now: () => clock.now, signals: { ...silentServerSignals, ...signals }, ...options },
  );
  return Object.assign(app, { seen, arrived, clock });
}

const rendered = { count: 0 };

const CountedPage = ({ data }: { data: { text: string } }) => {
  rendered.count += 1;
  return <h1>{data.text}</h1>;
};

describe("a cached page", () => {
  test("is loaded and rendered once, for documents and data in all encodings", async () => {
    const long = "x".repeat(3_000);
    let count = 0;
    rendered.count = 0;
    await using app = await cached(
      { data: load(() => ({ text: `${long}${++count}` })) },
      { files: { "items.tsx": { default: CountedPage } } },
    );
    const first = await app.ask("/items");
    expect([timing(first), first.headers["content-security-policy"]?.includes("nonce")]).toEqual(["miss", false]);
    for (const encoding of ["identity", "zstd", "br", "gzip", "zstd"]) {
      const headers = { "accept-encoding": encoding };
      const document = await app.ask("/items", { headers });
      expect([timing(document), decoded(document)]).toEqual(["hit", first.text]);
      const data = await app.ask("/items/_data", { headers });
      expect([timing(data), dataLinesOf(decoded(data))[1]]).toMatchObject([
        "hit",
        { data: [["~u"], { text: `${long}1` }] },
      ]);
    }
    expect(await app.ask("/items", { method: "HEAD" })).toMatchObject({ status: 200, text: "" });
    expect([count, rendered.count]).toEqual([1, 1]);
    const again = await app.ask("/items", { headers: { "if-none-match": String(first.headers.etag) } });
    expect(again).toMatchObject({ status: 304, text: "" });
    expect(app.seen.map(({ kind }) => kind)).toEqual(["miss", ...Array(12).fill("hit")]);
  });

  test("reports a hit when its response has ended, and a client that leaves before as gone", async () => {
    const ended: RequestOutcome[] = [];
    const request: ServerSignals["request"] = (_facts, run) =>
      run({ ...silentRequestSignals, ended: (outcome) => void ended.push(outcome) });
    // More than the system keeps for a client that does not read.
    const data = load(() => "x".repeat(7_000_000));
    // A page of this size takes another way by default.
    const limits = { cachedBytes: 1_000_000_000, largeBytes: 1_000_000_000 };
    await using app = await cached({ data }, { limits, signals: { ...silentServerSignals, request } });
    const { headers } = await app.ask("/items");
    await expect.poll(() => ended).toEqual([{ status: 200, kind: "answered" }]);
    const leaves = async (): Promise<void> => {
      ended.length = 0;
      const leaving = connect(app.port, "127.0.0.1");
      leaving.write(`GET /items HTTP/1.1\r\nHost: ${new URL(app.origin).host}\r\n\r\n`);
      await once(leaving, "readable");
      expect(ended).toEqual([]);
      leaving.destroy();
      await expect.poll(() => ended).toEqual([{ status: 200, kind: "aborted" }]);
    };
    await leaves();
    await app.ask("/items");
    await expect.poll(() => ended.at(-1)).toEqual({ status: 200, kind: "answered" });
    await leaves();
    await app.ask("/items", { headers: { "if-none-match": String(headers.etag) } });
    await expect.poll(() => ended.at(-1)).toEqual({ status: 304, kind: "answered" });
  });

  test.each(["/items", "/items/_data"])("answers %s in the same words, however it was found", async (target) => {
    const loaded = { "x-chosen": "by its load" };
    const answers = async (server: object, headers: Record<string, string>): Promise<Answered[]> => {
      await using app = await cached(server, {
        origin: "https://shop.example",
        policy: { csp: {}, hsts: true },
        headersFor: () => new Map([["x-configured", { name: "X-Configured", value: "yes" }]]),
      });
      const asked = ["miss", "hit", "hit"].map(() => () => app.ask(target, { headers }));
      const all: Answered[] = [];
      for (const ask of asked) all.push(await ask());
      expect(all.map(timing)).toEqual(["miss", "hit", "hit"]);
      return all;
    };
    const own = ({ headers: { date: _date, "server-timing": _timing, ...headers }, text }: Answered): object => ({
      headers,
      text,
    });
    const data = load(() => ({ text: "x".repeat(3_000) }));
    const choosing = load(({ response }) => {
      for (const [name, value] of Object.entries(loaded)) response.setHeader(name, value);
      return { text: "x".repeat(3_000) };
    });
    for (const headers of [{}, { "accept-encoding": "br" }, { cookie: "theme=dark" }] as Record<string, string>[]) {
      const [miss, ...hits] = (await answers({ data }, headers)).map(own);
      expect(hits).toEqual([miss, miss]);
      const [first, ...others] = (await answers({ data: choosing }, headers)).map(own);
      expect(first).toMatchObject({ headers: loaded });
      expect(others).toEqual([first, first]);
    }
  });

  test("begins with the page data, if that is asked for first", async () => {
    let count = 0;
    await using app = await cached({ data: load(() => ({ number: ++count })) });
    expect(timing(await app.ask("/items/_data"))).toBe("miss");
    expect((await app.ask("/items")).text).toContain("{&quot;number&quot;:1}");
  });

  test("is sent at once when it is stale, and refreshed by one load", async () => {
    const gate = Promise.withResolvers<void>();
    let count = 0;
    const data = load(async () => {
      count += 1;
      if (count === 2) await gate.promise;
      return { number: count };
    });
    await using app = await cached({ data });
    await app.ask("/items");
    app.clock.now += 61_000;
    const stale = await Promise.all(Array.from({ length: 20 }, () => app.ask("/items")));
    expect(new Set(stale.map(timing))).toEqual(new Set(["stale"]));
    expect(stale[0]?.headers["server-timing"]).toContain("age;dur=61000");
    await expect.poll(() => count).toBe(2);
    gate.resolve();
    await app.after.idle();
    const next = await app.ask("/items");
    expect([timing(next), next.text.includes("{&quot;number&quot;:2}")]).toEqual(["hit", true]);
    expect(count).toBe(2);
  });

  test("is one load for a stampede, cold and expired", async () => {
    const gate = { open: Promise.withResolvers<void>() };
    let count = 0;
    const data = load(async () => {
      count += 1;
      await gate.open.promise;
      return { count };
    });
    await using app = await cached({ data });
    const stampede = async (): Promise<Set<string>> => {
      gate.open = Promise.withResolvers<void>();
      app.arrived.count = 0;
      const before = app.seen.length;
      const all = Array.from({ length: 1_000 }, (_, at) => app.ask(at % 2 === 0 ? "/items" : "/items/_data"));
      // A connection may be open before its request has been read.
      await expect.poll(() => app.arrived.count, { timeout: 30_000 }).toBe(1_000);
      gate.open.resolve();
      expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set([200]));
      return new Set(app.seen.slice(before).map((one) => (one.kind === "miss" ? `miss ${one.isShared}` : one.kind)));
    };
    expect([await stampede(), count]).toEqual([new Set(["miss false", "miss true"]), 1]);
    app.clock.now += 3_600_000;
    expect([await stampede(), count]).toEqual([new Set(["miss false", "miss true"]), 2]);
  }, 60_000);

  test("stays while its load fails for ten minutes, as one kind of event, and says its age", async () => {
    let isBroken = false;
    let attempts = 0;
    const data = load(() => {
      attempts += 1;
      if (isBroken) throw new Error("The database is away.");
      return { attempts };
    });
    const recorded: unknown[] = [];
    await using app = await cached(
      { cache: { fresh: 10, stale: 60 }, data },
      {
        signals: {
          ...silentServerSignals,
          errorCaught: (error, place) => {
            recorded.push([String(error), place.during, place.route]);
            return { kind: "unrecorded" };
          },
        },
      },
    );
    const first = await app.ask("/items");
    isBroken = true;
    for (let second = 5; second <= 600; second += 5) {
      app.clock.now += 5_000;
      const answer = await app.ask("/items");
      expect([answer.status, answer.text]).toEqual([200, first.text]);
      if (second > 15) expect(answer.headers["server-timing"]).toContain(`age;dur=${second * 1_000}`);
      await app.after.idle();
    }
    // The pause doubles up to a minute: seconds 15, 20, 25, 30 (4 s), …, then one in a minute.
    expect(attempts).toBeGreaterThan(10);
    expect(attempts).toBeLessThan(25);
    expect(recorded).toHaveLength(attempts - 1);
    expect(new Set(recorded.map(String))).toEqual(new Set(["Error: The database is away.,load,/items"]));
    expect(timing(await app.ask("/items"))).toBe("stale, failing");
    isBroken = false;
    app.clock.now += 60_000;
    await app.ask("/items");
    await app.after.idle();
    expect(timing(await app.ask("/items"))).toBe("hit");
  });

  test("is one load for all who wait, if it fails before it was ever stored", async () => {
    const gate = Promise.withResolvers<void>();
    let count = 0;
    const data = load(async () => {
      count += 1;
      await gate.promise;
      throw new Error("The database is away.");
    });
    await using app = await cached({ data });
    const all = Array.from({ length: 10 }, () => app.ask("/items"));
    await expect.poll(() => app.arrived.count).toBe(10);
    gate.resolve();
    const answers = await Promise.all(all);
    expect(answers.map((one) => [one.status, timing(one)])).toEqual(Array(10).fill([500, "bypass: failed"]));
    expect(count).toBe(1);
  });

  test("is another one for each search, cookie and language that it names, and sees no others", async () => {
    let count = 0;
    const data = load(({ search, url, cookies }) => ({
      number: ++count,
      search: search.toString(),
      href: url.search,
      currency: cookies.get("currency") ?? "none",
    }));
    await using app = await cached({
      cache: { ...fresh, vary: { search: ["q"], cookies: ["currency"] } },
      data,
    });
    const ask = async (search: string, cookie = "") => {
      const { text } = await app.ask(`/items/_data${search}`, { headers: { cookie } });
      return (dataLinesOf(text)[1] as { data: unknown[] }).data[1];
    };
    const one = { number: 1, search: "q=a", href: "?q=a", currency: "none" };
    expect(await ask("?utm=1&q=a")).toEqual(one);
    expect(await ask("?q=a&utm=2", "session=Ada")).toEqual(one);
    expect(await ask("?q=b")).toMatchObject({ number: 2, search: "q=b" });
    expect(await ask("?q=a", "currency=EUR; session=Ada")).toMatchObject({ number: 3, currency: "EUR" });
    expect(await ask("?q=a", "session=Bob; currency=EUR")).toMatchObject({ number: 3, currency: "EUR" });
    expect(await ask("")).toMatchObject({ number: 4, search: "", href: "" });
  });

  test("keeps the headers of its loads, and gets those of the hook for each visitor", async () => {
    const hook = onRequest(
      ({ headers, cookies, response }) => {
        cookies.set("seen", headers.get("x-name") ?? "");
        response.setHeader("X-Visitor", headers.get("x-name") ?? "");
        response.setHeader("Permissions-Policy", "camera=()");
        return { name: headers.get("x-name") };
      },
      { onResponse: (response, { locals }) => response.setHeader("X-Last", String(Object(locals).name)) },
    );
    let count = 0;
    const data = load(({ response }) => {
      response.setHeader("X-Load", String(++count));
      return { count };
    });
    await using app = await cached({ data }, { files: { "request.server.ts": { default: hook } } });
    for (const [name, said] of [
      ["Ada", "miss"],
      ["Bob", "hit"],
    ] as const) {
      const answer = await app.ask("/items", { headers: { "x-name": name } });
      expect(timing(answer)).toBe(said);
      expect(answer.headers).toMatchObject({
        "x-visitor": name,
        "x-last": name,
        "x-load": "1",
        "permissions-policy": "camera=()",
        "set-cookie": [expect.stringContaining(`seen=${name}`)],
      });
    }
  });

  test("is bounded in bytes and in number: those that were used last stay", async () => {
    const data = load(({ url }) => ({ text: "x".repeat(1_000) + url.search }));
    await using app = await cached({ data }, { limits: { cachedPages: 3 } });
    for (const name of ["a", "b", "c"]) await app.ask(`/items?${name}`);
    await app.ask("/items?a");
    await app.ask("/items?d");
    expect(timing(await app.ask("/items?b"))).toBe("miss");
    expect(timing(await app.ask("/items?a"))).toBe("hit");
    await using small = await cached({ data }, { limits: { cachedBytes: 20_000 } });
    expect(timing(await small.ask("/items?a"))).toBe("bypass: too-large");
    await using few = await cached({ data }, { limits: { cachedBytes: 45_000, cachedOnDiskBytes: 0 } });
    for (let at = 0; at < 20; at++) await few.ask(`/items?${at}`);
    expect(timing(await few.ask("/items?19"))).toBe("hit");
    expect(timing(await few.ask("/items?0"))).toBe("miss");
  });

  test("waits on disk when the memory has no room, and is removed there too", async () => {
    let loads = 0;
    const data = load(({ url }) => {
      loads += 1;
      return { text: `${"x".repeat(1_000)}${url.search}, load ${loads}` };
    });
    const limits = { cachedBytes: 45_000, cachedOnDiskBytes: 1_000_000 };
    await using app = await cached({ data, cache: { ...fresh, tags: ["shelf"] } }, { limits });
    const paths = Array.from({ length: 40 }, (_, at) => `/items?${at}`);
    const first = new Map<string, string>();
    // A page that meets too many unwritten ones is not written: each is awaited by later turns of the same thread pool.
    const written = async (): Promise<void> => {
      for (let turn = 0; turn < 12; turn++) await stat(import.meta.filename);
    };
    for (const path of paths) {
      first.set(path, (await app.ask(path)).text);
      await written();
    }
    for (const path of [...paths, ...paths]) {
      const answer = await app.ask(path);
      await written();
      expect([timing(answer), answer.text]).toEqual(["hit", first.get(path)]);
    }
    // Those who ask for the same one at once wait for one read, and each encoding is that of the same page.
    const together = await Promise.all(Array.from({ length: 20 }, () => app.ask("/items?0")));
    expect(new Set(together.map((answer) => answer.text))).toEqual(new Set([first.get("/items?0")]));
    expect(loads).toBe(40);
    invalidate("shelf");
    for (const path of paths) expect(timing(await app.ask(path))).toBe("miss");
    expect(loads).toBe(80);
  });

  test("is rendered again, with a line for the operator, if the disk fails", async () => {
    const data = load(({ url }) => ({ text: "x".repeat(1_000) + url.search }));
    const warnings: string[] = [];
    const limits = { cachedBytes: 45_000 };
    const options = {
      limits,
      uploadFolder: "/nowhere/at/all",
      warn: (sentence: string) => void warnings.push(sentence),
    };
    await using app = await cached({ data }, options);
    for (let at = 0; at < 20; at++) await app.ask(`/items?${at}`);
    expect(timing(await app.ask("/items?0"))).toBe("miss");
    expect(warnings).toEqual([expect.stringContaining("because the disk fails: Error: ENOENT")]);
  });

  test("is refused with a clear error, if its policy is wrong", async () => {
    const wrong = async (cache: unknown): Promise<string> => {
      await using app = await testApplication({
        "items.tsx": { default: Shown },
        "items.server.ts": { cache },
      });
      await app.ask("/items");
      return String(app.recorded[0]?.error);
    };
    expect(await wrong({})).toContain("exports cache.fresh as nothing");
    expect(await wrong({ fresh: "5 minutes" })).toContain('exports cache.fresh as "5 minutes"');
    expect(await wrong({ fresh: 1, tags: [7] })).toContain("exports cache.tags as [7]");
    expect(await wrong({ fresh: 1, tag: ["x"] })).toContain("one of fresh, stale, tags, vary");
    const otherVary = await wrong({ fresh: 1, vary: { headers: ["x"] } });
    expect(otherVary).toContain(
      "exports cache.vary.headers as a name that is not known. Make it one of search, cookies.",
    );
    expect(await wrong(5)).toContain("exports cache as number");
  });
});

describe("a page that belongs to one visitor", () => {
  const session = cookieSession<string>({ secret: "s".repeat(32) });
  const personal: Record<string, [reason: string, server: object, files?: TestFiles]> = {
    "reads a cookie": ["cookies", { data: load(({ cookies }) => cookies.get("name")) }],
    "reads its session": ["cookies", { data: load(({ cookies }) => session.read(cookies) ?? "") }],
    "reads a header": ["headers", { data: load(({ headers }) => headers.get("user-agent")) }],
    "reads all headers": ["headers", { data: load(({ headers }) => [...headers]) }],
    "reads locals": ["locals", { data: load(({ locals }) => Object(locals).name) }],
    "copies locals": ["locals", { data: load(({ locals }) => ({ ...locals })) }],
    "reads the client's address": ["clientAddress", { data: load(({ clientAddress }) => clientAddress) }],
    "copies its context": ["clientAddress", { data: load((context) => Object.keys({ ...context }).length) }],
    "reads a cookie late": [
      "cookies",
      { data: load(({ cookies }) => ({ late: Promise.resolve().then(() => cookies.get("name")) })) },
    ],
    "uses its nonce": [
      "nonce",
      {},
      { "items.tsx": { default: () => <style nonce={useNonce()}>{"h1{color:red}"}</style> } },
    ],
    "has a guard": ["guard", { guard: () => undefined }],
    "has a guard in a layout": ["guard", {}, { "_layout.server.ts": { guard: () => undefined } }],
    "leads elsewhere": ["redirect", { data: load(() => redirect("/other")) }],
    "is not found": ["status 404", { data: load(() => notFound()) }],
    "has another status": ["status 410", { data: load(({ response }) => response.setStatus(410)) }],
    "gets a status from its hook": [
      "status 203",
      {},
      { "request.server.ts": { default: onRequest(({ response }) => response.setStatus(203)) } },
    ],
    "has a late value that fails": [
      "failed",
      { data: load(() => ({ late: Promise.reject(new Error("late")) })) },
      {
        "items.tsx": {
          default: ({ data }: { data: { late: Promise<string> } }) => (
            <Await value={data.late} error={() => <p>None</p>}>
              {(text) => <p>{text}</p>}
            </Await>
          ),
        },
      },
    ],
  };
  for (const [what, [reason, server, files = {}]] of Object.entries(personal))
    test(`is not cached, because it ${what}`, async () => {
      await using app = await cached(server, { files });
      for (const target of ["/items", "/items", "/items/_data"]) {
        const answer = await app.ask(target);
        // A redirect has no timing.
        if (reason !== "redirect") expect(timing(answer)).toBe(`bypass: ${reason}`);
      }
      expect(app.seen.map((one) => one.kind === "bypass" && bypassName(one.reason))).toEqual(Array(3).fill(reason));
    });

  test("gets what it read, and no error is recorded", async () => {
    const data = load(({ locals }) => ({ hello: (locals as unknown as { user: { name: string } }).user.name }));
    const hook = onRequest(({ headers }) => ({ user: { name: headers.get("x-name") } }));
    await using app = await testApplication({
      "request.server.ts": { default: hook },
      "items.tsx": { default: Shown },
      "items.server.ts": { cache: fresh, data },
    });
    for (const name of ["Ada", "Bob"])
      expect((await app.ask("/items", { headers: { "x-name": name } })).text).toContain(`:&quot;${name}&quot;`);
    expect(app.recorded).toEqual([]);
  });

  test("says in development what was read, and where", async () => {
    const filename = "/app/src/pages/items.server.ts";
    const data = load(runInThisContext('({ cookies }) => cookies.get("name")', { filename }));
    await using app = await cached({ data }, { development: true });
    await app.ask("/items");
    expect(timing(await app.ask("/items"))).toMatch(
      /^bypass: cookies\.name was read at src\/pages\/items\.server\.ts:1/,
    );
  });
});

function changeOrders(): Response {
  invalidate("orders");
  return new Response("done");
}

describe("invalidate", () => {
  const post = { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body: "x=1" };
  const said = async (app: Awaited<ReturnType<typeof cached>>) =>
    Object.fromEntries(
      await Promise.all(
        ["/items", "/items?q", "/orders/7", "/orders/8"].map(
          async (path) => [path, timing(await app.ask(path))] as const,
        ),
      ),
    );
  const actions = {
    items: action({}, () => invalidate("items")),
    order: action({}, () => invalidate("order:7")),
    orders: action({}, () => invalidate("/orders")),
    other: action({}, () => invalidate("cart")),
    silent: action({}, () => "changed"),
    nothing: action({ changesNothing: true }, () => "looked"),
    broken: action({}, () => {
      throw new Error("half done");
    }),
  };
  const files: TestFiles = {
    "items.server.ts": { cache: { ...fresh, tags: ["items"] }, actions },
    "orders/[id].tsx": { default: Shown },
    "orders/[id].server.ts": {
      cache: { ...fresh, tags: ({ params }) => [`order:${params.id}`] } satisfies PageCache<"/orders/[id]">,
      data: load("/orders/[id]", { tags: ["orders"] }, ({ params }) => params.id),
    },
    "api/hook.server.ts": { POST: changeOrders },
  };
  const changes: Record<string, [target: string, hits: readonly string[]]> = {
    "a tag of the page": ["/items/_action/items", ["/orders/7", "/orders/8"]],
    "a tag with a parameter": ["/items/_action/order", ["/items", "/items?q", "/orders/8"]],
    "a path": ["/items/_action/orders", ["/items", "/items?q"]],
    "a tag of a load, in an API route": ["/api/hook", ["/items", "/items?q"]],
    "a tag that no page has": ["/items/_action/other", ["/items", "/items?q", "/orders/7", "/orders/8"]],
    "nothing, in an action": ["/items/_action/silent", []],
    "nothing, in an action that changes nothing": [
      "/items/_action/nothing",
      ["/items", "/items?q", "/orders/7", "/orders/8"],
    ],
    "nothing, because the action failed": ["/items/_action/broken", []],
  };
  for (const [what, [target, hits]] of Object.entries(changes))
    test(`removes every variant of the pages that depend on it: ${what}`, async () => {
      await using app = await cached({}, { files });
      await said(app);
      expect(Object.values(await said(app))).toEqual(["hit", "hit", "hit", "hit"]);
      await app.ask(target, post);
      const now = await said(app);
      expect(Object.keys(now).filter((path) => now[path] === "hit")).toEqual(hits);
    });

  test("keeps a rendering that began before it from being stored, and from being joined", async () => {
    let stock = 1;
    const gate = Promise.withResolvers<void>();
    const read = Promise.withResolvers<void>();
    const data = load(async () => {
      const before = stock;
      if (before > 1) return { stock };
      read.resolve();
      await gate.promise;
      return { stock: before };
    });
    const sell = (): Response => {
      stock = 2;
      invalidate("stock");
      return new Response("sold");
    };
    await using app = await cached(
      { cache: { ...fresh, tags: ["stock"] }, data },
      {
        files: {
          "api/sell.server.ts": {
            POST: sell,
          },
        },
      },
    );
    const early = app.ask("/items");
    await read.promise;
    await app.ask("/api/sell", post);
    const next = await app.ask("/items");
    expect([timing(next), next.text.includes("{&quot;stock&quot;:2}")]).toEqual(["miss", true]);
    gate.resolve();
    expect(timing(await early)).toBe("bypass: changed");
    const last = await app.ask("/items");
    expect([timing(last), last.text.includes("{&quot;stock&quot;:2}")]).toEqual(["hit", true]);
  });
});

function decoded({ headers, pieces }: Answered): string {
  const all = Buffer.concat(pieces);
  const encoding = headers["content-encoding"];
  if (encoding === "zstd") return zlib.zstdDecompressSync(all).toString();
  if (encoding === "br") return zlib.brotliDecompressSync(all).toString();
  return (encoding === "gzip" ? zlib.gunzipSync(all) : all).toString();
}
