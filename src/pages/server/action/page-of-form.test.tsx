import { expect, test } from "vitest";
import { z } from "zod";
import type { ActionRef } from "#routes";
import { actionsOf, Form } from "../../react/index.ts";
import { action, load } from "../author/define.ts";
import { forbidden, redirect } from "../author/outcome.ts";
import { dataLinesOf, type TestApplication, testApplication } from "../test-application.ts";

/** Not a page of an application with generated types. */
const order: string = "/orders/[id]";

/** The form of the action `save` of one order, on the list of orders. */
function List() {
  return (
    <Form action={actionsOf(order, { id: 7 }).save as ActionRef} of="row">
      {(form) => (
        <>
          <input {...form.field("text")} />
          {form.error("text") && <p {...form.error("text")} />}
          {form.result !== undefined && <output>{String(form.result)}</output>}
        </>
      )}
    </Form>
  );
}

let isClosed = false;
let loads = 0;
const ran: string[] = [];

const files = {
  "list.tsx": { default: List },
  "list.server.ts": {
    guard: () => {
      if (isClosed) forbidden();
    },
    data: load(({ url, cookies }) => `${url.pathname}${url.search} ${cookies.get("saved")}`),
  },
  "orders/[id].tsx": { default: () => <h1>Order</h1> },
  "orders/[id].server.ts": {
    guard: ({ cookies }: { cookies: { get(name: string): string | undefined } }) => {
      if (cookies.get("stranger")) forbidden();
    },
    data: load(() => void loads++),
    actions: {
      save: action(
        { input: z.object({ text: z.string().regex(/^[^!]*$/, "no shouting") }) },
        ({ input, params, url, cookies }) => {
          ran.push(`${params.id} ${url.pathname}${url.search} ${input.text}`);
          cookies.set("saved", input.text.slice(0, 5));
          if (input.text === "throws") throw new Error("No.");
          if (input.text === "leaves") redirect("/orders/8");
          return `saved ${input.text}`;
        },
      ),
      preview: action({ changesNothing: true }, () => "previewed"),
    },
  },
};

const slot = "save /orders/7 row";

function post(app: TestApplication, at: string, fields: Record<string, string>, cookie = "") {
  const body = new URLSearchParams({ _form: slot, ...fields }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded", ...(cookie && { cookie }) };
  return app.ask(at, { method: "POST", body, headers });
}

function cookiesOf({ headers }: { headers: { "set-cookie"?: string[] | undefined } }): string {
  return (headers["set-cookie"] ?? []).map((line) => line.split(";", 1)[0]).join("; ");
}

test("the form of another page's action posts to that page and says where it is", async () => {
  await using app = await testApplication(files);
  const { text } = await app.ask("/list?page=2");
  expect(text).toContain('action="/orders/7/_action/save"');
  expect(text).toContain('<input type="hidden" name="_from" value="/list?page=2"/>');
  expect(text).toContain(`name="_form" value="${slot}"`);
});

test("without scripts the visitor returns to the page with the form and sees the result there", async () => {
  await using app = await testApplication(files);
  ran.length = 0;
  const done = await post(app, "/orders/7/_action/save", { text: "lamp", _from: "/list?page=2" });
  expect([done.status, done.headers.location, ran]).toEqual([303, "/list?page=2", ["7 /orders/7 lamp"]]);
  const after = await app.ask("/list?page=2", { headers: { cookie: cookiesOf(done) } });
  expect(after.text).toContain("<output>saved lamp</output>");
  const left = await post(app, "/orders/7/_action/save", { text: "leaves", _from: "/list" });
  expect([left.status, left.headers.location]).toEqual([303, "/orders/8"]);
});

test("without scripts messages and failures are shown in the form, with all that was typed and the page's own data", async () => {
  await using app = await testApplication(files);
  const long = `${"a".repeat(20_000)}!`;
  const wrong = await post(app, "/orders/7/_action/save", { text: long, _from: "/list?page=2" });
  expect(wrong.status).toBe(422);
  expect(wrong.text).toContain("no shouting</p>");
  expect(wrong.text).toContain(`value="${long}"`);
  // The data of the list, and where its code finds the address.
  expect(wrong.text).toMatch(/"\/list\?page=2 undefined"\][^\n]*\n\n\/list\?page=2<\/script>/);
  const failed = await post(app, "/orders/7/_action/save", { text: "throws", _from: "/list" });
  expect([failed.status, failed.headers["x-digest"]]).toEqual([500, "TEST-TEST-0001"]);
  expect(failed.text).toContain('value="throws"');
  // Cookies of the action arrive, and the page's loads see them.
  expect(cookiesOf(failed)).toContain("saved=throw");
  expect(failed.text).toContain("/list throw");
  expect(app.recorded.map(({ place }) => place.route)).toEqual(["/orders/[id]"]);
  const shown = await post(app, "/orders/7/_action/preview", { _form: "preview /orders/7 row", _from: "/list" });
  expect([shown.status, shown.text.includes("previewed")]).toEqual([200, true]);
});

test("guards of both pages run: of the action's before it, of the form's before it is shown", async () => {
  await using app = await testApplication(files);
  ran.length = 0;
  const stranger = await post(app, "/orders/7/_action/save", { text: "lamp", _from: "/list" }, "stranger=1");
  expect([stranger.status, ran.length]).toEqual([403, 0]);
  isClosed = true;
  try {
    const wrong = await post(app, "/orders/7/_action/save", { text: "!", _from: "/list" });
    expect([wrong.status, wrong.text.includes("no shouting</p>")]).toEqual([403, false]);
  } finally {
    isClosed = false;
  }
});

test.each([
  "//evil.example/",
  "https://evil.example/",
  "/\\evil.example",
  "/%5Cevil.example",
  "/%2F%2Fevil.example",
  "javascript:alert(1)",
  "list",
  "/list/../x",
  "/list/_data",
  "/list/_action/x",
  "/list#x",
  `/${"a".repeat(9_000)}`,
])("a return address that is none leads to the action's own page: %s", async (from) => {
  await using app = await testApplication(files);
  const done = await post(app, "/orders/7/_action/save", { text: "lamp", _from: from });
  expect([done.status, done.headers.location]).toEqual([303, "/orders/7"]);
  expect((await post(app, "/orders/7/_action/save", { text: "!", _from: from })).text).toContain("<h1>Order</h1>");
});

test("with scripts the answer is the outcome alone: the page with the form is asked for by itself", async () => {
  await using app = await testApplication(files);
  loads = 0;
  const done = await post(app, "/orders/7/_action/save/_data", { text: "lamp", _from: "/list?page=2" });
  expect(dataLinesOf(done.text).slice(1)).toMatchObject([
    { kind: "outcome", slot, outcome: { kind: "done", result: "saved lamp" }, ran: true },
    { kind: "end" },
  ]);
  expect(loads).toBe(0);
});
