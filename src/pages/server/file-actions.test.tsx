import { expect, test } from "vitest";
import { z } from "zod";
import { Form, useActions } from "../react/index.ts";
import { action } from "./author/define.ts";
import { forbidden } from "./author/outcome.ts";
import { dataLinesOf, type TestApplication, testApplication } from "./test-application.ts";

/** As the build gives it to components, with the type of the file. */
const actions = { "~start": "parts/cart.actions/" } as unknown as { add: ReturnType<typeof add> };

const ran: string[] = [];
let isOpen = true;

function add() {
  return action({ input: z.object({ item: z.string().min(3, "too short") }) }, ({ input, params, url }) => {
    ran.push(`${input.item} ${JSON.stringify(params)} ${url.pathname}${url.search}`);
    return `added ${input.item}`;
  });
}

/** A component that may be on every page. */
function Cart() {
  return (
    <Form action={useActions(actions).add} of="cart">
      {(form) => (
        <>
          <input {...form.field("item")} />
          {form.error("item") && <p {...form.error("item")} />}
          {form.result && <output>{form.result}</output>}
        </>
      )}
    </Form>
  );
}

interface Context {
  cookies: { get(name: string): string | undefined };
}

const files = {
  "parts/cart.actions.server.ts": {
    guard: ({ cookies }: Context) => {
      if (cookies.get("stranger")) forbidden();
    },
    actions: { add: add() },
  },
  "parts/broken.actions.server.ts": () => {
    throw new Error("It cannot be loaded.");
  },
  "index.tsx": { default: Cart },
  "_not-found.tsx": { default: Cart },
  "shop/[id].tsx": { default: Cart },
  "shop/[id].server.ts": {
    guard: () => {
      if (!isOpen) forbidden();
    },
    actions: { add: action({}, () => "the page's own") },
  },
  "api.server.ts": { GET: () => new Response("") },
};

const name = "parts/cart.actions/add";

function post(app: TestApplication, at: string, fields: Record<string, string>, cookie = "") {
  const body = new URLSearchParams({ _form: `${name} cart`, ...fields }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded", ...(cookie && { cookie }) };
  return app.ask(at, { method: "POST", body, headers });
}

test("a component's form posts below each page that has it, and the visitor stays there", async () => {
  await using app = await testApplication(files);
  for (const [at, params] of [
    ["/", "{}"],
    ["/shop/7", '{"id":"7"}'],
    ["/nowhere", "{}"],
  ]) {
    ran.length = 0;
    const address = `${at === "/" ? "" : at}/_action/${name}?x=1`;
    expect((await app.ask(`${at}?x=1`)).text).toContain(`action="${address}"`);
    const done = await post(app, address, { item: "lamp" });
    expect([done.status, done.headers.location, ran]).toEqual([303, `${at}?x=1`, [`lamp ${params} ${at}?x=1`]]);
    const wrong = await post(app, address, { item: "ab" });
    expect(wrong.text).toContain("too short</p>");
    expect(wrong.text).toContain('value="ab"');
  }
  const data = await post(app, `/shop/7/_action/${name}/_data`, { item: "lamp" });
  expect(dataLinesOf(data.text).slice(1)).toMatchObject([
    { kind: "outcome", slot: `${name} cart`, outcome: { kind: "done", result: "added lamp" } },
    { kind: "page", params: { id: "7" } },
    { kind: "end" },
  ]);
});

test("the guards of the page that posts run, then the guard of the file", async () => {
  await using app = await testApplication(files);
  ran.length = 0;
  expect((await post(app, `/shop/7/_action/${name}`, { item: "lamp" }, "stranger=1")).status).toBe(403);
  expect((await post(app, "/shop/7/_action/add", {}, "stranger=1")).status).toBe(303);
  const question = { _key: "a-key-that-no-one-has" };
  const asked = async (action: string, cookie: string): Promise<unknown> =>
    JSON.parse((await post(app, `/shop/7/_action/${action}/_outcome`, question, cookie)).text);
  expect(await asked(name, "")).toEqual({ state: "cannot-say" });
  expect(await asked(`${name}s`, "")).toEqual({ state: "cannot-say", gone: {} });
  isOpen = false;
  try {
    expect((await post(app, `/shop/7/_action/${name}`, { item: "lamp" })).status).toBe(403);
  } finally {
    isOpen = true;
  }
  expect(ran).toEqual([]);
});

test("names that no file has are answered like unknown actions of a page, and a file that fails is an event", async () => {
  await using app = await testApplication(files);
  for (const other of ["parts/cart.actions/ad", "parts/cart.actions", "cart.actions/add", "__proto__/add", "/add"]) {
    expect([other, (await post(app, `/_action/${other}`, { item: "lamp" })).status].join()).toMatch(/,(?:404|308)$/);
    const data = await post(app, `/_action/${other}/_data`, { item: "lamp" });
    if (data.status !== 308)
      expect(dataLinesOf(data.text)[1]).toMatchObject({ outcome: { kind: "failed", status: 404 } });
  }
  expect((await post(app, `/api/_action/${name}`, { item: "lamp" })).status).toBe(404);
  expect(app.recorded).toEqual([]);
  const broken = await post(app, "/_action/parts/broken.actions/add/_data", { item: "lamp" });
  expect(dataLinesOf(broken.text)[1]).toMatchObject({ outcome: { kind: "failed", digest: "TEST-TEST-0001" } });
});

test("the contract between two builds has the actions of components", async () => {
  const { "parts/broken.actions.server.ts": _, ...whole } = files;
  await using app = await testApplication(whole);
  expect(await app.contractOf?.("/")).toMatchObject({ parts: { actions: `${name} input` } });
});
