import { describe, expect } from "vitest";
import { digestOf } from "#protocol";
import { application, journeyThrough, type ReceivedItem, receiver, startApp, type Visitor } from "../kit/index.ts";

const service = await receiver();

/** Nearly always, and a number that is no default. */
const rate = 0.9999999;

const app = application({
  "holdfast.config.ts": `export default { report: { dsn: process.env.TEST_DSN, sampleRate: ${rate}, release: "r1", scrub: ["nickname"] } };`,
  "src/pages/_layout.tsx": `export default function Layout({ children }) { return <main>{children}</main>; }`,
  "src/pages/index.tsx": `
    import { Link } from "holdfast";
    export default function Home() { return <><h1>Home</h1><Link to="/orders/7" prefetch="none">Order</Link> <Link to="/orders/9">Press</Link> <Link to="/orders/8" prefetch="render">Ahead</Link></>; }`,
  "src/pages/orders/[id].tsx": `
    export default function Order({ data }) {
      return <><h1>Order {data.id}</h1><button type="button" onClick={() => { throw new Error("on an order"); }}>Fail</button></>;
    }`,
  "src/pages/orders/[id].server.ts": `
    import { DatabaseSync } from "node:sqlite";
    import { load } from "holdfast/server";
    import { span } from "holdfast/report";
    const database = new DatabaseSync(":memory:");
    export const data = load("/orders/[id]", async ({ params }) => {
      await span("price the order", () => new Promise((resolve) => setTimeout(resolve, 5)));
      return { id: params.id, one: database.prepare("select 1 as one").get()?.one };
    });`,
  "src/pages/cached.tsx": `export default function Cached() { return <h1>Cached</h1>; }`,
  "src/pages/cached.server.ts": `export const cache = "public, max-age=60";`,
  "src/pages/broken.tsx": `
    import { useState } from "react";
    export default function Broken() {
      const [broken, setBroken] = useState(false);
      if (broken) throw new TypeError("the button broke");
      return <><h1>Broken</h1><button type="button" onClick={() => setBroken(true)}>Break</button></>;
    }`,
  "src/pages/twice.tsx": `
    import { Suspense, use } from "react";
    function Part({ late }) { use(late); throw new RangeError("twice the same"); }
    export default function Twice({ data }) { return <><h1>Twice</h1><Suspense fallback="wait"><Part late={data.late} /></Suspense></>; }`,
  "src/pages/twice.server.ts": `
    import { load } from "holdfast/server";
    export const data = load(() => ({ late: new Promise((resolve) => setTimeout(resolve, 200)) }));`,
  "src/pages/twice-and-late.tsx": `
    import { Suspense, use } from "react";
    const pause = typeof window === "undefined" ? undefined : new Promise((resolve) => setTimeout(resolve, 500));
    function Part({ late }) { use(late); if (pause) use(pause); throw new RangeError("twice and late"); }
    export default function Twice({ data }) { return <><h1>Twice</h1><Suspense fallback="wait"><Part late={data.late} /></Suspense></>; }`,
  "src/pages/twice-and-late.server.ts": `export { data } from "./twice.server.ts";`,
  "src/pages/differently.tsx": `
    import { Suspense, use } from "react";
    function Part({ late }) { use(late); throw new RangeError(typeof window === "undefined" ? "differently, at the server" : "differently, in the browser"); }
    export default function Differently({ data }) { return <><h1>Differently</h1><Suspense fallback="wait"><Part late={data.late} /></Suspense></>; }`,
  "src/pages/differently.server.ts": `export { data } from "./twice.server.ts";`,
  "src/pages/early.tsx": `
    import { useEffect } from "react";
    export default function Early() {
      useEffect(() => {
        setTimeout(function thrower() { throw new Error("early sync"); });
        Promise.reject(new Error("early rejection"));
        setTimeout(() => { throw "early text"; });
      }, []);
      return <h1>Early</h1>;
    }`,
  "src/odd.ts": `
    const refuse = () => { throw new Error("no"); };
    export const unreadable = () => new Proxy({}, { get: refuse, getPrototypeOf: refuse, ownKeys: refuse, has: refuse });
    export const nameless = () => Object.defineProperty(new RangeError("odd and nameless"), "name", { get: refuse });
    export const bare = () => Object.assign(Object.create(null), { bare: "odd" });
    export const huge = () => new Error("odd and huge " + "x".repeat(1_000_000));`,
  "src/pages/odd.tsx": `
    import { useEffect } from "react";
    import { bare, huge, nameless, unreadable } from "../odd.ts";
    export default function Odd() {
      useEffect(() => { for (const one of [unreadable(), nameless(), bare(), huge(), new Error("odd among others")]) Promise.reject(one); }, []);
      return <h1>Odd</h1>;
    }`,
  "src/pages/asking.tsx": `
    import { captureError, span } from "holdfast/report";
    import { bare } from "../odd.ts";
    export default function Asking() {
      const ask = async () => {
        const outcomes = [];
        try { console.error(bare()); fetch("http://").catch(() => outcomes.push("refused later")); } catch { outcomes.push("thrown at once"); }
        await fetch("/api/echo?by=fetch");
        await new Promise((resolve) => { const asking = new XMLHttpRequest(); asking.onload = resolve; asking.open("POST", "/api/echo?by=xhr"); asking.send("x"); });
        new Worker(URL.createObjectURL(new Blob(["setTimeout(() => { throw new TypeError('in a worker of its own'); })"])));
        fetch("/api/echo", { signal: AbortSignal.abort(new Error("a request that nobody waits for")) });
        span("work", async () => { throw new Error("a work that nobody waits for"); });
        captureError(new Error("asked: " + outcomes));
      };
      return <><h1>Asking</h1><button type="button" onClick={() => void ask()}>Ask</button></>;
    }`,
  "src/pages/failing/_error.tsx": `export default function Failed({ digest }) { return <h1>Failed {digest}</h1>; }`,
  "src/pages/failing/[id].tsx": `export default function Failing() { return <h1>Failing</h1>; }`,
  "src/pages/failing/[id].server.ts": `
    import { load } from "holdfast/server";
    import { captureError } from "holdfast/report";
    export const data = load("/failing/[id]", ({ params }) => {
      captureError(new Error("before it fails"));
      throw params.id === "waiting" ? new DOMException("This operation was aborted", "AbortError") : new Error("failing to load");
    });`,
  "src/pages/api/broken.server.ts": `export const GET = () => { throw new Error("failing to answer"); };`,
  "src/pages/api/echo.server.ts": `
    import { span } from "holdfast/report";
    export const GET = () => new Response("well");
    export const POST = () => { span("on its own", async () => { throw new Error("a work of the server that nobody waits for"); }); return new Response("well"); };`,
  "src/pages/manual.tsx": `
    import { captureError, setUser, addStep } from "holdfast/report";
    export default function Manual() {
      return <><h1>Manual</h1><button type="button" onClick={() => { throw new Error("while away"); }}>Fail</button>
        <button type="button" onClick={() => {
        setUser({ id: "u1" });
        addStep("opened the drawer", { nickname: "kitty", password: "hunter2" });
        captureError(new RangeError("by hand token=abcdef"), { tags: { drawer: "top" } });
      }}>Report</button></>;
    }`,
});

const test = journeyThrough(async () => {
  const running = await startApp({ app, env: { TEST_DSN: service.dsn } });
  const stop = running.stop.bind(running);
  return Object.assign(running, {
    stop: async () => {
      await stop();
      await service.stop();
    },
  });
});

/** Waits for the reporter, which loads after hydration and replaces `fetch`. Before that, no click is a step. */
async function hasReporter({ page }: Visitor): Promise<void> {
  await page.waitForFunction(() => !String(fetch).includes("[native code]"));
}

const isError =
  (text: string) =>
  (item: ReceivedItem): boolean =>
    item.type === "event" && JSON.stringify(item.value.exception?.values ?? "").includes(text);
const isTrace =
  (name: string, op: string) =>
  (item: ReceivedItem): boolean =>
    item.type === "transaction" && item.value.transaction === name && item.value.contexts.trace.op === op;

/** Each with its own time, the address of the page at that time, and the position in the failing script. */
async function expectEarlyErrors(before: number, after: number, from = 0): Promise<ReceivedItem[]> {
  const texts = ["early sync", "early rejection", "early text"];
  const found = (text: string): ReceivedItem[] => service.items.slice(from).filter(isError(text));
  await expect.poll(() => texts.filter((text) => found(text).length === 0), { timeout: 20_000 }).toEqual([]);
  const events = texts.flatMap(found);
  expect(events).toHaveLength(3);
  for (const { value } of events) {
    expect(value.timestamp * 1000).toBeGreaterThanOrEqual(before);
    expect(value.timestamp * 1000).toBeLessThanOrEqual(after);
    expect(value.request.url).toContain("/early?page=1");
    const thrown = value.exception.values.at(-1);
    expect(thrown.mechanism.handled).toBe(false);
    expect(thrown.stacktrace.frames.at(-1)).toMatchObject({
      filename: expect.stringMatching(/_assets\/early-.*\.js$/),
      lineno: expect.any(Number),
      colno: expect.any(Number),
    });
  }
  return events;
}

describe("an error in the browser", () => {
  test("an error in the browser that a boundary shows leads by its digest to one event, with where and how it happened", async ({
    visit,
  }) => {
    const visitor = await visit("/broken");
    await hasReporter(visitor);
    await visitor.pressButton("Break");
    const digest = await visitor.digestShown();
    const [event] = await service.until(isError("the button broke"));
    expect(event?.value).toMatchObject({
      platform: "javascript",
      level: "error",
      release: "r1",
      transaction: "/broken",
      exception: { values: [{ type: "TypeError", mechanism: { handled: false } }] },
      tags: { side: "browser", during: "render" },
      contexts: {
        holdfast: { route: "/broken", visitor_saw: "error-page", online: true },
        session: { id: expect.stringMatching(/^[0-9a-f]{32}$/) },
      },
    });
    expect(event?.value.debug_meta.images.length).toBeGreaterThan(0);
    expect(event?.value.breadcrumbs.map(({ message }: { message: string }) => message)).toEqual(
      expect.arrayContaining(["opened /broken", 'button[type="button"]']),
    );
    expect(digest?.replaceAll("-", "")).toHaveLength(12);
    // The session counts as crashed.
    const [crashed] = await service.until(({ type, value }) => type === "session" && value.status === "crashed");
    const [begun] = await service.until(({ type, value }) => type === "session" && value.sid === crashed?.value.sid);
    expect(begun?.value).toMatchObject({ init: true, status: "ok", errors: 0, attrs: { release: "r1" } });
    expect(crashed?.value).toMatchObject({ init: false, errors: 1 });
    expect(service.items.filter(isError("the button broke"))).toHaveLength(1);
  });

  test.for([
    ["at once", "/twice", "twice the same"],
    ["after it had to wait for something", "/twice-and-late", "twice and late"],
  ] as const)(
    "an error in the browser that failed on the server in the same way, %s, is that one event, and its digest is shown",
    async ([, path, message], { visit, proxy }) => {
      const earlier = service.items.length;
      const isOne = (item: ReceivedItem): boolean => service.items.indexOf(item) >= earlier && isError(message)(item);
      const visitor = await visit(path);
      const [event] = await service.until(isOne);
      expect(event?.value.tags).toMatchObject({ side: "server", during: "render" });
      await expect.poll(() => visitor.digestShown(), { timeout: 10_000 }).toBe(digestOf(event?.value.event_id));
      // The reporter is loaded and sends. An event would have been sent before the trace of its page.
      const hasSent = (): boolean => proxy.requestsFor(/_holdfast\/post/).some(({ end }) => end === "complete");
      await expect.poll(hasSent, { timeout: 10_000 }).toBe(true);
      await visitor.page.goto("about:blank");
      await service.until(isTrace(path, "pageload"));
      expect(service.items.filter(isOne)).toHaveLength(1);
    },
  );

  test("an error in the browser that failed differently on the server is a separate event", async ({ visit }) => {
    await visit("/differently");
    await service.until(isError("at the server"));
    const [event] = await service.until(isError("differently, in the browser"));
    expect(event?.value.tags).toMatchObject({ side: "browser", during: "render" });
  });

  test("an error in the browser that the application reports itself has its user, its steps, and no secrets", async ({
    visit,
  }) => {
    const visitor = await visit("/manual");
    await hasReporter(visitor);
    await visitor.pressButton("Report");
    const [event] = await service.until(isError("by hand"));
    expect(event?.value).toMatchObject({
      user: { id: "u1" },
      tags: { drawer: "top" },
      exception: {
        values: [
          { type: "RangeError", value: "by hand token=[left-out]", mechanism: { type: "generic", handled: true } },
        ],
      },
    });
    expect(service.raw.join("\n")).not.toMatch(/hunter2|kitty|abcdef\b/);
  });

  test("names its page, with its params, and belongs to the navigation that led to it", async ({ visit }) => {
    const visitor = await visit("/");
    visitor.expecting(/on an order/);
    await visitor.isAlive();
    await visitor.clickLink("Order");
    await visitor.sees("Order 7");
    await visitor.pressButton("Fail");
    const [event] = await service.until(isError("on an order"));
    expect(event?.value).toMatchObject({
      transaction: "/orders/[id]",
      contexts: { holdfast: { route: "/orders/[id]", params: { id: "7" }, navigation: "push", visitor_saw: "page" } },
    });
    const [navigation] = await service.until(
      ({ type, value }) =>
        type === "transaction" &&
        value.contexts.trace.trace_id === event?.value.contexts.trace.trace_id &&
        value.contexts.trace.op === "navigation",
    );
    expect(navigation?.value.contexts.trace.data["sentry.sample_rate"]).toBe(rate);
  });

  test("an error in the browser before the reporter is loaded keeps its own time, address and position", async ({
    visit,
    proxy,
  }) => {
    const gate = proxy.when(/later-/).hold();
    const before = Date.now();
    const visitor = await visit("/early?page=1");
    visitor.expecting(/early sync|early rejection|^page error: $/);
    await visitor.page.waitForFunction(() => Reflect.get(window, "__holdfast_early").list.length === 3);
    const after = Date.now();
    await visitor.page.evaluate(() => history.replaceState(null, "", "/early?page=2"));
    gate.release();
    await expectEarlyErrors(before, after);
  });

  test("arrives also if the reporter never loads, with its own time, address and position", async ({
    visit,
    proxy,
  }) => {
    proxy.when(/later-/).status(404);
    const earlier = service.items.length;
    const before = Date.now();
    const visitor = await visit("/early?page=1");
    visitor.expecting(/404/, /early sync|early rejection|^page error: $/);
    await visitor.page.waitForFunction(() => Reflect.get(window, "__holdfast_early").list.length === 3);
    const after = Date.now();
    await expect.poll(() => proxy.requestsFor(/later-/).some(({ end }) => end === "complete")).toBe(true);
    await visitor.expectedProblems();
    await visitor.page.evaluate(() => history.replaceState(null, "", "/early?page=2"));
    await visitor.page.goto("about:blank");
    const events = await expectEarlyErrors(before, after, earlier);
    for (const { value } of events)
      expect(value).toMatchObject({ platform: "javascript", tags: { reporter: "missing" } });
  });

  test.for([
    ["is there", []],
    ["never comes", [/404/]],
  ] as const)(
    "an error in the browser that cannot be read costs no other its way, where the reporter %s",
    async ([, expected], { visit, proxy }) => {
      if (expected.length > 0) proxy.when(/later-/).status(404);
      const earlier = service.items.length;
      const visitor = await visit("/odd");
      visitor.expecting(...expected, /^page error/);
      await visitor.sees("Odd");
      const thrown = (): { type: string; value: string }[] =>
        service.items.slice(earlier).flatMap(({ type, value }) => (type === "event" ? value.exception.values : []));
      const isAlive = () => document.documentElement.dataset.holdfast === "alive";
      await visitor.page.waitForFunction(isAlive);
      await visitor.page.waitForFunction(
        () =>
          Reflect.get(window, "__holdfast_early").report || Reflect.get(window, "__holdfast_early").list.length === 5,
      );
      // The refused reporter is a console error, which a page that was left no longer logs.
      await expect.poll(() => visitor.surprises()).toEqual([]);
      await visitor.page.goto("about:blank");
      await expect.poll(() => thrown().length, { timeout: 15_000 }).toBe(5);
      const values = thrown().map(({ value }) => value);
      for (const text of ["odd and nameless", "odd and huge", "odd among others"])
        expect(values.filter((value) => value.includes(text))).toHaveLength(1);
    },
  );

  test("is one thrown in a worker of the page; requests of the page itself fail as before", async ({ visit }) => {
    const visitor = await visit("/asking");
    visitor.expecting(/.*/);
    // Requests carry the page's trace once the reporter has loaded.
    await visitor.isAwake();
    await visitor.pressButton("Ask");
    const [asked] = await service.until(isError("asked: "));
    expect(asked?.value.exception.values[0].value).toBe("asked: refused later");
    expect(asked?.value).toMatchObject({ transaction: "/asking", contexts: { holdfast: { route: "/asking" } } });
    const [inWorker] = await service.until(isError("in a worker of its own"));
    expect(inWorker?.value.exception.values[0].stacktrace.frames.at(-1).filename).toMatch(/^blob:/);
    for (const text of ["a request that nobody", "a work that nobody", "a work of the server that nobody"]) {
      const [unheard] = await service.until(isError(text));
      expect(unheard?.value.exception.values[0].mechanism).toMatchObject({
        type: expect.stringContaining("rejection"),
        handled: false,
      });
    }
    const isAsked = (item: ReceivedItem): boolean =>
      item.type === "transaction" && item.value.transaction.endsWith(" /api/echo");
    await visitor.page.goto("about:blank");
    const [page] = await service.until(isTrace("/asking", "pageload"));
    const spans: { span_id: string; description: string }[] = page?.value.spans;
    for (const { value } of await service.until(isAsked, 2)) {
      const { trace_id, parent_span_id, data } = value.contexts.trace;
      expect(trace_id).toBe(page?.value.contexts.trace.trace_id);
      expect(spans.find(({ span_id }) => span_id === parent_span_id)?.description).toBe(value.transaction);
      expect(data["sentry.sample_rate"]).toBe(rate);
    }
  });

  test("an error in the browser whose digest is shown is an event also if the page is left and its reporter never loaded", async ({
    visit,
    proxy,
  }) => {
    proxy.when(/later-/).status(404);
    const earlier = service.items.length;
    const visitor = await visit("/broken");
    visitor.expecting(/404/);
    await visitor.page.waitForFunction(() => document.documentElement.dataset.holdfast === "alive");
    await visitor.pressButton("Break");
    const digest = await visitor.digestShown();
    await visitor.page.goto("about:blank");
    const [event] = await service.until(
      (item) => service.items.indexOf(item) >= earlier && isError("the button broke")(item),
    );
    expect(digestOf(event?.value.event_id)).toBe(digest);
    expect(event?.value).toMatchObject({
      transaction: "/broken",
      tags: { side: "browser", during: "render", reporter: "missing" },
      contexts: { holdfast: { route: "/broken", visitor_saw: "error-page" } },
    });
  });

  test("an error in the browser while offline waits in the page and arrives when the connection is back", async ({
    visit,
    proxy,
  }) => {
    const visitor = await visit("/manual");
    visitor.expecting(/503/);
    await hasReporter(visitor);
    const refusing = proxy.when(/_holdfast\/post/).answer(503);
    await visitor.pressButton("Fail");
    visitor.expecting(/while away/);
    await refusing.taken();
    expect(service.items.filter(isError("while away"))).toHaveLength(0);
    proxy.healed();
    await service.until(isError("while away"));
    // A second copy would be sent before the trace of the page.
    const earlier = service.items.length;
    await visitor.page.goto("about:blank");
    await service.until((item) => service.items.indexOf(item) >= earlier && isTrace("/manual", "pageload")(item));
    expect(service.items.filter(isError("while away"))).toHaveLength(1);
  });

  test("arrives where storage is forbidden and beacons are blocked, and nothing else breaks", async ({ visit }) => {
    const visitor = await visit("/cached");
    await visitor.page.addInitScript(() => {
      const refuse = (): never => {
        throw new DOMException("denied", "SecurityError");
      };
      for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { get: refuse });
      Object.defineProperty(document, "cookie", { get: refuse, set: refuse });
      Object.defineProperty(navigator, "sendBeacon", { value: refuse });
    });
    await visitor.goTo("/manual?denied");
    await visitor.isAlive();
    await visitor.pressButton("Report");
    await service.until((item) => isError("by hand")(item) && item.value.request.url.includes("denied"));
    await visitor.goTo("/cached");
  });

  test("an error of a page that is left while nothing arrives is sent with the next page", async ({ visit, proxy }) => {
    // A new name for each try, so that reports of earlier ones do not count.
    const left = `left-${service.items.length}`;
    const visitor = await visit(`/manual?${left}`);
    visitor.expecting(/while away/);
    await hasReporter(visitor);
    const gate = proxy
      .when(/_holdfast\/post/)
      .drop()
      .hold();
    await visitor.pressButton("Fail");
    // The page is left before it learns that its report does not arrive.
    await gate.taken();
    await visitor.page.goto("about:blank");
    gate.release();
    proxy.healed();
    await visitor.goTo("/cached");
    const isLeft = (item: ReceivedItem): boolean =>
      isError("while away")(item) && item.value.request.url.includes(left);
    await service.until(isLeft);
    expect(new Set(service.items.filter(isLeft).map(({ value }) => value.event_id)).size).toBe(1);
  });

  test("errors of two tabs that are left while nothing arrives are both sent with the next page", async ({
    visit,
    proxy,
  }) => {
    const left = `tabs-${service.items.length}`;
    const visitor = await visit(`/manual?${left}-first`);
    visitor.expecting(/while away/);
    await hasReporter(visitor);
    const second = await visitor.page.context().newPage();
    const code = second.waitForResponse(/later-/);
    await second.goto(new URL(`/manual?${left}-second`, visitor.page.url()).href);
    await (await code).finished();
    await second.waitForFunction(() => document.documentElement.dataset.holdfast === "alive");
    const gate = proxy
      .when(/_holdfast\/post/)
      .drop()
      .hold();
    await visitor.pressButton("Fail");
    await second.getByRole("button", { name: "Fail" }).click();
    await gate.taken(2);
    await visitor.page.goto("about:blank");
    await second.goto("about:blank");
    gate.release();
    proxy.healed();
    await visitor.goTo("/cached");
    for (const which of ["first", "second"])
      await service.until((item) => isError("while away")(item) && item.value.request.url.includes(`${left}-${which}`));
  });

  test("an error in the last moment of a page is delivered by the browser", async ({ visit, proxy }) => {
    const visitor = await visit("/manual?last");
    visitor.expecting(/while away/);
    await hasReporter(visitor);
    // The first report has no response yet; the second waits behind it.
    const gate = proxy.when(/_holdfast\/post/).hold();
    await visitor.pressButton("Fail");
    await gate.taken();
    await visitor.pressButton("Report");
    await visitor.page.goto("about:blank");
    await gate.taken(2);
    gate.release();
    const isLast = (item: ReceivedItem): boolean => item.type === "event" && item.value.request?.url?.includes("last");
    await service.until((item) => isLast(item) && isError("while away")(item));
    await service.until((item) => isLast(item) && isError("by hand")(item));
  });
});

describe("an error on the server", () => {
  test("contains what the visitor saw of it, in place of which file, and its page", async ({ app: { url } }) => {
    const page = await (await fetch(`${url}/failing/7`)).text();
    const [event] = await service.until(isError("failing to load"));
    expect(page).toContain(digestOf(event?.value.event_id));
    const place = { route: "/failing/[id]", params: { id: "7" } };
    expect(event?.value.contexts.holdfast).toMatchObject({
      ...place,
      visitor_saw: "error-page",
      boundary: "failing/_error.tsx",
    });
    const [before] = await service.until(isError("before it fails"));
    expect(before?.value).toMatchObject({ transaction: "/failing/[id]", contexts: { holdfast: place } });
  });

  test("an error on the server that was only prefetched is marked as unseen", async ({ app: { url } }) => {
    await fetch(`${url}/failing/8/_data`, { headers: { "sec-purpose": "prefetch" } });
    const [event] = await service.until(
      (item) => isError("failing to load")(item) && item.value.request.url.includes("/8"),
    );
    expect(event?.value.contexts.holdfast).toMatchObject({ visitor_saw: "nothing", prefetch: { state: "under way" } });
  });

  test("an error of an API route is seen as data", async ({ app: { url } }) => {
    await fetch(`${url}/api/broken`);
    const [event] = await service.until(isError("failing to answer"));
    expect(event?.value.contexts.holdfast).toMatchObject({ route: "/api/broken", visitor_saw: "data-error" });
  });

  test("is reported also if a load stopped waiting by itself: a page was shown for it", async ({ app: { url } }) => {
    const answer = await fetch(`${url}/failing/waiting`);
    expect(answer.status).toBe(500);
    const [event] = await service.until(isError("This operation was aborted"));
    expect(await answer.text()).toContain(digestOf(event?.value.event_id));
  });
});

describe("the script that keeps early errors", () => {
  test("is allowed on every page, also on a cacheable one, and contains nothing about the visitor there", async ({
    visit,
  }) => {
    for (const path of ["/manual", "/cached"]) {
      const visitor = await visit(path);
      expect(await visitor.page.evaluate(() => Reflect.get(window, "__holdfast_early")?.settings.release)).toBe("r1");
    }
    const visitor = await visit("/manual");
    const cached = await visitor.page.request.get(`${visitor.proxy.url}/cached`);
    expect(cached.headers()["cache-control"]).toBe("public, max-age=60");
    expect(cached.headers()["server-timing"]).toBeUndefined();
    expect(await cached.text()).not.toMatch(/[0-9a-f]{32}-[0-9a-f]{16}/);
  });
});

describe("a trace", () => {
  test("runs from the click through navigation, data request, match, load and the application's spans", async ({
    visit,
  }) => {
    const visitor = await visit("/");
    await visitor.isAwake();
    await visitor.clickLink("Order");
    await visitor.sees("Order 7");
    // Its own trace: an earlier visitor clicked before the code for navigation was there.
    const traceId = String(visitor.requestsFor("/orders/7/_data")[0]?.headers["sentry-trace"]).split("-")[0];
    const [navigation] = await service.until(
      (item) => isTrace("/orders/[id]", "navigation")(item) && item.value.contexts.trace.trace_id === traceId,
    );
    const [server] = await service.until(
      (item) => isTrace("GET /orders/[id]", "http.server")(item) && item.value.contexts.trace.trace_id === traceId,
    );
    const request = navigation?.value.spans.find(({ op }: { op: string }) => op === "http.client");
    expect(navigation?.value.spans.map(({ op }: { op: string }) => op)).toEqual(
      expect.arrayContaining(["ui.action.click", "http.client", "ui.commit"]),
    );
    expect(request.parent_span_id).toBe(navigation?.value.contexts.trace.span_id);
    expect(server?.value.contexts.trace.parent_span_id).toBe(request.span_id);
    const load = server?.value.spans.find(({ op }: { op: string }) => op === "function.load");
    const own = server?.value.spans.find(
      ({ description }: { description: string }) => description === "price the order",
    );
    const query = server?.value.spans.find(({ op }: { op: string }) => op === "db.query");
    const match = server?.value.spans.find(({ op }: { op: string }) => op === "function.match");
    const rootId = navigation?.value.contexts.trace.span_id;
    for (const op of ["ui.action.click", "ui.commit"])
      expect(navigation?.value.spans.find((span: { op: string }) => span.op === op)).toMatchObject({
        parent_span_id: rootId,
        trace_id: traceId,
      });
    expect(match.parent_span_id).toBe(server?.value.contexts.trace.span_id);
    expect(load.parent_span_id).toBe(server?.value.contexts.trace.span_id);
    expect(own.parent_span_id).toBe(load.span_id);
    expect(query).toMatchObject({ description: "select ? as one", parent_span_id: load.span_id });
  });

  test("is one also if the request began with the press, before the click", async ({ visit, proxy }) => {
    const visitor = await visit("/");
    await expect.poll(() => visitor.requestsFor("/orders/8/_data")[0]?.end).toBe("complete");
    proxy.when(/orders\/9\/_data/).delay(150);
    await visitor.clickLink("Press");
    await visitor.sees("Order 9");
    const [navigation] = await service.until(
      (item) =>
        isTrace("/orders/[id]", "navigation")(item) && item.value.contexts.trace.data["holdfast.prefetch"] === "joined",
    );
    const request = navigation?.value.spans.find(({ op }: { op: string }) => op === "http.client");
    await service.until(
      (item) =>
        item.value.contexts?.trace?.op === "http.server" &&
        item.value.contexts.trace.parent_span_id === request.span_id,
    );
  });

  test("a trace of a page load continues the server's and carries the vitals", async ({ visit }) => {
    const visitor = await visit("/manual");
    await hasReporter(visitor);
    await visitor.page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
    await visitor.page.goto("about:blank");
    const [page] = await service.until(isTrace("/manual", "pageload"));
    const { trace, session } = page?.value.contexts ?? {};
    expect(session.id, "what tells this visit from others").toMatch(/^[0-9a-f]{32}$/);
    const [server] = await service.until(
      (item) =>
        item.value.contexts?.trace?.trace_id === trace.trace_id && item.value.contexts.trace.op === "http.server",
    );
    expect(trace.parent_span_id).toBe(server?.value.contexts.trace.span_id);
    expect(Object.keys(page?.value.measurements)).toEqual(expect.arrayContaining(["fcp", "ttfb"]));
    expect(page?.value.spans.map(({ op }: { op: string }) => op)).toContain("browser.request");
  });

  test("a trace of a prefetched page points to the prefetch", async ({ visit, proxy }) => {
    const visitor = await visit("/");
    const ahead = (): boolean => proxy.requestsFor(/orders\/8\/_data/).some(({ end }) => end === "complete");
    await expect.poll(ahead, { timeout: 20_000 }).toBe(true);
    // The reporter is loaded, and has sent the trace of the prefetch.
    await service.until(({ value }) => value.contexts?.trace?.op === "prefetch" && value.transaction === "/orders/8");
    await visitor.clickLink("Ahead");
    await visitor.sees("Order 8");
    const [navigation] = await service.until(
      (item) =>
        isTrace("/orders/[id]", "navigation")(item) && item.value.contexts.trace.data["url.path"] === "/orders/8",
    );
    const [link] = navigation?.value.contexts.trace.links ?? [];
    const [prefetch] = await service.until(({ value }) => value.contexts?.trace?.trace_id === link.trace_id);
    expect(prefetch?.type).toBe("transaction");
  });
});
