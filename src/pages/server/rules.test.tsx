import { describe, expect, test } from "vitest";
import { readAddressRules } from "#routes";
import { action, load } from "./author/define.ts";
import { dataLinesOf, testApplication } from "./test-application.ts";

const { rules } = readAddressRules(
  [
    { from: "/old/[id]", to: "/orders/[id]", permanent: true },
    { from: "/docs/[...rest]", to: "https://docs.example/[...rest]?from=shop#top" },
  ],
  [
    { from: "/start/[id]", to: "/orders/[id]" },
    { from: "/shop/[...rest]", to: "http://old.example/store/[...rest]" },
  ],
);

const seen: string[] = [];
const files = {
  "request.server.ts": {
    default: ({ url }: { url: URL }) => {
      seen.push(url.pathname);
      return {};
    },
  },
  "orders/[id].tsx": { default: ({ data }: { data: string }) => <h1>{data}</h1> },
  "orders/[id].server.ts": {
    data: load(({ params, url }) => `Order ${(params as { id: string }).id} at ${url.pathname}`),
    actions: { rename: action({ changesNothing: true }, () => "renamed") },
  },
  "old/list.tsx": { default: () => <h1>A list</h1> },
};
const post = { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body: "a=1" };

describe("a redirect of the configuration", () => {
  test("is answered before any code of the application, with its search and the status that fits the method", async () => {
    await using app = await testApplication(files, { rules });
    seen.length = 0;
    const asked = async (target: string, method = "GET") => {
      const { status, headers } = await app.ask(target, { method });
      return [status, headers.location, headers["cache-control"]];
    };
    const kept = "public, max-age=3600";
    expect(await asked("/old/a%20b?x=1")).toEqual([301, "/orders/a%20b?x=1", kept]);
    expect(await asked("/old/7", "HEAD")).toEqual([301, "/orders/7", kept]);
    expect(await asked("/old/7", "POST")).toEqual([308, "/orders/7", kept]);
    const docs = "https://docs.example/a/b?from=shop&x=1#top";
    expect(await asked("/docs/a/b?x=1")).toEqual([302, docs, "private, no-store"]);
    expect(await asked("/docs/a/b?x=1", "PUT")).toEqual([307, docs, "private, no-store"]);
    expect(seen).toEqual([]);
  });

  test("leaves more specific pages alone", async () => {
    await using app = await testApplication(files, { rules });
    expect((await app.ask("/old/list")).text).toContain("A list");
  });

  test("is data for a soft navigation, for the same visitor as that of the pages", async () => {
    await using app = await testApplication(files, { rules });
    const [page] = dataLinesOf((await app.ask("/orders/7/_data")).text) as [{ tag: string }];
    const [preamble, line, end] = dataLinesOf((await app.ask("/old/7/_data?x=1")).text);
    expect(preamble).toMatchObject({ build: "test-build", route: null, tag: page.tag });
    expect([line, end]).toEqual([{ kind: "redirect", status: 302, to: "/orders/7?x=1" }, { kind: "end" }]);
  });

  test("is left to a full load where only the request hook knows the visitor", async () => {
    const hook = Object.assign(() => ({}), { visitor: () => "ada" });
    await using app = await testApplication({ ...files, "request.server.ts": { default: hook } }, { rules });
    const { status, headers } = await app.ask("/old/7/_data");
    expect([status, headers["content-type"]]).toEqual([200, "text/plain; charset=utf-8"]);
  });

  test("hands a form of the old page to the action of the new one", async () => {
    await using app = await testApplication(files, { rules });
    const { status, text } = await app.ask("/old/7/_action/rename/_data", post);
    expect([status, text.includes("renamed")]).toEqual([200, true]);
  });

  test("leads to the path below which the application lives", async () => {
    await using app = await testApplication(files, { rules, at: "/admin" });
    expect((await app.ask("/admin/old/7")).headers.location).toBe("/admin/orders/7");
    expect((await app.ask("/old/7")).status).toBe(404);
  });
});

describe("a rewrite of the configuration", () => {
  test("shows the page of another path at the visitor's address, as document, data and action", async () => {
    await using app = await testApplication(files, { rules });
    expect((await app.ask("/start/7")).text).toContain("Order 7 at /start/7");
    const [preamble, line] = dataLinesOf((await app.ask("/start/7/_data")).text);
    expect([preamble, line]).toMatchObject([{ route: "/orders/[id]" }, { kind: "page", params: { id: "7" } }]);
    expect((await app.ask("/start/7/_action/rename/_data", post)).text).toContain("renamed");
  });

  test("hands documents and posts of every origin to another server, and never its data requests", async () => {
    const forwarded: string[] = [];
    await using app = await testApplication(files, {
      rules,
      forward: async ({ incoming, response }, { address }) => {
        forwarded.push(`${incoming.method} ${address}`);
        response.end("from the old server");
      },
    });
    seen.length = 0;
    expect((await app.ask("/shop/a%20b/7?x=1")).text).toBe("from the old server");
    await app.ask("/shop/pay", { ...post, headers: { ...post.headers, origin: "https://bank.example" } });
    const data = await app.ask("/shop/7/_data");
    expect([data.status, data.headers["content-type"]]).toEqual([200, "text/plain; charset=utf-8"]);
    expect(forwarded).toEqual(["GET http://old.example/store/a%20b/7?x=1", "POST http://old.example/store/pay"]);
    expect(seen).toEqual([]);
  });
});
