import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { action, type Guard, invalid, load, onRequest } from "./author/define.ts";
import { forbidden, notFound, redirect } from "./author/outcome.ts";
import type { ResponseHead } from "./author/response-head.ts";
import { type Answered, dataLinesOf, type TestFiles, testApplication } from "./test-application.ts";

const ownB = { GET: () => new Response("ok", { headers: { "X-B": "route" } }) };

const Shown = () => <h1>The page</h1>;

/** An application with one page, whose server file has these exports. */
const page = (server: object): TestFiles => ({ "index.tsx": { default: Shown }, "index.server.ts": server });

const guarding = (guard: (response: ResponseHead) => void): TestFiles =>
  page({ guard: (({ response }) => guard(response)) satisfies Guard });

const loading = (change: (response: ResponseHead) => unknown): TestFiles =>
  page({ data: load(({ response }) => change(response)) });

async function both(files: TestFiles): Promise<{ document: Answered; data: Answered; line: Record<string, unknown> }> {
  await using app = await testApplication(files);
  const [document, data] = [await app.ask("/"), await app.ask("/_data")];
  return { document, data, line: dataLinesOf(data.text)[1] as Record<string, unknown> };
}

const change = (response: ResponseHead): void => {
  response.setStatus(410);
  response.setHeader("X-Robots-Tag", "noindex");
};

test.each<[string, TestFiles]>([
  [
    "the request hook",
    {
      ...page({}),
      "request.server.ts": {
        default: onRequest(({ response }) => {
          change(response);
          return {};
        }),
      },
    },
  ],
  ["a guard", guarding(change)],
  ["a load", loading(change)],
  ["the load of a layout", { ...page({}), "_layout.server.ts": { data: load(({ response }) => change(response)) } }],
])("%s sets status and headers, the same for document and data", async (_, files) => {
  const { document, data, line } = await both(files);
  expect([document.status, data.status, line.kind, line.status]).toEqual([410, 410, "page", 410]);
  expect(document.text).toContain("The page");
  expect([document.headers["x-robots-tag"], data.headers["x-robots-tag"]]).toEqual(["noindex", "noindex"]);
});

test("a load that is slow says the status in its data, and is no error", async () => {
  const files = page({
    data: load(async ({ response }) => {
      await wait(150);
      change(response);
    }),
  });
  await using app = await testApplication(files);
  const data = await app.ask("/_data");
  expect([data.status, dataLinesOf(data.text)[1]]).toMatchObject([200, { kind: "page", status: 410 }]);
  const document = await app.ask("/");
  expect([document.status, document.headers["x-robots-tag"], app.recorded]).toEqual([410, "noindex", []]);
});

test("after the page has loaded it is too late, in document and data alike", async () => {
  const late = async (response: ResponseHead): Promise<void> => {
    await wait(20);
    response.setHeader("X-Late", "1");
  };
  await using app = await testApplication(loading((response) => ({ late: late(response) })));
  for (const path of ["/", "/_data"]) {
    const answer = await app.ask(path);
    expect(answer.headers["x-late"]).toBeUndefined();
    expect(app.recorded.at(-1)?.error).toMatchObject({
      code: "response-too-late",
      message: expect.stringContaining("The header X-Late was set after the page had loaded"),
    });
  }
  expect(app.recorded).toHaveLength(2);
});

test("the status replaces that of notFound and forbidden, never that of a failure or redirect", async () => {
  const ends = {
    410: () => notFound(),
    429: () => forbidden(),
    303: () => redirect("/elsewhere"),
    500: () => {
      throw new Error("broken");
    },
  };
  for (const [status, end] of Object.entries(ends)) {
    for (const files of [guarding, loading].map((made) =>
      made((response) => {
        response.setStatus(status === "429" ? 429 : 410);
        response.setHeader("Retry-After", "7");
        end();
      }),
    )) {
      const { document, data, line } = await both(files);
      expect([document.status, data.status, line.status]).toEqual([
        Number(status),
        status === "303" ? 200 : Number(status),
        Number(status),
      ]);
      expect([document.headers["retry-after"], data.headers["retry-after"]]).toEqual(["7", "7"]);
    }
  }
});

test("a planned error page of another status is no exception", async () => {
  const { document } = await both(
    guarding((response) => {
      response.setStatus(429);
      forbidden();
    }),
  );
  expect(document.text).toContain("This page cannot be shown now.");
  expect(document.text).not.toContain("exception");
});

describe("headers", () => {
  const policies = ["permissions-policy", "cross-origin-opener-policy", "referrer-policy", "x-frame-options"] as const;

  test("a page changes the defaults, and removes them", async () => {
    const { document, line } = await both(
      loading((response) => {
        response.setHeader("permissions-policy", "geolocation=(self)");
        response.setHeader("Cross-Origin-Embedder-Policy", "require-corp");
        response.removeHeader("Cross-Origin-Opener-Policy");
        response.setHeader("X-Frame-Options", "DENY");
      }),
    );
    expect(policies.map((name) => document.headers[name])).toEqual([
      "geolocation=(self)",
      undefined,
      "strict-origin-when-cross-origin",
      "DENY",
    ]);
    expect(document.headers["cross-origin-embedder-policy"]).toBe("require-corp");
    expect(document.headers["content-security-policy"]).toMatch(/; frame-ancestors 'none'(?:;|$)/);
    // The document and the data name the same policy, which is not the usual one.
    expect(line.policy).toMatch(/^\w+$/);
    expect(document.text).toContain(`"policy":"${line.policy}"`);
  });

  test("a page without a frame rule may be framed by everyone", async () => {
    const { document } = await both(loading((response) => response.removeHeader("X-Frame-Options")));
    expect(document.headers["content-security-policy"]).not.toContain("frame-ancestors");
  });

  test("a page names the sites that may frame it, in the one policy of its document", async () => {
    const rule = "frame-ancestors 'self' https://partner.example";
    const { document, line } = await both(loading((response) => response.setHeader("Content-Security-Policy", rule)));
    const csp = document.headers["content-security-policy"];
    expect(csp).toMatch(/^script-src .*; frame-ancestors 'self' https:\/\/partner\.example(?:;|$)/);
    expect(String(csp).match(/frame-ancestors/g)).toHaveLength(1);
    expect(document.headers["x-frame-options"]).toBeUndefined();
    expect(line.policy).toMatch(/^\w+$/);
  });

  test("headers that do not bind a document, and defaults that are set again, need no document of their own", async () => {
    const { document, line } = await both(
      loading((response) => {
        response.setHeader("X-Robots-Tag", "noindex");
        response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
      }),
    );
    expect([line.policy, document.text.includes('"policy"')]).toEqual([undefined, false]);
  });

  test.each([
    "Content-Length",
    "content-encoding",
    "Content-Type",
    "ETag",
    "Transfer-Encoding",
    "Connection",
    "Date",
    "Set-Cookie",
    "Location",
    "Cache-Control",
    "Content-Security-Policy",
    "Strict-Transport-Security",
    "X-Content-Type-Options",
    "X-Digest",
    "Access-Control-Allow-Origin",
  ])("%s belongs to the framework: setting and removing it is an error", async (name) => {
    for (const call of [
      (response: ResponseHead) => response.setHeader(name, "1"),
      (response: ResponseHead) => response.removeHeader(name),
    ]) {
      await using app = await testApplication(guarding(call));
      expect((await app.ask("/")).status).toBe(500);
      expect(app.recorded[0]?.error).toMatchObject({
        code: "header-of-framework",
        message: expect.stringContaining(`The header ${name} is one that the framework writes itself.`),
      });
    }
  });

  test.each([
    ["X-A", "1\r\nSet-Cookie: a=b"],
    ["X-A", "1\n2"],
    ["X-A", ""],
    ["X-A", " 1"],
    ["X-A", "caf\u00e9"],
    ["X A", "1"],
    ["X-A:", "1"],
    ["", "1"],
  ])("%j: %j cannot be sent and is an error", async (name, value) => {
    await using app = await testApplication(guarding((response) => response.setHeader(name, value)));
    expect((await app.ask("/")).status).toBe(500);
    expect(String(app.recorded[0]?.error)).toContain("[wrong-response-header]");
  });

  test.each([0, 100, 199, 204, 205, 206, 301, 304, 600, 410.5, Number.NaN])(
    "no page can have the status %d",
    async (status) => {
      await using app = await testApplication(guarding((response) => response.setStatus(status)));
      expect((await app.ask("/")).status).toBe(500);
      expect(String(app.recorded[0]?.error)).toContain("[wrong-response-status]");
    },
  );

  test("a page that may be cached keeps its headers, and is not cached with another status", async () => {
    const cached = (status: number) =>
      page({
        cache: "public, max-age=60",
        data: load(({ response }) => {
          response.setStatus(status);
          response.setHeader("Vary", "Accept-Language");
        }),
      });
    const [well, gone] = [await both(cached(200)), await both(cached(410))];
    expect(well.document.headers["cache-control"]).toBe("public, max-age=60");
    expect(well.document.headers.vary).toContain("Accept-Language");
    expect([gone.document.status, gone.document.headers["cache-control"]]).toEqual([410, "private, no-store"]);
  });
});

test("the configuration changes defaults by path, and the page has the last word", async () => {
  const changes = (value: string | undefined) => new Map([["referrer-policy", { name: "Referrer-Policy", value }]]);
  await using app = await testApplication(
    {
      ...page({}),
      "own.tsx": { default: Shown },
      "own.server.ts": { data: load(({ response }) => response.setHeader("Referrer-Policy", "origin")) },
      "api.server.ts": ownB,
    },
    { headersFor: (path) => (path === "/nowhere" ? changes(undefined) : changes("no-referrer")) },
  );
  const policyAt = async (path: string) => (await app.ask(path)).headers["referrer-policy"];
  expect([await policyAt("/"), await policyAt("/_data"), await policyAt("/api")]).toEqual(Array(3).fill("no-referrer"));
  expect([await policyAt("/own"), await policyAt("/nowhere")]).toEqual(["origin", undefined]);
  expect((dataLinesOf((await app.ask("/_data")).text)[1] as { policy?: string }).policy).toMatch(/^\w+$/);
});

describe("an action", () => {
  const post = { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body: "a=1" };
  const files = page({
    // The page has a status of its own, which is not that of a submission.
    data: load(({ response }) => {
      response.setStatus(410);
      response.setHeader("X-Page", "1");
    }),
    actions: {
      refuse: action({}, ({ response }) => {
        response.setStatus(409);
        response.setHeader("X-Action", "1");
        invalid({ "": "Somebody else was first." });
      }),
      save: action({}, ({ response }) => {
        response.setHeader("X-Action", "1");
        return "saved";
      }),
    },
  });

  test("sets status and headers of its answer, with and without JavaScript", async () => {
    await using app = await testApplication(files);
    for (const path of ["/_action/refuse", "/_action/refuse/_data"]) {
      const answer = await app.ask(path, post);
      expect([path, answer.status, answer.headers["x-action"]]).toEqual([path, 409, "1"]);
    }
  });

  test("is followed by a page that sets its own status, which is no error", async () => {
    await using app = await testApplication(files);
    const saved = await app.ask("/_action/save/_data", post);
    expect([saved.status, saved.headers["x-action"]]).toEqual([200, "1"]);
    expect(dataLinesOf(saved.text)[2]).toMatchObject({ kind: "page", status: 410 });
    const without = await app.ask("/_action/save", post);
    expect([without.status, without.headers["x-action"], app.recorded]).toEqual([303, "1", []]);
  });
});

test("an API route sends what its guard set, unless its own response says otherwise", async () => {
  await using app = await testApplication({
    "_layout.server.ts": {
      guard: (({ response, url }) => {
        response.setHeader("X-A", "guard");
        response.setHeader("X-B", "guard");
        response.removeHeader("Permissions-Policy");
        if (!url.searchParams.has("many")) return;
        response.setStatus(429);
        forbidden();
      }) satisfies Guard,
    },
    "api.server.ts": ownB,
  });
  const { status, headers } = await app.ask("/api");
  expect([status, headers["x-a"], headers["x-b"], headers["permissions-policy"]]).toEqual([
    200,
    "guard",
    "route",
    undefined,
  ]);
  const refused = await app.ask("/api?many");
  expect([refused.status, JSON.parse(refused.text).status]).toEqual([429, 429]);
});

describe("the language of a page", () => {
  const speak = (response: ResponseHead): void => response.setLanguage("ar");

  test.each<[string, TestFiles]>([
    [
      "the request hook",
      {
        ...page({}),
        "request.server.ts": {
          default: onRequest(({ response }) => {
            speak(response);
            return {};
          }),
        },
      },
    ],
    ["a guard", guarding(speak)],
    ["a load", loading(speak)],
    ["the load of a layout", { ...page({}), "_layout.server.ts": { data: load(({ response }) => speak(response)) } }],
  ])("%s sets it, the same for document and data", async (_, files) => {
    const { document, line } = await both(files);
    expect(document.text).toContain('<html lang="ar" dir="rtl">');
    expect(line.html).toEqual({ lang: "ar", dir: "rtl" });
  });

  test("is that of the configuration unless it is set, and a page that fails or is missing keeps it", async () => {
    const { document, line } = await both(page({}));
    expect(document.text).toContain('<html lang="en">');
    expect(line.html).toEqual({ lang: "en" });
    const ending = (end: () => never): TestFiles =>
      loading((response) => {
        response.setLanguage("de");
        end();
      });
    const failing = await both(
      ending(() => {
        throw new Error("broken");
      }),
    );
    const missing = await both(ending(notFound));
    for (const one of [failing, missing]) {
      expect(one.document.text).toContain('<html lang="de">');
      expect(one.line.html).toEqual({ lang: "de" });
    }
  });

  test("has the direction that is given with it", async () => {
    const { line } = await both(loading((response) => response.setLanguage("ar-Latn", "ltr")));
    expect(line.html).toEqual({ lang: "ar-Latn" });
    expect((await both(loading((response) => response.setLanguage("en", "rtl")))).line.html).toEqual({
      lang: "en",
      dir: "rtl",
    });
  });

  test("is a language tag: other text is an error of the application", async () => {
    await using app = await testApplication(loading((response) => response.setLanguage('"><script>')));
    expect((await app.ask("/")).status).toBe(500);
    expect(String(app.recorded.at(-1)?.error)).toContain("[wrong-language]");
  });
});
