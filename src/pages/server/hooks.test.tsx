import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, expectTypeOf, test } from "vitest";
import { readAddressRules } from "#routes";
import { action, type HookRequest, load, onRequest, type ResponseHook, sequence } from "./author/define.ts";
import { events } from "./author/events.ts";
import { notFound, redirect } from "./author/outcome.ts";
import { type Answered, dataLinesOf, type TestFiles, testApplication } from "./test-application.ts";

const Shown = ({ data }: { data?: unknown }) => <h1>The page {JSON.stringify(data)}</h1>;

const hello = (): Response => new Response("hello", { headers: { "x-own": "route", vary: "Origin" } });

/** An application with one of each, and this request hook. */
const withHook = (hook: unknown, more: TestFiles = {}): TestFiles => ({
  "request.server.ts": { default: hook },
  "index.tsx": { default: Shown },
  "index.server.ts": {
    data: load(({ locals }) => locals),
    actions: { save: action({}, () => "saved"), stay: action({ changesNothing: true }, () => "stayed") },
  },
  "away.tsx": { default: Shown },
  "away.server.ts": { data: load(() => redirect("/")) },
  "broken.tsx": {
    default: () => {
      throw new Error("render");
    },
  },
  "api/hello.server.ts": { GET: hello },
  "_error.tsx": { default: ({ digest }: { digest?: string }) => <h1>Own error page {digest}</h1> },
  ...more,
});

/** A hook that only looks at responses. */
const seeing = (onResponse: ResponseHook) => onRequest(() => ({}), { onResponse });

const post = { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body: "" };

describe("several hooks", () => {
  const first = onRequest(({ headers }) => ({ name: headers.get("x-name") ?? "nobody" }));
  const second = onRequest(({ locals }: HookRequest<{ name: string }>) => ({ greeting: `Hello ${locals.name}` }));

  test("run in their order, each with the locals of those before it", async () => {
    await using app = await testApplication(withHook(sequence(first, second)));
    const answer = await app.ask("/_data", { headers: { "x-name": "Ada" } });
    expect(dataLinesOf(answer.text)[1]).toMatchObject({ data: [["~u"], { name: "Ada", greeting: "Hello Ada" }] });
  });

  test("types know which locals a hook needs, and which all of them return", () => {
    expectTypeOf(sequence(first, second)).returns.resolves.toEqualTypeOf<{ name: string } & { greeting: string }>();
    const other = onRequest(() => ({ other: 1 }));
    // @ts-expect-error: nothing before it returns a name.
    sequence(other, second);
    const closing = onRequest(({ url }) => (url.hash ? new Response("") : { open: true }));
    expectTypeOf(closing).returns.resolves.toEqualTypeOf<{ open: boolean }>();
  });

  test("a sequence can be part of another one", async () => {
    const third = onRequest(() => undefined);
    await using app = await testApplication(withHook(sequence(sequence(first, second), third)));
    const answer = await app.ask("/_data");
    expect(dataLinesOf(answer.text)[1]).toMatchObject({ data: [["~u"], { greeting: "Hello nobody" }] });
  });

  test("the last one that names the visitor decides", async () => {
    const signedIn = onRequest(({ headers }) => ({ user: headers.get("x-name") }), { visitor: ({ user }) => user });
    await using app = await testApplication(withHook(sequence(first, signedIn)));
    const tagFor = async (name: string): Promise<unknown> => {
      const answer = await app.ask("/_data", { headers: { "x-name": name } });
      return (dataLinesOf(answer.text)[0] as { tag: string }).tag;
    };
    const [ada, again, bob] = [await tagFor("ada"), await tagFor("ada"), await tagFor("bob")];
    expect([again, bob]).toEqual([ada, expect.not.stringContaining(String(ada))]);
  });

  test("one that throws ends the request, and the next ones do not run", async () => {
    let ran = 0;
    const failing = onRequest(() => {
      throw new Error("hook");
    });
    const after = onRequest(() => {
      ran += 1;
    });
    await using app = await testApplication(withHook(sequence(first, failing, after)));
    const answer = await app.ask("/");
    expect([answer.status, answer.headers["x-digest"], ran]).toEqual([500, app.recorded[0]?.digest, 0]);
    expect(app.recorded[0]?.place.during).toBe("request-hook");
  });

  test("all of them together have the time limit of a load", async () => {
    const slow = onRequest(async () => {
      await wait(60_000, undefined, { ref: false });
    });
    await using app = await testApplication(withHook(sequence(slow, slow)), { limits: { loadMs: 20 } });
    const answer = await app.ask("/");
    expect([answer.status, answer.headers["x-digest"]]).toEqual([504, app.recorded[0]?.digest]);
  });
});

describe("a hook that returns a Response", () => {
  const closed = onRequest(({ url }) => {
    if (url.searchParams.has("go")) return Response.redirect("http://127.0.0.1/sign-in", 303);
    return new Response("Closed for today", { status: 503, headers: { "retry-after": "60" } });
  });

  test.each([
    ["a page", "/", {}],
    ["an address without a page", "/nothing", {}],
    ["an API route", "/api/hello", {}],
    ["an unknown address of an API", "/api/nothing", {}],
    ["a form without scripts", "/_action/save", post],
  ])("answers %s with it, and nothing else runs", async (_, path, options) => {
    await using app = await testApplication(withHook(closed));
    const answer = await app.ask(path, options);
    expect([answer.status, answer.text, answer.headers["retry-after"]]).toEqual([503, "Closed for today", "60"]);
    expect([answer.headers["cache-control"], answer.headers["x-content-type-options"], app.recorded]).toEqual([
      "private, no-store",
      "nosniff",
      [],
    ]);
  });

  test("a soft navigation gets no page data, so that the browser loads the document", async () => {
    await using app = await testApplication(withHook(closed));
    const answer = await app.ask("/_data");
    expect([answer.status, answer.headers["content-type"]]).toEqual([200, "text/plain; charset=utf-8"]);
  });

  test("a form with scripts fails with its status, and follows its redirect", async () => {
    await using app = await testApplication(withHook(closed), { redirectOrigins: ["http://127.0.0.1"] });
    const failed = dataLinesOf((await app.ask("/_action/save/_data", post)).text);
    expect(failed[1]).toMatchObject({ ran: false, outcome: { kind: "failed", status: 503 } });
    const redirected = dataLinesOf((await app.ask("/_action/save/_data?go", post)).text);
    expect(redirected[1]).toMatchObject({ outcome: { kind: "redirected", to: "http://127.0.0.1/sign-in" } });
  });
});

describe("onResponse", () => {
  const noting: ResponseHook = (response) => {
    response.setHeader("X-Kind", response.kind);
    response.setHeader("X-Status", String(response.status));
  };

  test.each([
    ["a page", "/", {}, "document", 200],
    ["page data", "/_data", {}, "data", 200],
    ["a redirect", "/away", {}, "redirect", 303],
    ["a redirect as page data", "/away/_data", {}, "data", 200],
    ["a not-found page", "/nothing", {}, "document", 404],
    ["an error page", "/broken", {}, "document", 500],
    ["an API route", "/api/hello", {}, "api", 200],
    ["a missing API route", "/api/nothing", {}, "api", 404],
    ["a form with scripts", "/_action/save/_data", post, "data", 200],
    ["a form without scripts", "/_action/save", post, "redirect", 303],
    ["the page after a form without scripts", "/_action/stay", post, "document", 200],
  ])("sees %s", async (_, path, options, kind, status) => {
    await using app = await testApplication(withHook(seeing(noting)));
    const { headers, status: sent } = await app.ask(path, options);
    expect([headers["x-kind"], headers["x-status"], sent]).toEqual([kind, String(status), status]);
  });

  test("sees the page of last resort", async () => {
    const broken = {
      default: () => {
        throw new Error("error page");
      },
    };
    await using app = await testApplication(withHook(seeing(noting), { "_error.tsx": broken }));
    const { headers, status } = await app.ask("/broken");
    expect([status, headers["x-kind"], headers["x-status"]]).toEqual([500, "document", "500"]);
  });

  test("runs in the opposite order, also if the first hook ended the request", async () => {
    const named = (name: string, ends = false) =>
      onRequest(() => (ends ? new Response("ended") : { [name]: true }), {
        onResponse: (response, { locals }) => {
          const before = response.header("X-Order") ?? "";
          response.setHeader("X-Order", `${before}${name}(${Object.keys(locals).join()})`);
        },
      });
    for (const [ends, order] of [
      [false, "b(a,b)a(a,b)"],
      [true, "b()a()"],
    ] as const) {
      await using app = await testApplication(withHook(sequence(named("a", ends), named("b"))));
      expect((await app.ask("/")).headers["x-order"]).toBe(order);
    }
  });

  test("runs if the request hook itself failed", async () => {
    const failing = onRequest(
      (): object => {
        throw new Error("hook");
      },
      { onResponse: noting },
    );
    await using app = await testApplication(withHook(failing));
    expect((await app.ask("/")).headers["x-status"]).toBe("500");
  });

  test("sets the status of a page, but not that of a failure or redirect", async () => {
    await using app = await testApplication(withHook(seeing((response) => response.setStatus(410))));
    const statuses = ["/", "/_data", "/nothing", "/api/hello", "/broken", "/away"].map(async (path) => {
      const { status } = await app.ask(path);
      return status;
    });
    expect(await Promise.all(statuses)).toEqual([410, 410, 410, 410, 500, 303]);
  });

  test("changes and removes headers, in place of those of the framework and of an API route", async () => {
    const changing = seeing((response) => {
      response.setHeader("X-Own", "hook");
      response.setHeader("Vary", `${response.header("vary") ?? ""}, Cookie`);
      response.removeHeader("X-Powered-By");
    });
    await using app = await testApplication(withHook(changing));
    const { headers } = await app.ask("/api/hello");
    expect([headers["x-own"], headers.vary]).toEqual(["hook", "Origin, Cookie"]);
  });

  describe("of a page whose policy has hashes", () => {
    const entry = "</_assets/entry.js>; rel=modulepreload; fetchpriority=low";
    const font = "</font.woff2>; rel=preload; as=font; crossorigin";
    const pages = {
      "kept.tsx": { default: Shown },
      "kept.server.ts": { cache: "public, max-age=60" },
      "stored.tsx": { default: Shown },
      "stored.server.ts": { cache: { fresh: "1m" } },
    };
    const linkOf = async (app: { ask: (path: string) => Promise<Answered> }, path: string) =>
      (await app.ask(path)).headers.link;

    test.each(["/kept", "/stored"])("%s: sees, replaces and removes its Link", async (path) => {
      const seen: (string | undefined)[] = [];
      const hook = (change: ResponseHook) =>
        seeing((response, request) => {
          seen.push(response.header("Link"));
          return change(response, request);
        });
      const twice = sequence(
        seeing((response) => void seen.push(response.header("Link"))),
        hook((response) => response.removeHeader("Link")),
      );
      await using removing = await testApplication(withHook(twice, pages));
      for (const _ of ["miss", "hit"]) expect(await linkOf(removing, path)).toBeUndefined();
      expect(seen).toEqual([entry, undefined, entry, undefined]);
      await using replacing = await testApplication(
        withHook(
          hook((response) => response.setHeader("Link", font)),
          pages,
        ),
      );
      for (const _ of ["miss", "hit"]) expect(await linkOf(replacing, path)).toBe(font);
    });

    test("a Link of the page is sent beside it, and the hook sees both", async () => {
      const loads = {
        cache: "public, max-age=60",
        data: load(({ response }) => response.setHeader("Link", font)),
      };
      await using app = await testApplication(
        withHook(
          seeing((response) => response.setHeader("X-Seen", response.header("Link") ?? "")),
          { ...pages, "kept.server.ts": loads },
        ),
      );
      const { headers } = await app.ask("/kept");
      expect([headers.link, headers["x-seen"]]).toEqual([`${font}, ${entry}`, `${font}, ${entry}`]);
    });

    test("is sent without a Link if the page or the configuration removes it", async () => {
      const loads = { cache: "public, max-age=60", data: load(({ response }) => response.removeHeader("Link")) };
      const headersFor = (path: string) =>
        path === "/stored" ? new Map([["link", { name: "Link", value: undefined }]]) : undefined;
      await using app = await testApplication(
        { ...pages, "own.tsx": { default: Shown }, "own.server.ts": loads },
        {
          headersFor,
        },
      );
      const links = [await linkOf(app, "/own"), await linkOf(app, "/stored"), await linkOf(app, "/stored")];
      expect([...links, await linkOf(app, "/kept")]).toEqual([undefined, undefined, undefined, entry]);
    });
  });

  test("replaces the body of an API route", async () => {
    const shouting = seeing(async ({ original }) => {
      if (!original) return undefined;
      return new Response((await original.text()).toUpperCase(), { status: 201, headers: original.headers });
    });
    await using app = await testApplication(withHook(shouting));
    const answer = await app.ask("/api/hello");
    expect([answer.status, answer.text, answer.headers["x-own"]]).toEqual([201, "HELLO", "route"]);
  });

  test("sees server-sent events, which go on as they arrive", async () => {
    const ticks = (): Response =>
      events(async function* () {
        yield { data: 1 };
      });
    const stream = { "api/ticks.server.ts": { GET: ticks } };
    await using app = await testApplication(withHook(seeing(noting), stream));
    const answer = await app.ask("/api/ticks");
    expect([answer.headers["x-kind"], answer.headers["content-type"], answer.text.includes("data: 1")]).toEqual([
      "api",
      "text/event-stream",
      true,
    ]);
  });

  test("a document goes on streaming", async () => {
    const released = Promise.withResolvers<string>();
    const late = {
      "late.tsx": { default: Shown },
      "late.server.ts": { data: load(() => ({ value: released.promise })) },
    };
    await using app = await testApplication(withHook(seeing(noting), late));
    const pieces: string[] = [];
    const answer = await app.ask("/late", {
      headers: { accept: "text/html" },
      onPiece: (bytes) => {
        pieces.push(bytes.toString());
        // Ends only if the beginning of the page arrived before the value.
        if (pieces.join("").includes("The page")) released.resolve("the late value");
      },
    });
    expect([answer.headers["x-kind"], answer.text.includes("the late value")]).toEqual(["document", true]);
  });

  test("page data whose load is slow has the hook's headers, and status 200", async () => {
    const slow = { "slow.tsx": { default: Shown }, "slow.server.ts": { data: load(() => wait(50)) } };
    await using app = await testApplication(withHook(seeing(noting), slow), { limits: { preambleMs: 1 } });
    const { headers, text } = await app.ask("/slow/_data");
    expect([headers["x-kind"], headers["x-status"], dataLinesOf(text).length]).toEqual(["data", "200", 3]);
  });

  test("sets cookies, which keeps a cacheable page out of caches; a header does not", async () => {
    const cacheable = { "kept.tsx": { default: Shown }, "kept.server.ts": { cache: "public, max-age=60" } };
    const hook = seeing((response, { cookies, url }) => {
      response.setHeader("Vary", "X-Plan");
      if (url.searchParams.has("cookie")) cookies.set("seen", "1");
    });
    await using app = await testApplication(withHook(hook, cacheable));
    const plain = await app.ask("/kept");
    expect([plain.headers["cache-control"], plain.headers.vary]).toEqual([
      "public, max-age=60",
      expect.stringContaining("X-Plan"),
    ]);
    const set = await app.ask("/kept?cookie");
    expect([set.headers["cache-control"], set.headers["set-cookie"]]).toEqual([
      "private, no-store",
      [expect.stringContaining("seen=1")],
    ]);
  });

  test("does not run for refusals and for lines of redirects, which no code of the application sees", async () => {
    const { rules } = readAddressRules([{ from: "/old", to: "/" }], []);
    await using app = await testApplication(withHook(seeing(noting)), { rules });
    const foreign = { ...post, headers: { ...post.headers, origin: "https://other.example" } };
    const refused = [
      app.ask("/%zz"),
      app.ask("/old"),
      app.ask("/", { method: "PUT" }),
      app.ask("/_action/save", foreign),
    ];
    const seen = (await Promise.all(refused)).map(({ status, headers }) => [status, headers["x-kind"]]);
    expect(seen).toEqual([400, 302, 405, 403].map((status) => [status, undefined]));
  });
});

describe("an onResponse that fails", () => {
  const failing = seeing(({ kind }) => {
    throw new Error(`on the way out of ${kind}`);
  });

  const once = async (path: string, hook: unknown = failing, options = {}, more: TestFiles = {}) => {
    await using app = await testApplication(withHook(hook, more));
    const answer = await app.ask(path, options);
    return { answer, recorded: app.recorded };
  };

  const digestOf = ({ headers }: Answered): unknown => headers["x-digest"];

  test("becomes the error page of the application, with a digest and a report", async () => {
    const { answer, recorded } = await once("/");
    expect([answer.status, digestOf(answer), recorded.length]).toEqual([500, recorded[0]?.digest, 1]);
    expect(answer.text).toContain("Own error page");
    expect(recorded[0]?.place).toMatchObject({ during: "request-hook", visitorSaw: "error-page" });
  });

  test("does not keep those of other hooks from running, so that the error page has their headers", async () => {
    const marking = seeing((response) => response.setHeader("X-Marked", "yes"));
    const { answer } = await once("/", sequence(marking, failing, marking));
    expect([answer.status, answer.headers["x-marked"]]).toEqual([500, "yes"]);
    const before = await once("/", sequence(marking, failing));
    expect(before.answer.headers["x-marked"]).toBe("yes");
  });

  test("becomes page data of the error page", async () => {
    const { answer, recorded } = await once("/_data");
    expect([answer.status, dataLinesOf(answer.text)[1]]).toMatchObject([
      500,
      { kind: "error", status: 500, digest: recorded[0]?.digest },
    ]);
  });

  test("while a slow page loads too", async () => {
    const slow = { "slow.tsx": { default: Shown }, "slow.server.ts": { data: load(() => wait(50)) } };
    await using app = await testApplication(withHook(failing, slow), { limits: { preambleMs: 1 } });
    const answer = await app.ask("/slow/_data");
    expect(dataLinesOf(answer.text)[1]).toMatchObject({ kind: "error", digest: app.recorded[0]?.digest });
  });

  test("becomes a problem for programs", async () => {
    const { answer, recorded } = await once("/api/hello");
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([500, { digest: recorded[0]?.digest }]);
  });

  test("leaves an error page that was on its way as it is, and is reported", async () => {
    const { answer, recorded } = await once("/broken");
    expect([answer.status, digestOf(answer), recorded.length]).toEqual([500, recorded[0]?.digest, 2]);
    expect(recorded[0]?.error).toMatchObject({ message: "render" });
  });

  test("does not hide that an action has run", async () => {
    const withScripts = await once("/_action/save/_data", failing, post);
    expect(dataLinesOf(withScripts.answer.text)[1]).toMatchObject({ ran: true, outcome: { kind: "done" } });
    expect(withScripts.recorded).toHaveLength(1);
    const without = await once("/_action/save", failing, post);
    expect([without.answer.status, without.recorded.length]).toEqual([500, 1]);
    expect(without.answer.text).toContain('role="status"');
  });

  test.each<[string, ResponseHook, string]>([
    ["that redirects", () => redirect("/"), "ended-too-late"],
    ["that calls notFound", () => notFound(), "ended-too-late"],
    ["that replaces a page", () => new Response("other"), "response-not-replaceable"],
    [
      "that sets a header of the framework",
      (response) => response.setHeader("Content-Type", "x/y"),
      "header-of-framework",
    ],
    [
      "that changes what a document keeps",
      (response) => response.setHeader("Permissions-Policy", "usb=()"),
      "header-of-document",
    ],
  ])("one %s gets the reason", async (_, hook, code) => {
    const { answer, recorded } = await once("/", seeing(hook));
    expect([answer.status, recorded[0]?.error]).toMatchObject([500, { code }]);
  });

  test("one that reads the body and returns no other gets the reason", async () => {
    const reading = seeing(async ({ original }) => void (await original?.text()));
    const { answer, recorded } = await once("/api/hello", reading);
    expect([answer.status, recorded[0]?.error]).toMatchObject([500, { code: "body-read-by-hook" }]);
  });

  test("one that never ends is given up after the time limit", async () => {
    const endless = seeing(async () => {
      await wait(60_000, undefined, { ref: false });
    });
    await using app = await testApplication(withHook(endless), { limits: { loadMs: 20 } });
    const answer = await app.ask("/");
    expect([answer.status, digestOf(answer)]).toEqual([504, app.recorded[0]?.digest]);
  });
});
