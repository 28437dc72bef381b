import { expect, test } from "vitest";
import { action, load, onRequest } from "./author/define.ts";
import { invalidate } from "./author/invalidate.ts";
import { forbidden } from "./author/outcome.ts";
import { dataLinesOf, testApplication } from "./test-application.ts";

const typed = { "content-type": "application/x-www-form-urlencoded" };
const Page = () => null;
const Layout = ({ children }: { children: unknown }) => children;

/** Each layout notes that it was loaded, and returns how often. */
function anApplication() {
  const loads: string[] = [];
  const rows = { menu: "Menu", team: "Team" };
  const noted = <Value,>(name: string, value: Value): Value => {
    loads.push(name);
    return value;
  };
  const files = {
    "_layout.tsx": { default: Layout },
    "_layout.server.ts": {
      data: load("/", { tags: ["menu"] }, ({ locals }: { locals: object }) =>
        noted("root", { menu: rows.menu, user: Reflect.get(locals, "user") }),
      ),
    },
    "[team]/_layout.tsx": { default: Layout },
    "[team]/_layout.server.ts": {
      guard: ({ cookies }: { cookies: { get(name: string): unknown } }) => {
        if (cookies.get("banned")) forbidden();
      },
      data: load("/[team]", { tags: ({ team }) => [`team:${team}`] }, async ({ params, cookies }) => {
        await Promise.resolve();
        return noted("team", { team: rows.team + params.team, theme: cookies.get("theme") });
      }),
    },
    "[team]/[page].tsx": { default: Page },
    "[team]/[page].server.ts": {
      data: load("/[team]/[page]", { tags: ["pages"] }, ({ params }) => noted("page", params.page)),
      actions: {
        menu: action({}, () => invalidate("menu")),
        pages: action({}, () => invalidate("pages")),
        path: action({}, ({ params }) => invalidate(`/${params.team}`)),
        silent: action({}, () => undefined),
        cookie: action({}, ({ cookies }) => {
          invalidate("pages");
          cookies.set("theme", "dark");
        }),
      },
    },
    "[team]/open.tsx": { default: Page },
    "[team]/open.server.ts": { data: load("/[team]/open", () => noted("open", 1)) },
    "[team]/broken.tsx": { default: Page },
    "[team]/broken.server.ts": {
      data: load("/[team]/broken", () => {
        throw new Error("broken");
      }),
    },
  };
  const hook = onRequest(({ cookies }) => ({ user: cookies.get("user"), db: () => undefined, id: Math.random() }));
  return { loads, rows, files: { ...files, "request.server.ts": { default: hook } } };
}

interface Line {
  kind: string;
  data: unknown[];
  keys: ([string, ...string[]] | null)[];
  same?: number[];
}

async function open() {
  const { files, loads, rows } = anApplication();
  const app = await testApplication(files);
  const cookies = (text: string) => (text ? { headers: { cookie: text } } : {});
  const linesOf = (text: string) => dataLinesOf(text).map((line) => line as Line);
  const read = async (path: string, { keys = "", cookie = "" } = {}) => {
    loads.length = 0;
    const { text } = await app.ask(`${path}${keys && `/_keys/${keys}`}/_data`, cookies(cookie));
    const line = linesOf(text).find(({ kind }) => kind === "page" || kind === "error") as Line;
    return { ...line, ran: [...loads].sort(), known: (line.keys ?? []).map((key) => key?.[0] ?? "").join("~") };
  };
  const post = async (path: string, keys: string, cookie = "") => {
    loads.length = 0;
    const headers = { ...typed, ...(cookie && { cookie }) };
    const { text } = await app.ask(`${path}/_keys/${keys}/_data`, { method: "POST", headers, body: "x=1" });
    const line = linesOf(text).find(({ kind }) => kind === "page");
    return { same: line?.same, data: line?.data, ran: [...loads].sort() };
  };
  return { app, read, post, rows, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

test("the loads whose data a browser has do not run, as long as nothing that they read has changed", async () => {
  await using tested = await open();
  const { read } = tested;
  const first = await read("/a/x");
  expect(first).toMatchObject({ ran: ["page", "root", "team"], data: [{ menu: "Menu" }, { team: "Teama" }, "x"] });
  expect(first.keys.map((key) => key?.slice(1))).toEqual([
    ["menu", "/a/x"],
    ["team:a", "/a/x"],
    ["pages", "/a/x"],
  ]);
  const next = await read("/a/y", { keys: first.known });
  // The parameter of the page is another one, so its load runs although its key was sent.
  expect(next).toMatchObject({ ran: ["page"], same: [0, 1], data: [null, null, "y"] });
  expect(await read("/a/open", { keys: next.known })).toMatchObject({ ran: ["open"], same: [0, 1] });
  // The page's load reads no team.
  expect(await read("/b/y", { keys: next.known })).toMatchObject({ ran: ["team"], same: [0, 2] });
  const themed = await read("/a/y", { keys: next.known, cookie: "theme=dark" });
  expect(themed).toMatchObject({ ran: ["page", "root", "team"] });
  expect(themed).not.toHaveProperty("same");
});

test("no key of one visitor is good for another, and no other text in its place changes anything", async () => {
  await using tested = await open();
  const { read } = tested;
  const ada = await read("/a/x", { cookie: "user=ada" });
  expect(ada.data[0]).toMatchObject({ user: "ada" });
  const asAda = await read("/a/x", { keys: ada.known, cookie: "user=ada" });
  expect(asAda).toMatchObject({ ran: [], same: [0, 1, 2] });
  const asEve = await read("/a/x", { keys: ada.known, cookie: "user=eve" });
  expect(asEve).toMatchObject({ ran: ["page", "root", "team"], data: [{ user: "eve" }, {}, "x"] });
  for (const keys of ["x", "x~y~z", "~".repeat(20), `~${ada.known}`, "%7B", "a".repeat(5_000)])
    expect(await read("/a/x", { keys, cookie: "user=ada" }), keys).toMatchObject({ ran: ["page", "root", "team"] });
});

test("guards decide each time, and an error is shown inside of layouts that did not run again", async () => {
  await using tested = await open();
  const { app, read } = tested;
  const { known } = await read("/a/x");
  const banned = await app.ask(`/a/x/_keys/${known}/_data`, { headers: { cookie: "banned=1" } });
  expect(banned.status).toBe(403);
  expect(await read("/a/broken", { keys: known })).toMatchObject({ kind: "error", same: [0, 1], ran: [] });
});

test("an action that says what it has changed runs only the loads that depend on it", async () => {
  await using tested = await open();
  const { read, post, rows } = tested;
  const { known } = await read("/a/x");
  rows.menu = "New menu";
  expect(await post("/a/x/_action/menu", known)).toEqual({
    ran: ["root"],
    same: [1, 2],
    data: [{ menu: "New menu", user: ["~u"] }, null, null],
  });
  expect(await post("/a/x/_action/pages", known)).toMatchObject({ ran: ["page"], same: [0, 1] });
  const all = { ran: ["page", "root", "team"], same: undefined };
  expect(await post("/a/x/_action/path", known)).toMatchObject(all);
  expect(await post("/a/x/_action/silent", known)).toMatchObject(all);
  expect(await post("/a/x/_action/cookie", known)).toMatchObject(all);
});

test("a load that reads the address, the response, all cookies or what is no data has no key", async () => {
  const pages = Object.entries({
    url: load("/url", { tags: ["x"] }, ({ url }) => url.pathname),
    response: load("/response", { tags: ["x"] }, ({ response }) => response.setHeader("X-Own", "1")),
    headers: load("/headers", { tags: ["x"] }, ({ headers }) => [...headers].length),
    locals: load("/locals", { tags: ["x"] }, ({ locals }) => typeof Reflect.get(locals, "db")),
    late: load("/late", { tags: ["x"] }, () => ({ late: Promise.resolve(1) })),
    untagged: load("/untagged", () => 1),
    plain: load("/plain", { tags: [] }, ({ headers, clientAddress, method }) => [
      headers.get("x-team"),
      clientAddress,
      method,
    ]),
  });
  const files = pages.flatMap(([name, data]) => [
    [`${name}.tsx`, { default: Page }],
    [`${name}.server.ts`, { data }],
  ]);
  await using app = await testApplication({ ...Object.fromEntries(files), ...hookOf(anApplication().files) });
  const keysOf = async (path: string, headers = {}) =>
    Object(dataLinesOf((await app.ask(`${path}/_data`, { headers })).text)[1]).keys?.findLast(Boolean)?.[0];
  for (const [name] of pages) {
    const key = await keysOf(`/${name}`);
    if (name === "plain") expect(key).toMatch(/^[\w-]{22}$/);
    else expect(key, name).toBeUndefined();
  }
  expect(await keysOf("/plain")).toBe(await keysOf("/plain"));
  expect(await keysOf("/plain")).not.toBe(await keysOf("/plain", { "x-team": "b" }));
});

function hookOf(files: Record<string, unknown>) {
  return { "request.server.ts": files["request.server.ts"] };
}
