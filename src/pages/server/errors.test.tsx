import { type ReactNode, Suspense, use } from "react";
import { describe, expect, test } from "vitest";
import { silentServerSignals } from "#signals";
import type { ErrorProps } from "../parts.ts";
import { Await } from "../react/index.ts";
import { action, load, onRequest } from "./author/define.ts";
import { notFound, redirect } from "./author/outcome.ts";
import { dataLinesOf, type TestFiles, testApplication } from "./test-application.ts";

const secret = "SECRET-7f3a9";

/** Everything that a program can throw, hostile values included. Each contains the secret where possible. */
const throwables: Readonly<Record<string, () => unknown>> = {
  "an error": () => new Error(secret),
  null: () => null,
  undefined: () => undefined,
  "a text": () => secret,
  "a number": () => 7,
  "a symbol": () => Symbol(secret),
  "a frozen object": () => Object.freeze({ secret }),
  "a frozen error": () => Object.freeze(new Error(secret)),
  "an object whose properties throw": () =>
    new Proxy(
      {},
      {
        get: () => {
          throw new Error(secret);
        },
        getPrototypeOf: () => {
          throw new Error(secret);
        },
        has: () => {
          throw new Error(secret);
        },
      },
    ),
  "an error whose message throws": () =>
    Object.defineProperties(new Error(secret), {
      message: {
        get: () => {
          throw new Error(secret);
        },
      },
      stack: {
        get: () => {
          throw new Error(secret);
        },
      },
    }),
  "a response": () => new Response(secret, { status: 200 }),
  "a function": () => () => secret,
};

let thrown: () => unknown = () => new Error(secret);
let afterMs = 0;

function fail(): never {
  throw thrown();
}

function Layout({ children }: { children: ReactNode }) {
  return (
    <div>
      <header>the layout</header>
      {children}
    </div>
  );
}
const Inner = ({ children }: { children: ReactNode }) => <section>inner {children}</section>;
const Fine = () => <h1>fine</h1>;
const Failing = () => fail();
const OwnError = ({ digest, side, status }: ErrorProps) => (
  <h1>
    own error {side} {status} {digest}
  </h1>
);

/** A page, optionally with files around it. */
function pageThat(server: object, around: TestFiles = {}, page: () => ReactNode = Fine): TestFiles {
  return {
    "_layout.tsx": { default: Layout },
    "index.tsx": { default: page },
    "index.server.ts": server,
    ...around,
  };
}

/** Where application code can throw before anything is sent. `post`: only an action gets there. */
const places: Readonly<Record<string, { files: TestFiles; post?: true; during: string }>> = {
  load: { files: pageThat({ data: load(fail) }), during: "load" },
  "a load that waited": {
    files: pageThat({
      data: load(async () => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        fail();
      }),
    }),
    during: "load",
  },
  "the layout's load": { files: pageThat({}, { "_layout.server.ts": { data: load(fail) } }), during: "load" },
  guard: { files: pageThat({ guard: fail }), during: "guard" },
  "the folder's guard": { files: pageThat({}, { "_layout.server.ts": { guard: fail } }), during: "guard" },
  "the request hook": {
    files: pageThat({}, { "request.server.ts": { default: onRequest(fail) } }),
    during: "request-hook",
  },
  "a file that cannot be loaded": {
    files: pageThat({}, { "index.server.ts": async () => fail() }),
    during: "guard",
  },
  action: { files: pageThat({ actions: { save: action({}, fail) } }), post: true, during: "action" },
};

const renderPlaces: Readonly<Record<string, TestFiles>> = {
  "the page": pageThat({}, {}, Failing),
  "the page under a loading state": pageThat({}, { "_loading.tsx": { default: () => <p>loading</p> } }, Failing),
  "the layout": pageThat({}, { "_layout.tsx": { default: Failing } }),
};

const digest = /TEST-TEST-\d{4}/;

describe.each(Object.entries(throwables))("%s thrown", (_name, make) => {
  test.each(Object.entries(places))(
    "an error in %s is shown with its digest and nothing else",
    async (_where, place) => {
      thrown = make;
      await using app = await testApplication(place.files);
      const asked = place.post ? { method: "POST", body: "a=1", headers: form } : {};
      const path = place.post ? "/_action/save" : "/";
      const page = await app.ask(path, asked);
      expect(page.status).toBe(500);
      expect(page.text).toContain("A server-side exception has occurred.");
      expect(page.text).toContain(app.recorded[0]?.digest);
      expect(page.headers["x-digest"]).toBe(app.recorded[0]?.digest);
      expect(page.text + JSON.stringify(page.headers)).not.toContain(secret);
      expect(app.recorded).toHaveLength(1);
      expect(app.recorded[0]?.place).toMatchObject({ side: "server", during: place.during });

      const data = await app.ask(place.post ? "/_action/save/_data" : "/_data", asked);
      expect(data.status).toBe(500);
      const failed = { status: 500, digest: app.recorded[1]?.digest };
      const line = place.post
        ? { kind: "outcome", outcome: { kind: "failed", ...failed } }
        : { kind: "error", ...failed };
      expect(dataLinesOf(data.text)[1]).toMatchObject(line);
      expect(data.text).not.toContain(secret);
      expect(app.recorded).toHaveLength(2);
    },
  );

  test.each(Object.entries(renderPlaces))(
    "an error while %s is rendered is shown with its digest",
    async (_where, files) => {
      thrown = make;
      await using app = await testApplication(files);
      const page = await app.ask("/");
      expect(page.status).toBe(500);
      expect(page.text).toContain("A server-side exception has occurred.");
      expect(page.text).toContain(app.recorded[0]?.digest);
      expect(page.text).not.toContain(secret);
      expect(app.recorded).toHaveLength(1);
    },
  );

  test("an error after the page has begun leaves the rest intact, with the digest in place of the part", async () => {
    thrown = make;
    afterMs = 30;
    await using app = await testApplication(
      pageThat({ data: load(() => ({ part: rejectLater() })) }, {}, Late as () => ReactNode),
    );
    const page = await app.ask("/");
    const [first] = app.recorded;
    expect(page.status).toBe(200);
    expect(page.text).toMatch(/^<!DOCTYPE html>.*the rest/s);
    // As a late value for the browser, and as text for visitors without scripts.
    expect(page.text).toContain(String.raw`\"late\":1,\"digest\":\"${first?.digest}\"`);
    expect(page.text).toMatch(/<noscript>.*TEST-TEST-\d{4}.*<\/noscript>/);
    expect(page.text).toContain("</html>");
    // With the hash by which the browser recognizes the same failure.
    expect(page.text).toMatch(new RegExp(`\\$RX\\("B:0","${first?.digest}~[0-9a-z]+"`));
    expect(app.recorded).toHaveLength(1);
    expect(withoutDevelopersWords(page.text)).not.toContain(secret);

    app.recorded.length = 0;
    const data = await app.ask("/_data");
    expect(data.status).toBe(200);
    expect(dataLinesOf(data.text).slice(2)).toEqual([{ late: 1, digest: app.recorded[0]?.digest }, { kind: "end" }]);
    expect(data.text).not.toContain(secret);
    expect(app.recorded).toHaveLength(1);
  });

  test("an error of the error page itself leaves the page of last resort, with the digest of the first error", async () => {
    thrown = make;
    await using app = await testApplication(
      pageThat({ data: load(() => Promise.reject(new Error("the first"))) }, { "_error.tsx": { default: Failing } }),
    );
    const page = await app.ask("/");
    expect(page.status).toBe(500);
    expect(Buffer.byteLength(page.text)).toBeLessThan(2048);
    expect(page.text).toContain("A server-side exception has occurred.");
    expect(page.text).toContain(app.recorded[0]?.digest);
    expect(page.text).not.toMatch(new RegExp(`<script|${secret}|the first`));
    expect(app.recorded.map(({ place }) => place.during)).toEqual(["load", "error-page"]);
  });

  test("an error of the not-found page leaves a static page that is still a 404", async () => {
    thrown = make;
    await using app = await testApplication(
      pageThat({ data: load(() => notFound()) }, { "_not-found.tsx": { default: Failing } }),
    );
    for (const path of ["/", "/nowhere"]) {
      const page = await app.ask(path);
      expect(page.status).toBe(404);
      expect(Buffer.byteLength(page.text)).toBeLessThan(2048);
      expect(page.text).toContain("Page not found");
      expect(page.text).not.toContain(secret);
      expect(page.text).toContain(app.recorded.at(-1)?.digest);
      expect(page.headers["x-digest"]).toBe(app.recorded.at(-1)?.digest);
    }
    expect(app.recorded.map(({ place }) => place.during)).toEqual(["not-found-page", "not-found-page"]);
  });

  test("an error of an API route is a 500 with the digest as JSON", async () => {
    thrown = make;
    await using app = await testApplication({ "index.tsx": { default: Fine }, "api.server.ts": { GET: fail } });
    const answer = await app.ask("/api");
    expect(answer.status).toBe(500);
    const { digest } = app.recorded[0] ?? {};
    expect(JSON.parse(answer.text)).toEqual({ title: "Internal Server Error", status: 500, digest });
    expect([answer.headers["content-type"], answer.headers["x-digest"]]).toEqual(["application/problem+json", digest]);
  });
});

/**
 * React's development build, which tests run with, adds the message after the digest; a built application uses the
 * production build.
 */
function withoutDevelopersWords(html: string): string {
  return html.replace(/(\$RX\("B:\d+","[\w~-]+").*?<\/script>/gs, "$1)</script>");
}

const form = { "content-type": "application/x-www-form-urlencoded" };

const Late = ({ data }: { data: { part: Promise<string> } }) => (
  <main>
    <h1>begun</h1>
    <Suspense fallback={<p>waiting</p>}>
      <Part part={data.part} />
    </Suspense>
    <p>the rest</p>
  </main>
);

function Part({ part }: { part: Promise<string> }) {
  return <p>{use(part)}</p>;
}

function rejectLater(): Promise<string> {
  return new Promise((_resolve, reject) => setTimeout(() => reject(thrown()), afterMs));
}

test("the nearest _error file outside of what failed is shown, inside its layouts", async () => {
  thrown = () => new Error(secret);
  const files = {
    "_layout.tsx": { default: Layout },
    "_error.tsx": { default: (props: ErrorProps) => <div>outer error {props.digest}</div> },
    "index.tsx": { default: Fine },
    "shop/_layout.tsx": { default: Inner },
    "shop/_error.tsx": { default: OwnError },
    "shop/page.tsx": { default: Fine },
    "shop/page.server.ts": { data: load(fail) },
    "shop/shell.tsx": { default: Failing },
    "shop/deep/_layout.tsx": { default: Failing },
    "shop/deep/page.tsx": { default: Fine },
    "shop/cold/_layout.tsx": { default: Inner },
    "shop/cold/_layout.server.ts": { data: load(fail) },
    "shop/cold/page.tsx": { default: Fine },
  };
  await using app = await testApplication(files);
  for (const path of ["/shop/page", "/shop/shell", "/shop/deep/page", "/shop/cold/page"]) {
    const page = await app.ask(path);
    expect(page.status).toBe(500);
    expect(page.text).toMatch(
      /the layout.*inner.*own error <!-- -->server<!-- --> <!-- -->500<!-- --> <!-- -->TEST-TEST/,
    );
    expect(page.text).not.toContain("outer error");
    expect(page.text).toMatch(digest);
  }
});

const sayNothing = () => new Response("");

describe("where the application has no error page of its own, the built-in one", () => {
  const files: TestFiles = {
    "_layout.tsx": { default: Layout },
    "index.tsx": { default: Fine },
    "shop/_layout.tsx": { default: Inner },
    "shop/index.tsx": { default: Fine },
    "shop/load.tsx": { default: Fine },
    "shop/load.server.ts": { data: load(fail) },
    "shop/shell.tsx": { default: Failing },
    "shop/gone.tsx": { default: Fine },
    "shop/gone.server.ts": { data: load(() => notFound()) },
    "shop/deep/_layout.tsx": { default: Failing },
    "shop/deep/page.tsx": { default: Fine },
    "shop/cold/_layout.tsx": { default: Inner },
    "shop/cold/_layout.server.ts": { data: load(fail) },
    "shop/cold/page.tsx": { default: Fine },
    "api/list.server.ts": { GET: sayNothing },
  };

  test.each(["/shop/load", "/shop/shell", "/shop/deep/page", "/shop/cold/page"])(
    "where the application has no error page of its own, the built-in one of %s stands inside the layouts that are well",
    async (path) => {
      thrown = () => new Error(secret);
      await using app = await testApplication(files);
      const page = await app.ask(path);
      expect(page.status).toBe(500);
      expect(page.text).toMatch(/the layout.*<section>inner <div class="holdfast-page">.*server-side exception/s);
      expect(page.text).toContain(app.recorded[0]?.digest);
      expect(app.recorded).toHaveLength(1);
      expect(dataLinesOf((await app.ask(`${path}/_data`)).text)[1]).toMatchObject(
        path === "/shop/load" || path === "/shop/cold/page" ? { kind: "error", boundary: 1 } : { kind: "page" },
      );
    },
  );

  test("stands alone where the outermost layout itself has failed", async () => {
    await using app = await testApplication({ ...files, "_layout.tsx": { default: Failing } });
    const page = await app.ask("/shop/load");
    expect([page.status, page.text.includes('class="holdfast-page alone"')]).toEqual([500, true]);
  });

  test("reloads the same address, search and all", async () => {
    await using app = await testApplication(files);
    const page = await app.ask("/shop/load?q=tea&page=2");
    expect(page.text).toContain('<a href="/shop/load?q=tea&amp;page=2" data-hard="" class="primary">Reload</a>');
  });

  test.each([
    ["/shop/gone", "/shop"],
    ["/shop/nothing/here", "/shop"],
    ["/api/nothing", undefined],
    ["/nothing", undefined],
  ])(
    "where the application has no error page of its own, the built-in one at %s offers the way up to %s",
    async (path, up) => {
      await using app = await testApplication(files);
      const { text } = await app.ask(path, { headers: { accept: "text/html" } });
      expect(/Up to <!-- -->([^<]+)/.exec(text)?.[1]).toBe(up);
      expect(text).toContain('<a href="/">Home</a>');
    },
  );

  test("offers no link home if there is no such page", async () => {
    await using app = await testApplication({ "shop.tsx": { default: Fine } });
    expect((await app.ask("/nothing")).text).not.toContain("Home</a>");
  });
});

const ownWords = (part: Promise<string>) => (
  <Await value={part} fallback={<p>waiting</p>} error={({ digest }) => <p>own words {digest}</p>}>
    {(text) => <p>{text}</p>}
  </Await>
);
const Awaiting = ({ data }: { data: { part: Promise<string> } }) => (
  <main>
    <Await value={data.part} fallback={<p>waiting</p>}>
      {(text) => <p>{text}</p>}
    </Await>
    {ownWords(data.part)}
    <p>the rest</p>
  </main>
);

describe("a late part that fails", () => {
  test.each([
    ["after the page has begun", 30, {}],
    ["at once", 0, {}],
    ["for a reader without scripts", 30, { "user-agent": "Googlebot" }],
  ])("%s is shown in its place, once", async (_when, ms, headers) => {
    thrown = () => new Error(secret);
    afterMs = ms;
    const files = pageThat({ data: load(() => ({ part: rejectLater() })) }, {}, Awaiting as () => ReactNode);
    await using app = await testApplication(files);
    const page = await app.ask("/", { headers });
    expect(page.status).toBe(200);
    expect(page.text).toMatch(/<p role="alert">.*TEST-TEST-0001/);
    expect(page.text).toMatch(/own words <!-- -->TEST-TEST-0001/);
    expect(page.text).toContain("the rest");
    expect(page.text).not.toMatch(new RegExp(`${secret}|\\$RX`));
    expect(app.recorded).toHaveLength(1);
  });

  test("a late part that fails because its value cannot be sent is shown on both sides", async () => {
    class Order {}
    const files = pageThat(
      { data: load(() => ({ part: Promise.resolve(new Order()) })) },
      {},
      Awaiting as () => ReactNode,
    );
    await using app = await testApplication(files);
    const page = await app.ask("/");
    expect(page.text).toMatch(/<p role="alert">.*TEST-TEST-0001/);
    expect(page.text).toContain(String.raw`\"late\":1,\"digest\":\"TEST-TEST-0001\"`);
  });

  test("a late part that fails because it never arrives ends the document too", async () => {
    const files = pageThat(
      { data: load(() => ({ part: new Promise<string>(() => undefined) })) },
      {},
      Awaiting as () => ReactNode,
    );
    await using app = await testApplication(files, { limits: { lateMs: 40 } });
    expect((await app.ask("/")).text).toMatch(/<p role="alert">.*TEST-TEST-0001.*<\/html>/s);
  });
});

test("an error page that throws is replaced by the next one further out", async () => {
  await using app = await testApplication({
    "_error.tsx": { default: OwnError },
    "index.tsx": { default: Fine },
    "shop/_error.tsx": { default: Failing },
    "shop/page.tsx": { default: Failing },
  });
  const page = await app.ask("/shop/page");
  expect(page.status).toBe(500);
  expect(page.text).toContain(
    `own error <!-- -->server<!-- --> <!-- -->500<!-- --> <!-- -->${app.recorded[0]?.digest}`,
  );
});

test("two loads that fail are two errors; the visitor sees the outer one", async () => {
  await using app = await testApplication({
    "_layout.server.ts": { data: load(() => Promise.reject(new Error("of the layout"))) },
    "index.tsx": { default: Fine },
    "index.server.ts": { data: load(() => Promise.reject(new Error("of the page"))) },
  });
  const page = await app.ask("/");
  expect(app.recorded.map(({ error }) => (error as Error).message)).toEqual(["of the layout", "of the page"]);
  expect(page.text).toContain(app.recorded[0]?.digest);
  expect(page.text).not.toContain(app.recorded[1]?.digest);
});

test("data that cannot be sent fails as part of its load, with the place of the value in the report", async () => {
  class Order {}
  const cycle: { self?: object } = {};
  cycle.self = cycle;
  for (const [value, message] of [
    [{ order: new Order() }, /instance of Order at data\.order/],
    [{ list: [{ run: () => 1 }] }, /a function at data\.list\[0\]\.run/],
    [cycle, /a cycle at data\.self/],
  ] as const) {
    await using app = await testApplication(
      pageThat({ data: load(() => value) }, { "_error.tsx": { default: OwnError } }),
    );
    for (const path of ["/", "/_data"]) {
      const answer = await app.ask(path);
      expect(answer.status).toBe(500);
      expect(answer.text).toContain(app.recorded.at(-1)?.digest);
    }
    expect(String(app.recorded[0]?.error)).toMatch(message);
    expect(app.recorded[0]?.place.during).toBe("load");
  }
});

test("a load, a guard or a hook that never ends is given up after the time limit", async () => {
  const never = () => new Promise<never>(() => undefined);
  let aborted: AbortSignal | undefined;
  for (const [code, files] of [
    [
      "load-timed-out",
      pageThat({
        data: load(({ signal }) => {
          aborted = signal;
          return never();
        }),
      }),
    ],
    ["guard-timed-out", pageThat({ guard: never })],
    ["hook-timed-out", pageThat({}, { "request.server.ts": { default: onRequest(never) } })],
  ] as const) {
    await using app = await testApplication(files, { limits: { loadMs: 40, preambleMs: 5, heartbeatMs: 10 } });
    const page = await app.ask("/");
    expect(page.status).toBe(504);
    expect(page.text).toContain(app.recorded[0]?.digest);
    expect(app.recorded[0]?.error).toMatchObject({ code, message: expect.stringContaining("longer than 40 ms") });
    const data = await app.ask("/_data");
    expect(dataLinesOf(data.text)[1]).toMatchObject({ kind: "error", status: 504 });
    expect(app.recorded).toHaveLength(2);
  }
  expect(aborted?.aborted).toBe(true);
});

test("a shell that is never ready is given up after its time limit", async () => {
  const forever = new Promise<string>(() => undefined);
  await using app = await testApplication(
    pageThat({}, {}, () => <p>{use(forever)}</p>),
    { limits: { shellMs: 40 } },
  );
  const page = await app.ask("/");
  expect(page.status).toBe(500);
  expect(page.text).toContain(app.recorded[0]?.digest);
  expect(String(app.recorded[0]?.error)).toContain("no first part after 40 ms");
});

test("a late value that never arrives is given up after its time limit, and the document ends", async () => {
  const forever = new Promise<string>(() => undefined);
  await using app = await testApplication(
    pageThat({ data: load(() => ({ forever })) }, {}, () => <h1>begun</h1>),
    { limits: { lateMs: 40 } },
  );
  const page = await app.ask("/");
  expect(page.status).toBe(200);
  expect(page.text).toContain(String.raw`\"late\":1,\"digest\":\"${app.recorded[0]?.digest}\"`);
  const data = await app.ask("/_data");
  expect(dataLinesOf(data.text).at(-1)).toEqual({ kind: "end" });
});

test("redirect, not-found and refusals are no errors: nothing is recorded", async () => {
  await using app = await testApplication({
    "index.tsx": { default: Fine },
    "moved.tsx": { default: Fine },
    "moved.server.ts": { data: load(() => redirect("/")) },
    "gone.tsx": { default: Fine },
    "gone.server.ts": { data: load(() => notFound()) },
  });
  expect((await app.ask("/moved")).status).toBe(303);
  expect((await app.ask("/gone")).status).toBe(404);
  expect(app.recorded).toEqual([]);
});

test("a listener that throws does not harm the page", async () => {
  const files = pageThat({ data: load(fail) });
  const app = await testApplication(files, {
    signals: {
      ...silentServerSignals,
      routesKnown: () => undefined,
      request: (_facts, run) =>
        run({
          handOver: "",
          matched: () => undefined,
          step: (_k, _n, go) => go(),
          cached: () => undefined,
          ended: () => undefined,
          after: (run: () => Promise<void>) => run(),
        }),
      errorCaught: () => {
        throw new Error("the listener is broken");
      },
    },
  });
  const page = await app.ask("/");
  expect(page.status).toBe(500);
  expect(page.text).toContain("A server-side exception has occurred.");
  await app[Symbol.asyncDispose]();
});
