import { expect, test } from "vitest";
import { action, invalid, load } from "./author/define.ts";
import { invalidate } from "./author/invalidate.ts";
import { dataLinesOf, type TestApplication, testApplication } from "./test-application.ts";

const typed = { "content-type": "application/x-www-form-urlencoded" };
const Page = () => null;

function post(app: TestApplication, path: string) {
  return app.ask(path, { method: "POST", headers: typed, body: "x=1" });
}

function anApplication(loads: string[]) {
  const noted = <Value,>(name: string, value: Value): Value => {
    loads.push(name);
    return value;
  };
  return testApplication({
    "orders/_layout.tsx": { default: ({ children }: { children: unknown }) => children },
    "orders/_layout.server.ts": { data: load("/orders", { tags: ["menu"] }, () => noted("menu", 1)) },
    "orders/[id].tsx": { default: Page },
    "orders/[id].server.ts": {
      data: load("/orders/[id]", { tags: ({ id }) => ["orders", `order:${id}`] }, () => noted("order", 2)),
      actions: {
        own: action({}, () => invalidate("order:7")),
        other: action({}, async () => {
          await Promise.resolve();
          invalidate("order:8", "customers");
          return "said";
        }),
        path: action({}, () => invalidate("/orders")),
        elsewhere: action({}, () => invalidate("/customers", "/order")),
        silent: action({}, () => undefined),
        refused: action({}, () => {
          invalidate("customers");
          invalid({ "": "No." });
        }),
        cookie: action({}, ({ cookies }) => {
          invalidate("customers");
          cookies.set("theme", "dark");
        }),
        wrong: action({}, () => invalidate("")),
      },
    },
    "plain.tsx": { default: Page },
    "plain.server.ts": {
      data: load(() => noted("plain", 3)),
      actions: { other: action({}, () => invalidate("customers")) },
    },
    "broken.tsx": { default: Page },
    "broken.server.ts": { data: load("/broken", { tags: ["/orders"] }, () => 4) },
  });
}

test("page data says what it depends on if all of its loads have tags", async () => {
  await using app = await anApplication([]);
  const [, page] = dataLinesOf((await app.ask("/orders/7/_data")).text);
  expect(page).toMatchObject({ kind: "page", depends: ["menu", "orders", "order:7", "/orders/7"] });
  const [, plain] = dataLinesOf((await app.ask("/plain/_data")).text);
  expect(plain).not.toHaveProperty("depends");
});

test("an action that names what it has changed runs the page's loads only if they depend on it", async () => {
  const loads: string[] = [];
  await using app = await anApplication(loads);
  const after = async (path: string) => {
    loads.length = 0;
    const lines = dataLinesOf((await post(app, `${path}/_data`)).text).map((line) => Object(line));
    const outcome = lines.find(({ kind }) => kind === "outcome");
    const { changed, page } = outcome;
    return { changed, page, kinds: lines.slice(1).map(({ kind }) => kind), loads: [...loads].sort() };
  };
  const shown = { page: undefined, kinds: ["outcome", "page", "end"], loads: ["menu", "order"] };
  const spared = { page: false, kinds: ["outcome", "end"], loads: [] };
  expect(await after("/orders/7/_action/own")).toEqual({ ...shown, changed: ["order:7"] });
  expect(await after("/orders/8/_action/own")).toEqual({ ...spared, changed: ["order:7"] });
  expect(await after("/orders/7/_action/other")).toEqual({ ...spared, changed: ["order:8", "customers"] });
  expect(await after("/orders/7/_action/path")).toEqual({ ...shown, changed: ["/orders"] });
  expect(await after("/orders/7/_action/elsewhere")).toEqual({ ...spared, changed: ["/customers", "/order"] });
  expect(await after("/orders/7/_action/silent")).toEqual({ ...shown, changed: undefined });
  // A load without tags may depend on anything.
  expect(await after("/plain/_action/other")).toMatchObject({ page: undefined, loads: ["plain"] });
});

test("an action that fails, is refused or sets a cookie may have changed everything", async () => {
  await using app = await anApplication([]);
  for (const action of ["refused", "cookie", "wrong"]) {
    const lines = dataLinesOf((await post(app, `/orders/7/_action/${action}/_data`)).text).map((line) => Object(line));
    expect(
      lines.find(({ kind }) => kind === "outcome"),
      action,
    ).not.toHaveProperty("changed");
    expect(
      lines.map(({ kind }) => kind),
      action,
    ).toContain("page");
  }
});

test("wrong tags are an error of their load, and of invalidate", async () => {
  await using app = await anApplication([]);
  expect((await app.ask("/broken")).status).toBe(500);
  expect(() => invalidate("")).toThrow(/is no tag/);
});

test("an API route says in a header what it has changed, unless it may be anything", async () => {
  const answerWith = (run: () => Response | Promise<Response>) => ({ POST: run });
  await using app = await testApplication({
    "api/named.server.ts": answerWith(() => {
      invalidate("orders", "café, 1", "/reports");
      return Response.json({});
    }),
    "api/silent.server.ts": answerWith(() => Response.json({})),
    "api/refused.server.ts": answerWith(() => {
      invalidate("orders");
      return Response.json({}, { status: 409 });
    }),
    "api/cookie.server.ts": answerWith(() => {
      invalidate("orders");
      return new Response("", { headers: { "Set-Cookie": "theme=dark" } });
    }),
    "api/broken.server.ts": answerWith(() => {
      invalidate("orders");
      throw new Error("broken");
    }),
    "api/many.server.ts": answerWith(() => {
      for (let index = 0; index < 20; index++) invalidate(`${index}`.padStart(100, "x"));
      return Response.json({});
    }),
  });
  const changed = async (name: string) =>
    (await app.ask(`/api/${name}`, { method: "POST", headers: typed, body: "x=1" })).headers["holdfast-changed"];
  expect(await changed("named")).toBe("orders,caf%C3%A9%2C%201,%2Freports");
  for (const name of ["silent", "refused", "cookie", "broken", "many"])
    expect(await changed(name), name).toBeUndefined();
});
