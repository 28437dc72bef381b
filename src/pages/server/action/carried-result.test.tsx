import { expect, test } from "vitest";
import { Form } from "../../react/index.ts";
import { action, load, onRequest } from "../author/define.ts";
import { type TestApplication, testApplication } from "../test-application.ts";

const Page = ({ actions }: { actions: Record<string, { name: string; href: string }> }) => (
  <Form action={actions.save ?? { name: "", href: "" }}>
    {(form) => <p>{form.result instanceof Date ? form.result.toISOString() : JSON.stringify(form.result ?? null)}</p>}
  </Form>
);

const half = {
  data: load(() => ({})),
  actions: {
    save: action({}, ({ input, cookies }) => {
      const kind = input instanceof FormData ? input.get("kind") : null;
      if (kind === "sign-in") cookies.set("sid", "ada");
      if (kind === "date") return new Date(0);
      if (kind === "large") return "é".repeat(2_000);
      return kind === "nothing" ? undefined : { said: `Saved ${kind}.` };
    }),
    ask: action({ changesNothing: true }, () => "é".repeat(2_000)),
  },
};

/** This cookie identifies the visitor. */
const hook = onRequest(({ cookies }) => ({ user: cookies.get("sid") }));

const files = {
  "request.server.ts": { default: hook },
  "index.tsx": { default: Page },
  "index.server.ts": half,
  "orders/[id].tsx": { default: Page },
  "orders/[id].server.ts": half,
};

async function post(app: TestApplication, path: string, kind: string, cookie = "") {
  const body = `kind=${kind}`;
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    "content-length": String(body.length),
    ...(cookie && { cookie }),
  };
  const answered = await app.ask(path, { method: "POST", body, headers });
  const set = (answered.headers["set-cookie"] ?? []).filter((line) => !line.startsWith("holdfast-changed"));
  return { ...answered, set, brought: set.map((line) => line.split(";")[0]).join("; ") };
}

const shown = async (app: TestApplication, path: string, cookie: string) => {
  const { text, headers } = await app.ask(path, { headers: cookie ? { cookie } : {} });
  return { said: /<p>(.*?)<\/p>/.exec(text)?.[1]?.replaceAll("&quot;", '"'), text, set: headers["set-cookie"] };
};

test("the result of an action is shown once, on the page after the redirect", async () => {
  await using app = await testApplication(files);
  const done = await post(app, "/orders/7/_action/save?x=1", "it");
  expect([done.status, done.headers.location]).toEqual([303, "/orders/7?x=1"]);
  expect(done.set).toEqual([
    expect.stringMatching(/^holdfast-result=[\w-]+; Max-Age=60; Path=\/orders\/7; HttpOnly; Secure; SameSite=Lax$/),
  ]);
  expect(done.brought, "the value is not to be read in it").not.toContain(Buffer.from("Saved").toString("base64url"));

  const next = await shown(app, "/orders/7?x=1", done.brought);
  expect(next.said).toBe('{"said":"Saved it."}');
  expect(next.set).toEqual([expect.stringMatching(/^holdfast-result=; Max-Age=0; Path=\/orders\/7;/)]);
  expect(next.text, "hydration sees the same").toContain(
    '"form":{"slot":"save","outcome":{"kind":"done","result":{"said":"Saved it."}}}',
  );
  expect((await shown(app, "/orders/7?x=1", "")).said).toBe("null");

  const date = await post(app, "/_action/save", "date");
  expect((await shown(app, "/", date.brought)).said).toBe("1970-01-01T00:00:00.000Z");
  const nothing = await post(app, "/_action/save", "nothing");
  expect((await shown(app, "/", nothing.brought)).text, "that it was done is told too").toContain('"kind":"done"');
});

test("only the document of that page reads it: not its data, not a HEAD, not another page", async () => {
  await using app = await testApplication(files);
  const { brought: cookie } = await post(app, "/orders/7/_action/save", "it");
  const data = await app.ask("/orders/7/_data", { headers: { cookie } });
  const head = await app.ask("/orders/7", { method: "HEAD", headers: { cookie } });
  for (const { headers, text } of [data, head]) {
    expect(headers["set-cookie"]).toBeUndefined();
    expect(text).not.toContain("Saved");
  }
  for (const other of ["/", "/orders/8"])
    expect(await shown(app, other, cookie)).toMatchObject({ said: "null", set: undefined });
});

test("a result that was forged, changed, sealed elsewhere, kept too long or made for another visitor is ignored", async () => {
  await using app = await testApplication(files);
  await using elsewhere = await testApplication(files, { sealKey: new Uint8Array(32).fill(1) });
  const { brought } = await post(app, "/_action/save", "it");
  const changed = brought.replace(/.{4}$/, (end) => (end === "AAAA" ? "BBBB" : "AAAA"));
  const foreign = (await post(elsewhere, "/_action/save", "it")).brought;
  const forged = `holdfast-result=${Buffer.from('{"said":"You have won"}'.padEnd(80)).toString("base64url")}`;
  for (const cookie of [changed, foreign, forged, "holdfast-result=", "holdfast-result=%%%", `${brought}; sid=max`])
    expect((await shown(app, "/", cookie)).said, cookie).toBe("null");

  const now = Date.now;
  Date.now = () => now() + 61_000;
  const late = await shown(app, "/", brought);
  Date.now = now;
  expect(late.said).toBe("null");
});

test("a visitor who signs in by the action gets its result, even if the hook renews the session", async () => {
  await using app = await testApplication({
    ...files,
    "request.server.ts": {
      default: onRequest(({ cookies, method }) => {
        const user = cookies.get("sid");
        if (method === "GET") cookies.set("sid", "renewed");
        return { user };
      }),
    },
  });
  const { brought } = await post(app, "/_action/save", "sign-in");
  expect(brought).toContain("sid=ada");
  expect((await shown(app, "/", brought)).said).toBe('{"said":"Saved sign-in."}');
});

test("a result that is too large is dropped and reported with a code; an action that changes nothing responds in place", async () => {
  await using app = await testApplication(files);
  const large = await post(app, "/_action/save", "large");
  expect([large.status, large.set]).toEqual([303, []]);
  expect(app.recorded.map(({ error, place }) => [String(error), place.during])).toEqual([
    [
      expect.stringMatching(/action save of \/ returned has 4\d\d\d bytes; at most 2048 .*\[result-too-large\]/),
      "action",
    ],
  ]);

  const asked = await post(app, "/_action/ask", "");
  expect([asked.status, asked.set]).toEqual([200, []]);
  expect(asked.text).toContain("é".repeat(2_000));
  expect(app.recorded.length).toBe(1);
});

test("a path of any length and with any character carries its result", async () => {
  await using app = await testApplication(files);
  for (const path of [`/orders/${"7".repeat(1_500)}`, "/orders/a;b", "/orders/%C3%A9"]) {
    const { brought, set } = await post(app, `${path}/_action/save`, "it");
    expect((await shown(app, path, brought)).said).toBe('{"said":"Saved it."}');
    expect(Math.max(...set.map(({ length }) => length))).toBeLessThan(4_096);
  }
});
