import { createServer } from "node:http";
import { createElement, type ReactNode } from "react";
import { describe, expect, it, onTestFinished } from "vitest";
import { OpenGraph } from "../../react/open-graph.tsx";
import { load, onRequest } from "../author/define.ts";
import { notFound, redirect } from "../author/outcome.ts";
import {
  dataLinesOf,
  type TestApplication,
  type TestFiles,
  type TestOptions,
  testApplication,
} from "../test-application.ts";
import type { MadePage } from "./make-page.ts";
import type { PlannedPage } from "./plan-pages.ts";
import type { PrerenderedPages } from "./prerendered.ts";
import type { Prerenderer } from "./prerenderer.ts";

const page = { default: ({ data }: { data: unknown }): ReactNode => createElement("h1", null, JSON.stringify(data)) };

async function prerendererOf(files: TestFiles, options: TestOptions = {}): Promise<Prerenderer> {
  let made: Prerenderer | undefined;
  const serve: TestOptions["serve"] = (handler) => {
    made = handler.prerenderer?.();
    return createServer();
  };
  await using _application = await testApplication(files, { ...options, serve });
  if (!made) throw new Error("The handler makes no pages.");
  return made;
}

async function makeAll(files: TestFiles, options: TestOptions = {}, origin?: string) {
  const prerenderer = await prerendererOf(files, options);
  const { pages, problems } = await prerenderer.plan(origin);
  expect(problems).toEqual([]);
  const made = await Promise.all(pages.map(async (one) => ({ planned: one, made: await prerenderer.make(one) })));
  return { made, settings: prerenderer.settings };
}

/** Makes one page, at `/`. */
async function makeOne(server: object, options: TestOptions = {}, origin?: string) {
  const { made } = await makeAll(
    { "index.tsx": page, "index.server.ts": { prerender: true, ...server } },
    options,
    origin,
  );
  return made[0]?.made;
}

/** The application with its pages as a build has made them. */
async function served(files: TestFiles, options: TestOptions = {}): Promise<TestApplication & { sent: string[] }> {
  const { made, settings } = await makeAll(files, options);
  const sent: string[] = [];
  const keyOf = ({ lang, path }: Pick<PlannedPage, "lang" | "path">): string => `${lang} ${path}`;
  const pages = new Map(made.map(({ planned, made: one }) => [keyOf(planned), one as MadePage]));
  const prerendered: PrerenderedPages = {
    settings,
    find: (lang, path) => {
      const one = pages.get(keyOf({ lang, path }));
      return (
        one && {
          scripts: one.scripts,
          cache: one.cache,
          send: (variant, { response, incoming }, headers) => {
            sent.push(incoming.url ?? "");
            response.writeHead(200, [...headers]).end(variant === "document" ? one.html : one.data);
          },
        }
      );
    },
  };
  const application = await testApplication(files, { ...options, prerendered });
  onTestFinished(() => application[Symbol.asyncDispose]());
  return { ...application, sent };
}

describe("what a page may read while the build makes it", () => {
  it.each<[string, (context: never) => unknown]>([
    ["cookies (theme)", ({ cookies }: { cookies: { get(name: string): unknown } }) => cookies.get("theme")],
    ["headers (accept)", ({ headers }: { headers: Headers }) => headers.get("accept")],
    ["locals (user)", ({ locals }: { locals: { user?: unknown } }) => locals.user],
    ["clientAddress", ({ clientAddress }: { clientAddress: string }) => clientAddress],
    ["url.searchParams", ({ url }: { url: URL }) => url.searchParams.get("q")],
    ["url.search", ({ url }: { url: URL }) => url.search],
    ["url.href", ({ url }: { url: URL }) => url.href],
  ])("%s is refused, although the code catches it", async (what, read) => {
    const data = load((context) => {
      try {
        return read(context as never);
      } catch {
        return "caught";
      }
    });
    const made = await makeOne({ data });
    expect(made).toMatchObject({
      kind: "refused",
      error: { message: expect.stringContaining(`reads ${what}, which`) },
    });
  });

  it("a preview of its link is refused without an origin, and whole with one", async () => {
    const files = {
      default: () => createElement(OpenGraph, { title: "Start", image: { src: "/a.jpg", width: 9, height: 9 } }),
    };
    const make = async (origin?: string) => {
      const site = { "index.tsx": files, "index.server.ts": { prerender: true } };
      return (await makeAll(site, {}, origin)).made[0]?.made;
    };
    expect(await make()).toMatchObject({ kind: "refused", error: { code: "prerender-reads-origin" } });
    const html = expect.stringContaining('<meta property="og:image" content="https://shop.example/a.jpg"/>');
    expect(await make("https://shop.example")).toMatchObject({ html });
  });

  it("its path, parameters, language and a known origin are there", async () => {
    const data = load(({ url, lang, method }) => [url.pathname, lang, method]);
    expect(await makeOne({ data })).toMatchObject({ kind: "made", html: expect.stringContaining("en") });
    const whole = load(({ url }) => url.origin);
    const made = await makeOne({ data: whole }, {}, "https://shop.example");
    expect(made).toMatchObject({ kind: "made", html: expect.stringContaining("https://shop.example") });
  });
});

describe("a page that cannot be made", () => {
  it("says why", async () => {
    const boom = new Error("boom");
    expect(
      await makeOne({
        data: load(() => {
          throw boom;
        }),
      }),
    ).toEqual({ kind: "failed", error: boom, digest: "TEST-TEST-0001" });
    expect(await makeOne({ data: load(() => notFound()) })).toMatchObject({ why: "answers with the status 404" });
    expect(await makeOne({ data: load(() => redirect("/x" as string)) })).toMatchObject({ why: "redirects to /x" });
    const late = load(() => ({ late: Promise.reject(boom) }));
    expect(await makeOne({ data: late })).toMatchObject({ kind: "failed", error: boom });
    const data = load(({ response }) => response.setHeader("x-a", "b"));
    expect(await makeOne({ data })).toMatchObject({ why: "sets headers of its response" });
  });

  it("is named before any page is made, with all others", async () => {
    const guard = (): void => undefined;
    const prerenderer = await prerendererOf({
      "admin/_layout.server.ts": { guard },
      "admin/index.tsx": page,
      "admin/index.server.ts": { prerender: true, guard },
      "orders/[id].tsx": page,
      "orders/[id].server.ts": { prerender: [{}, { id: "1", name: "x" }, "y"] },
    });
    expect((await prerenderer.plan(undefined)).problems).toEqual([
      "admin/index.server.ts: its layout admin/_layout.server.ts has a guard, which decides about each request.",
      "admin/index.server.ts: it has a guard, which decides about each request.",
      "orders/[id].server.ts: prerender must list the parameter id of each page of /orders/[id].",
      'orders/[id].server.ts: prerender lists {"id":"1","name":"x"}, and no address of /orders/[id] has these parameters.',
      'orders/[id].server.ts: prerender lists "y", which is no object of parameters.',
    ]);
  });

  it("a wrong declaration names its file", async () => {
    const files = { "index.tsx": page, "index.server.ts": { prerender: { params: 7 } } };
    await expect((await prerendererOf(files)).plan(undefined)).rejects.toThrow(
      /index\.server\.ts exports prerender as/,
    );
  });
});

describe("a page that the build has made", () => {
  let loads = 0;
  const files: TestFiles = {
    "index.tsx": page,
    "orders/[id].tsx": page,
    "orders/[id].server.ts": {
      prerender: { params: async () => [{ id: 1 }], others: "not-found" },
      data: load(() => {
        loads += 1;
        return { loads };
      }),
    },
  };

  it("is sent without a load, as document and as data, which says nothing about the session", async () => {
    const { ask } = await served(files);
    loads = 100;
    const document = await ask("/orders/1?utm_source=x");
    expect(document.text).toContain("loads");
    expect(document.headers["content-security-policy"]).toMatch(/^script-src 'sha256-[^;]*'strict-dynamic'/);
    expect(document.headers["cache-control"]).toBe("public, max-age=0, must-revalidate");
    const [preamble, line] = dataLinesOf((await ask("/orders/1/_data")).text);
    expect(preamble).not.toHaveProperty("tag");
    expect(line).toMatchObject({ kind: "page", params: { id: "1" } });
    expect(loads).toBe(100);
    expect((await ask("/orders/2")).status).toBe(404);
    expect((await ask("/orders/1", { method: "POST" })).status).toBe(405);
  });

  it("is sent without its Link if a response hook removes it", async () => {
    const hook = onRequest(() => ({}), {
      onResponse: (response) => {
        response.setHeader("X-Seen", response.header("Link") ?? "");
        response.removeHeader("Link");
      },
    });
    const { ask, sent } = await served({ ...files, "request.server.ts": { default: hook } });
    const { headers } = await ask("/orders/1");
    expect([sent, headers.link]).toEqual([["/orders/1"], undefined]);
    expect(headers["x-seen"]).toBe("</_assets/entry.js>; rel=modulepreload; fetchpriority=low");
  });

  it("is sent only after the request hook, which may answer instead", async () => {
    const hook = onRequest(({ headers, cookies }) => {
      if (headers.get("x-closed")) return new Response("closed", { status: 503 });
      if (headers.get("x-moved")) redirect("/" as string);
      if (headers.get("x-new")) cookies.set("a", "b");
      return {};
    });
    const { ask, sent } = await served({ ...files, "request.server.ts": { default: hook } });
    expect(await ask("/orders/1", { headers: { "x-closed": "1" } })).toMatchObject({ status: 503, text: "closed" });
    expect((await ask("/orders/1", { headers: { "x-moved": "1" } })).headers.location).toBe("/");
    expect(sent).toEqual([]);
    expect((await ask("/orders/1")).headers["cache-control"]).toBe("private, no-cache");
    const greeted = await ask("/orders/1", { headers: { "x-new": "1" } });
    expect(greeted.headers).toMatchObject({ "cache-control": "private, no-store", "set-cookie": [expect.any(String)] });
    expect(sent).toEqual(["/orders/1", "/orders/1"]);
  });

  it("is rendered again if the server has other settings than the build", async () => {
    const warnings: string[] = [];
    const prerendered: PrerenderedPages = { settings: "others", find: () => undefined };
    await using application = await testApplication(files, { prerendered, warn: (text) => warnings.push(text) });
    expect((await application.ask("/orders/2")).status).toBe(200);
    expect(warnings).toEqual([expect.stringContaining("other settings")]);
  });
});
