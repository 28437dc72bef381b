import { describe, expect, test } from "vitest";
import { readAddressRules } from "#routes";
import { action, load, onRequest } from "./author/define.ts";
import { redirect } from "./author/outcome.ts";
import { dataLinesOf, testApplication } from "./test-application.ts";

const hello = ({ url }: Request): Response => new Response(new URL(url).pathname);

const files = {
  "index.tsx": { default: () => <h1>Home</h1> },
  "about.tsx": { default: ({ data }: { data: string }) => <h1>About {data}</h1> },
  "about.server.ts": {
    data: load(({ url }) => url.pathname),
    actions: { save: action({}, () => "saved"), leave: action({}, () => redirect("/")) },
  },
  "away.tsx": { default: () => null },
  "away.server.ts": { data: load(() => redirect("/about?x=1")) },
  "users/[name].tsx": { default: ({ params }: { params: { name: string } }) => <h1>User {params.name}</h1> },
  "api/hello.server.ts": { GET: hello, POST: hello },
};

const slashed = { trailingSlash: true };

const post = { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body: "" };

describe("with a slash at the end of every page", () => {
  test.each([
    ["/about", 308, "/about/"],
    ["/about?x=1", 308, "/about/?x=1"],
    ["/about/", 200, undefined],
    ["/", 200, undefined],
    ["/about//", 308, "/about/"],
    ["/users/ada", 308, "/users/ada/"],
    ["/users/ada.l/", 308, "/users/ada.l"],
    ["/users/ada.l", 200, undefined],
    ["/nothing", 404, undefined],
    ["/nothing/", 404, undefined],
    ["/away/", 303, "/about/?x=1"],
    ["/about/_action/save", 303, "/about/"],
  ])("%s is answered with %i", async (path, status, location) => {
    await using app = await testApplication(files, slashed);
    const answer = await app.ask(path);
    expect([answer.status, answer.headers.location]).toEqual([status, location]);
  });

  test("code of the application sees the address of the page, in document and data alike", async () => {
    await using app = await testApplication(files, slashed);
    expect((await app.ask("/about/")).text).toContain("About <!-- -->/about/");
    expect(dataLinesOf((await app.ask("/about/_data")).text)[1]).toMatchObject({ data: [["~u"], "/about/"] });
  });

  test("an API route answers both spellings, so that no program loses a body", async () => {
    await using app = await testApplication(files, slashed);
    for (const path of ["/api/hello", "/api/hello/"]) {
      const answer = await app.ask(path, { method: "POST", body: "x" });
      expect([answer.status, answer.text]).toEqual([200, path]);
    }
  });

  test("forms and redirects lead to the one spelling, with and without scripts", async () => {
    await using app = await testApplication(files, slashed);
    expect((await app.ask("/about/_action/save", post)).headers.location).toBe("/about/");
    expect((await app.ask("/about/_action/leave", post)).headers.location).toBe("/");
    expect(dataLinesOf((await app.ask("/away/_data")).text)[1]).toMatchObject({ kind: "redirect", to: "/about/?x=1" });
  });

  test("lines of redirects, rewrites and header patterns know paths without it", async () => {
    const { rules } = readAddressRules([{ from: "/old", to: "/about" }], [{ from: "/start", to: "/about" }]);
    const headersFor = (path: string) =>
      path === "/about" ? new Map([["x-own", { name: "X-Own", value: "1" }]]) : undefined;
    await using app = await testApplication(files, { rules, headersFor, ...slashed });
    expect((await app.ask("/old/")).headers.location).toBe("/about/");
    expect((await app.ask("/old")).headers.location).toBe("/about/");
    expect((await app.ask("/start")).headers.location).toBe("/start/");
    expect((await app.ask("/start/")).status).toBe(200);
    expect((await app.ask("/about/")).headers["x-own"]).toBe("1");
  });

  test("the hook sees one spelling of a page", async () => {
    const seen = new Set<string>();
    const hook = onRequest(({ url }) => {
      seen.add(url.pathname);
    });
    await using app = await testApplication({ ...files, "request.server.ts": { default: hook } }, slashed);
    for (const path of ["/about", "/about/", "//about", "/about/_data", "/%61bout/"]) await app.ask(path);
    expect([...seen]).toEqual(["/about/"]);
  });
});
