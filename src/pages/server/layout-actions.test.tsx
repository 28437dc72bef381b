import type { ReactNode } from "react";
import { expect, test } from "vitest";
import { z } from "zod";
import type { ActionRef } from "#routes";
import { Form } from "../react/index.ts";
import { action, load } from "./author/define.ts";
import { forbidden, notFound, redirect } from "./author/outcome.ts";
import { dataLinesOf, type TestApplication, testApplication } from "./test-application.ts";

interface Props {
  actions: Readonly<Record<string, ActionRef>>;
  children?: ReactNode;
}

/** The form of an action `save`, in a layout or page. */
function Part({ title, actions: { save }, children }: Props & { title: string }) {
  return (
    <>
      {save && (
        <Form action={save} of={title}>
          {(form) => (
            <>
              <input {...form.field("text")} />
              {form.error("text") && <p {...form.error("text")} />}
              {form.result !== undefined && <output>{String(form.result)}</output>}
            </>
          )}
        </Form>
      )}
      {children}
    </>
  );
}

const withForm = (title: string) => ({ default: (props: Props) => <Part title={title} {...props} /> });

const ran: string[] = [];
let isSignedIn = true;
let isBroken = false;

function save(by: string) {
  return action({ input: z.object({ text: z.string().min(3, "too short") }) }, ({ input, params, url }) => {
    ran.push(`${by} ${input.text} ${JSON.stringify(params)} ${url.search}`);
    if (input.text === "throws") throw new Error("No.");
    return `${by}: ${input.text}`;
  });
}

const files = {
  "_layout.tsx": withForm("Root"),
  "_layout.server.ts": {
    actions: {
      save: save("root"),
      leave: action({}, () => {
        isSignedIn = false;
      }),
      go: action({}, () => redirect("/shop/7")),
    },
  },
  "_not-found.tsx": { default: () => <p>Nothing here.</p> },
  "_error.tsx": { default: () => <p>Broken.</p> },
  "shop/_layout.tsx": withForm("Shop"),
  "shop/_layout.server.ts": { actions: { save: save("shop") } },
  "shop/[id].tsx": withForm("Item"),
  "shop/[id].server.ts": {
    data: load(() => (isBroken ? notFound() : undefined)),
    actions: { save: save("item") },
  },
  "(account)/_layout.tsx": withForm("Account"),
  "(account)/_layout.server.ts": {
    guard: () => {
      if (!isSignedIn) forbidden();
    },
    actions: { save: save("account") },
  },
  "(account)/account.tsx": withForm("Mine"),
  "api.server.ts": { GET: () => new Response("") },
};

const typed = { "content-type": "application/x-www-form-urlencoded" };

function post(app: TestApplication, at: string, body: string, headers: Record<string, string> = {}) {
  return app.ask(at, {
    method: "POST",
    body,
    headers: { ...typed, ...headers, "content-length": String(Buffer.byteLength(body)) },
  });
}

function formsIn(html: string): string[] {
  return [...html.matchAll(/<form[^>]* action="([^"]+)"/g)].map(([, to = ""]) => to.replaceAll("&amp;", "&"));
}

/** The cookies of a response, as the browser sends them back. */
function cookiesOf({ headers }: { headers: { "set-cookie"?: string[] | undefined } }): string {
  return (headers["set-cookie"] ?? []).map((line) => line.split(";", 1)[0]).join("; ");
}

test("two layouts and a page have actions of one name, each with its own address below the page that is shown", async () => {
  await using app = await testApplication(files);
  const shown = await app.ask("/shop/7?x=1");
  expect(formsIn(shown.text)).toEqual([
    "/shop/7/_action/_layout/save?x=1",
    "/shop/7/_action/shop/_layout/save?x=1",
    "/shop/7/_action/save?x=1",
  ]);
  expect(formsIn((await app.ask("/account")).text)).toEqual([
    "/account/_action/_layout/save",
    "/account/_action/(account)/_layout/save",
    "/account/_action/save",
  ]);
  ran.length = 0;
  for (const [by, address] of ["root", "shop", "item"].map((one, at) => [one, formsIn(shown.text)[at] ?? ""])) {
    const done = await post(app, address ?? "", `text=lamp`);
    expect([done.status, done.headers.location]).toEqual([303, "/shop/7?x=1"]);
    expect(ran.pop()).toBe(`${by} lamp {"id":"7"} ?x=1`);
  }
});

test("without scripts the form of the layout shows its result, its messages and what was typed, and no other form does", async () => {
  await using app = await testApplication(files);
  const done = await post(app, "/shop/7/_action/shop/_layout/save", "text=lamp&_form=shop/_layout/save+Shop");
  const after = await app.ask("/shop/7", { headers: { cookie: cookiesOf(done) } });
  expect(after.text.match(/<output>(.*?)<\/output>/g)).toEqual(["<output>shop: lamp</output>"]);

  const wrong = await post(app, "/shop/7/_action/_layout/save", "text=ab&_form=_layout/save+Root");
  expect(wrong.status).toBe(422);
  expect(wrong.text.match(/too short<\/p>/g)).toHaveLength(1);
  expect(wrong.text.match(/value="ab"/g)).toHaveLength(1);
});

test("with scripts the answer is the outcome and the page that is shown", async () => {
  await using app = await testApplication(files);
  const done = await post(app, "/shop/7/_action/_layout/save/_data?x=1", "text=lamp");
  expect(dataLinesOf(done.text)).toMatchObject([
    { route: "/shop/[id]" },
    { kind: "outcome", slot: "_layout/save", outcome: { kind: "done", result: "root: lamp" } },
    { kind: "page", params: { id: "7" } },
    { kind: "end" },
  ]);
});

test("on a not-found page the form of the layout posts to that address and shows its outcome there", async () => {
  await using app = await testApplication(files);
  isBroken = true;
  try {
    for (const at of ["/nowhere", "/shop/7"]) {
      const missing = await app.ask(at);
      expect([missing.status, formsIn(missing.text)[0]]).toEqual([404, `${at}/_action/_layout/save`]);
      const done = await post(app, `${at}/_action/_layout/save`, "text=lamp&_form=_layout/save+Root");
      expect([done.status, done.headers.location]).toEqual([303, at]);
      const after = await app.ask(at, { headers: { cookie: cookiesOf(done) } });
      expect(after.status).toBe(404);
      expect(after.text).toContain("<output>root: lamp</output>");
      expect(after.headers["set-cookie"]?.join()).toContain("holdfast-result=;");
      const wrong = await post(app, `${at}/_action/_layout/save`, "text=ab&_form=_layout/save+Root");
      expect(wrong.text).toContain('value="ab"');
      expect(wrong.text).toContain("Nothing here.");
      const data = await post(app, `${at}/_action/_layout/save/_data`, "text=lamp");
      expect(dataLinesOf(data.text).slice(1)).toMatchObject([
        { kind: "outcome", outcome: { kind: "done" } },
        { kind: "not-found", status: 404 },
        { kind: "end" },
      ]);
    }
  } finally {
    isBroken = false;
  }
});

test("a failed action of a layout is shown in its form on a not-found page, with the digest and what was typed", async () => {
  await using app = await testApplication(files);
  const failed = await post(app, "/nowhere/_action/_layout/save", "text=throws&_form=_layout/save+Root");
  expect([failed.headers["x-digest"], app.recorded.length]).toEqual(["TEST-TEST-0001", 1]);
  expect(failed.text).toContain("Nothing here.");
  expect(failed.text).toContain('value="throws"');
  expect(failed.text).toContain("TEST-TEST-0001");
});

test("guards inside of a layout do not stop its action, and decide over the page that is shown after it", async () => {
  await using app = await testApplication(files);
  try {
    const left = await post(app, "/account/_action/_layout/leave/_data", "");
    expect(dataLinesOf(left.text).slice(1)).toMatchObject([
      { kind: "outcome", outcome: { kind: "done" } },
      { kind: "error", status: 403, boundary: 0 },
      { kind: "end" },
    ]);
    ran.length = 0;
    const again = await post(app, "/account/_action/_layout/save", "text=lamp&_form=_layout/save+Root");
    expect([again.status, ran]).toEqual([303, ["root lamp {} "]]);
    const refused = await post(app, "/account/_action/(account)/_layout/save", "text=lamp");
    expect([refused.status, ran.length]).toEqual([403, 1]);
    const shown = await app.ask("/account", { headers: { cookie: cookiesOf(again) } });
    expect([shown.status, formsIn(shown.text)]).toEqual([403, ["/account/_action/_layout/save"]]);
    expect(shown.text).toContain("<output>root: lamp</output>");
  } finally {
    isSignedIn = true;
  }
});

test("names that no layout of the page has are answered like unknown actions of a page", async () => {
  await using app = await testApplication(files);
  ran.length = 0;
  for (const name of ["nothing", "_layout/nothing", "(account)/_layout/save", "shop/save", "_layout"]) {
    const known = await post(app, `/shop/7/_action/${name}`, "text=lamp");
    expect([name, known.status]).toEqual([name, 404]);
    const data = await post(app, `/shop/7/_action/${name}/_data`, "text=lamp");
    expect(dataLinesOf(data.text)[1]).toMatchObject({ outcome: { kind: "failed", status: 404 }, ran: false });
  }
  expect((await post(app, "/api/_action/_layout/save", "text=lamp")).status).toBe(404);
  expect(ran).toEqual([]);
});

test("a name that an address cannot have is an error that names it", async () => {
  await using app = await testApplication({
    "index.tsx": { default: () => null },
    "index.server.ts": { actions: { "shop/_layout/save": action({}, () => undefined) } },
  });
  expect((await app.ask("/")).status).toBe(500);
  expect(app.recorded[0]?.error).toMatchObject({ code: "wrong-server-export" });
  expect(String(app.recorded[0]?.error)).toContain("shop/_layout/save");
});
