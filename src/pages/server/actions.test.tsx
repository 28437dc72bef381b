import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import type { ActionRef } from "#routes";
import { Form } from "../react/form.tsx";
import { FormRows } from "../react/form-rows.tsx";
import { action, invalid, load } from "./author/define.ts";
import { redirect } from "./author/outcome.ts";
import { dataLinesOf, type TestApplication, testApplication } from "./test-application.ts";

const Page = ({ data }: { data: { name: string } }) => <h1>{data.name}</h1>;

let name = "Lamp";
let runs = 0;

const files = {
  "index.tsx": { default: Page },
  "index.server.ts": {
    data: load(() => ({ name })),
    actions: {
      rename: action(
        { input: z.object({ name: z.string().min(3), tag: z.array(z.string()).optional() }) },
        ({ input, cookies }) => {
          runs++;
          if (input.name === "Taken") invalid({ name: "taken", "": "try another" });
          cookies.set("renamed", "1");
          name = input.name;
          return { at: new Date(0) };
        },
      ),
      often: action({}, () => invalid({ "": "Too often." }, { retryAfterSeconds: 7 })),
      leave: action({}, () => redirect("https://pay.example/x")),
      stray: action({}, () => redirect("https://evil.example/x")),
      rest: action({}, ({ input: _, ...rest }) => {
        const { url, headers, cookies, signal, clientAddress } = rest;
        return [url.pathname, headers.get("x-one"), cookies.get("two"), signal.aborted, clientAddress];
      }),
      raw: action({}, ({ input }) => (input instanceof FormData ? [...input.keys()] : input)),
      unsendable: action({}, () => ({ run: () => 1 })),
      upload: action({ uploads: true }, async ({ input }) => {
        const posted = (input as FormData).getAll("file").filter((one) => one instanceof File);
        return Promise.all(
          posted.map(async (file) => [file.name, file.type, file.size, (await file.text()).slice(0, 9)]),
        );
      }),
    },
  },
};

const typed = { "content-type": "application/x-www-form-urlencoded" };
const json = { "content-type": "application/json" };

function post(app: TestApplication, path: string, body: string | Buffer, headers: Record<string, string> = typed) {
  return app.ask(path, {
    method: "POST",
    body,
    headers: { ...headers, "content-length": String(Buffer.byteLength(body)) },
  });
}

test("a form without scripts: success leads back to the page by 303, what does not fit is shown again with 422", async () => {
  await using app = await testApplication(files);
  const done = await post(app, "/_action/rename?x=1", "name=Chair");
  expect([done.status, done.headers.location]).toEqual([303, "/?x=1"]);
  expect(done.headers["set-cookie"]?.map((line) => line.split("=")[0])).toEqual([
    "renamed",
    "holdfast-changed",
    "holdfast-result",
  ]);
  expect((await app.ask("/")).text).toContain("Chair");

  const wrong = await post(app, "/_action/rename", "name=ab&note=kept&password=hidden&tag=a&tag=b&__proto__=x");
  expect(wrong.status).toBe(422);
  expect(wrong.text).not.toContain("hidden");
  const [, answer = ""] = /id="holdfast-page"[^>]*>[^\n]*\n(.*?)<\/script>/.exec(wrong.text) ?? [];
  expect(JSON.parse(answer)).toMatchObject({
    kind: "page",
    status: 422,
    form: {
      slot: "rename",
      outcome: {
        kind: "invalid",
        fields: { name: [expect.stringContaining("3")] },
        form: [],
        values: { name: "ab", note: "kept", tag: ["a", "b"] },
      },
    },
  });
  const taken = await post(app, "/_action/rename/_data", "name=Taken");
  expect(taken.status).toBe(422);
  expect(dataLinesOf(taken.text)[1]).toMatchObject({
    kind: "outcome",
    outcome: { kind: "invalid", fields: { name: ["taken"] }, form: ["try another"], values: { name: "Taken" } },
  });
});

test("a form with scripts gets the page's new data and the result in one answer", async () => {
  await using app = await testApplication(files);
  const done = await post(app, "/_action/rename/_data", JSON.stringify({ name: "Table" }), json);
  expect(done.status).toBe(200);
  expect(done.headers["set-cookie"]?.length).toBe(1);
  expect(dataLinesOf(done.text).slice(1)).toMatchObject([
    { kind: "outcome", slot: "rename", outcome: { kind: "done", result: { at: ["~d", 0] } } },
    { kind: "page", data: [["~u"], { name: "Table" }] },
    { kind: "end" },
  ]);
});

test("an action that passes on the rest of its context passes on all of it", async () => {
  await using app = await testApplication(files);
  const done = await post(app, "/_action/rest/_data", "", { ...typed, "x-one": "1", cookie: "two=2" });
  expect(dataLinesOf(done.text)[1]).toMatchObject({ outcome: { result: ["/", "1", "2", false, "127.0.0.1"] } });
});

test("a form that was tried too often is refused with 429 and the time to wait, and shows it", async () => {
  await using app = await testApplication(files);
  for (const variant of ["", "/_data"]) {
    const answer = await post(app, `/_action/often${variant}`, "name=abc");
    expect([answer.status, answer.headers["retry-after"]]).toEqual([429, "7"]);
    expect(answer.text).toContain("Too often.");
  }
});

test("an action leads only where redirects may lead", async () => {
  await using app = await testApplication(files, { redirectOrigins: ["https://pay.example"] });
  const left = await post(app, "/_action/leave", "");
  expect([left.status, left.headers.location]).toEqual([303, "https://pay.example/x"]);
  const data = await post(app, "/_action/leave/_data", "");
  expect([data.status, dataLinesOf(data.text)[1]]).toMatchObject([
    200,
    { outcome: { kind: "redirected", to: "https://pay.example/x" } },
  ]);
  const strayed = await post(app, "/_action/stray", "");
  expect([strayed.status, strayed.headers.location]).toEqual([500, undefined]);
  expect(String(app.recorded[0]?.error)).toContain("[unsafe-redirect]");
});

test("a post to an unknown action, or with a body that is not accepted, is refused before the action runs", async () => {
  await using app = await testApplication(files, { limits: { bodyBytes: 2_000, jsonDepth: 8, jsonKeys: 20 } });
  const before = runs;
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [at, at])));
  const cases: [string, string, Record<string, string>, number][] = [
    ["/_action/unknown", "", typed, 404],
    ["/_action/constructor", "", typed, 404],
    ["/_action/__proto__", "", typed, 404],
    ["/_action/toString", "", typed, 404],
    ["/nowhere/_action/rename", "", typed, 404],
    ["/_action/rename", "name=abc", { "content-type": "text/plain" }, 415],
    ["/_action/rename", "name=abc", {}, 415],
    ["/_action/rename", `name=${"x".repeat(3_000)}`, typed, 413],
    ["/_action/rename", deep.slice(0, 1_900), json, 400],
    ["/_action/rename", wide, json, 400],
    ["/_action/rename", "{", json, 400],
    ["/_action/rename", "--x", { "content-type": "multipart/form-data" }, 400],
    ["/_action/rename", "not a form at all", { "content-type": "multipart/form-data; boundary=x" }, 400],
  ];
  for (const [path, body, headers, status] of cases) {
    const page = await post(app, path, body, headers);
    expect([path, headers, page.status]).toEqual([path, headers, status]);
    const data = await post(app, `${path}/_data`, body, headers);
    expect([path, headers, data.status, data.headers["content-type"]]).toEqual([
      path,
      headers,
      status,
      "application/vnd.holdfast.page-data",
    ]);
  }
  expect(runs).toBe(before);
  expect(app.recorded).toEqual([]);
});

test("JSON of 100,000 levels is refused without a report", async () => {
  await using app = await testApplication(files);
  const answer = await post(app, "/_action/raw/_data", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, json);
  expect([answer.status, app.recorded]).toEqual([400, []]);
});

test("a __proto__ in JSON reaches nobody", async () => {
  await using app = await testApplication(files);
  const answer = await post(app, "/_action/raw/_data", '{"a":{"__proto__":{"admin":true}},"__proto__":{"b":1}}', json);
  expect(dataLinesOf(answer.text)[1]).toMatchObject({ outcome: { result: { a: {} } } });
  expect(answer.text).not.toContain("admin");
});

test("a result that cannot be sent fails as part of the action", async () => {
  await using app = await testApplication(files);
  const answer = await post(app, "/_action/unsendable/_data", "");
  expect([answer.status, app.recorded[0]?.place.during]).toEqual([500, "action"]);
});

test("reloading the address that a form left behind leads back to its page", async () => {
  await using app = await testApplication(files);
  const answer = await app.ask("/_action/rename?x=1");
  expect([answer.status, answer.headers.location]).toEqual([303, "/?x=1"]);
});

const boundary = "holdfast-boundary";
const multipart = { "content-type": `multipart/form-data; boundary=${boundary}` };

function parts(...all: [name: string, content: string | Buffer, file?: string][]): Buffer {
  const pieces = all.flatMap(([field, content, file]) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${field}"${file === undefined ? "" : `; filename="${file}"\r\nContent-Type: text/plain`}\r\n\r\n`,
    ),
    Buffer.from(content),
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}

test("files reach the action each with its own content, and are removed afterwards", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-uploads-"));
  await using app = await testApplication(files, { uploadFolder: folder });
  const many = Array.from({ length: 12 }, (_, at): [string, string, string] => [
    "file",
    `content ${at}`.padEnd(at * 9_000, "."),
    `${at}.txt`,
  ]);
  const answer = await post(
    app,
    "/_action/upload/_data",
    parts(...many, ["file", "", ""], ["other", "text"]),
    multipart,
  );
  expect(dataLinesOf(answer.text)[1]).toMatchObject({
    outcome: {
      result: many.map(([, content, file]) => [file, "text/plain", content.length, content.slice(0, 9)]),
    },
  });
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});

test("a file of many pieces leaves no listeners behind", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-uploads-"));
  const warnings: Error[] = [];
  const hear = (warning: Error) => warnings.push(warning);
  process.on("warning", hear);
  await using app = await testApplication(files, { uploadFolder: folder });
  const answer = await post(app, "/_action/upload/_data", parts(["file", "x".repeat(4_000_000), "x.txt"]), multipart);
  expect(dataLinesOf(answer.text)[1]).toMatchObject({ outcome: { kind: "done" } });
  expect(warnings).toEqual([]);
  process.off("warning", hear);
  rmSync(folder, { recursive: true });
});

test("files are refused where none are taken, too many, too large, or cut", async () => {
  await using app = await testApplication(files, { limits: { uploadBytes: 10_000, uploadFiles: 2, bodyBytes: 1_000 } });
  const file = (size: number): [string, string, string] => ["file", "x".repeat(size), "a.txt"];
  const cases: [string, Buffer, number][] = [
    ["raw", parts(file(10)), 415],
    ["upload", parts(file(10), file(10), file(10)), 413],
    ["upload", parts(file(6_000), file(4_500)), 413],
    ["upload", parts(file(50_000)), 413],
    ["upload", parts(["field", "x".repeat(2_000)]), 413],
    ["upload", parts(file(5_000)).subarray(0, 2_000), 400],
    ["upload", parts(file(5_000), file(5_000)), 200],
  ];
  for (const [action, body, status] of cases) {
    const answer = await post(app, `/_action/${action}/_data`, body, multipart);
    expect([action, body.length, answer.status]).toEqual([action, body.length, status]);
  }
});

test("a request from another site is refused by its method, before any code of the application, whatever its content", async () => {
  await using app = await testApplication(files, { trustedOrigins: ["https://friend.example"] });
  const own = app.origin;
  const cases: [Record<string, string>, number][] = [
    [{}, 303],
    [{ origin: own }, 303],
    [{ "sec-fetch-site": "same-origin", origin: own }, 303],
    [{ "sec-fetch-site": "none" }, 303],
    [{ "sec-fetch-site": "cross-site", origin: "https://friend.example" }, 303],
    [{ "sec-fetch-site": "same-site", origin: "http://sub.127.0.0.1" }, 403],
    [{ "sec-fetch-site": "cross-site", origin: "https://evil.example" }, 403],
    [{ "sec-fetch-site": "cross-site" }, 403],
    [{ "sec-fetch-site": "cross-site", origin: own }, 403],
    [{ origin: "https://evil.example" }, 403],
    [{ origin: "null" }, 403],
    [{ origin: "" }, 403],
    [{ origin: own.replace("http:", "https:") }, 403],
    [{ origin: `${own}.evil.example` }, 403],
    [{ "sec-fetch-site": "SAME-ORIGIN" }, 403],
  ];
  for (const [headers, status] of cases) {
    const before = runs;
    const answer = await post(app, "/_action/rename", "name=Chair", { ...typed, ...headers });
    expect([headers, answer.status]).toEqual([headers, status]);
    expect(runs - before).toBe(status === 303 ? 1 : 0);
    for (const method of ["PUT", "PATCH", "DELETE", "POST"]) {
      const other = await app.ask("/", { method, headers });
      expect([method, headers, other.status]).toEqual([method, headers, status === 403 ? 403 : 405]);
    }
  }
  // GET is allowed from every site.
  expect(
    (await app.ask("/", { headers: { "sec-fetch-site": "cross-site", origin: "https://evil.example" } })).status,
  ).toBe(200);
});

const ordered = {
  runs: 0,
  input: z.object({
    customer: z.string().min(1, "Say a name."),
    address: z.object({ city: z.string().min(1, "Say a city.") }),
    lines: z.array(z.object({ amount: z.coerce.number("Say a number.").positive("Say a number.") })).min(1, "Too few."),
    tags: z.array(z.enum(["a", "b"], "No such tag.")).optional(),
  }),
};

const orderFiles = {
  "index.tsx": {
    default: ({ actions }: { actions: Record<"order", ActionRef<unknown>> }) => (
      <Form action={actions.order}>
        {(form) => (
          <FormRows form={form} list="lines" atLeast={2}>
            {(rows) => (
              <>
                {rows.map(({ key, index, remove }) => (
                  <p key={key} data-key={key}>
                    <input {...form.field(`lines[${index}].amount`)} />
                    <em {...form.error(`lines[${index}].amount`)} />
                    <button {...remove}>Remove</button>
                  </p>
                ))}
                <button {...rows.add}>Add</button>
              </>
            )}
          </FormRows>
        )}
      </Form>
    ),
  },
  "index.server.ts": {
    actions: {
      order: action({ input: ordered.input }, ({ input, invalid }) => {
        ordered.runs++;
        if (input.customer === "Eve") invalid({ "lines[0].amount": "Not for you.", "address.city": undefined });
        return input;
      }),
      raw: action({}, ({ input }) => (input instanceof FormData ? [...input.keys()] : [])),
    },
  },
};

test("names of fields lead into objects and lists before the schema sees them, and messages come back under them", async () => {
  await using app = await testApplication(orderFiles);
  const outcomeOf = async (body: string, headers = typed) => {
    const { text } = await post(app, "/_action/order/_data", body, headers);
    const lines = dataLinesOf(text) as { kind?: string; outcome?: unknown }[];
    return lines.find(({ kind }) => kind === "outcome")?.outcome;
  };
  const good = "customer=Ada&address.city=Bonn&lines[1].amount=2&lines[0].amount=1&tags=a&tags=b";
  expect(await outcomeOf(good)).toMatchObject({
    kind: "done",
    result: { address: { city: "Bonn" }, lines: [{ amount: 1 }, { amount: 2 }], tags: ["a", "b"] },
  });
  const wrong = "customer=Ada&address.city=&lines[0].amount=1&lines[1].amount=x&tags=a&tags=c";
  expect(await outcomeOf(wrong)).toMatchObject({
    kind: "invalid",
    fields: { "address.city": ["Say a city."], "lines[1].amount": ["Say a number."], tags: ["No such tag."] },
    form: [],
    values: { "address.city": "", "lines[1].amount": "x", tags: ["a", "c"] },
  });
  expect(await outcomeOf(good.replace("Ada", "Eve"))).toMatchObject({
    kind: "invalid",
    fields: { "lines[0].amount": ["Not for you."] },
  });
  expect(await outcomeOf("customer=Ada&lines[1].amount=2")).toMatchObject({
    kind: "invalid",
    fields: {},
    form: ["The list lines was sent without lines[0]."],
  });
  const nested = { customer: "Ada", address: {}, lines: [{ amount: -1 }] };
  expect(await outcomeOf(JSON.stringify(nested), json)).toMatchObject({
    fields: { "address.city": [expect.any(String)], "lines[0].amount": ["Say a number."] },
  });
  // Without a schema the handler reads the form itself.
  const raw = await post(app, "/_action/raw/_data", "a.b=1&c[0]=2&_rows=c 0,1");
  expect(raw.text).toContain('"result":["a.b","c[0]"]');
});

test("rows are added and removed without scripts, with what was typed, and the action does not run", async () => {
  await using app = await testApplication(orderFiles);
  const before = ordered.runs;
  const html = await app.ask("/").then(({ text }) => text);
  const [, slot = ""] = /name="_form" value="([^"]+)"/.exec(html) ?? [];
  const press = async (value: string, fields: Record<string, string>, rows: string[] = []) => {
    const body = new URLSearchParams({ _form: slot.replaceAll("&amp;", "&"), ...fields });
    for (const one of [...rows, value]) body.append("_rows", one);
    const { status, text } = await post(app, "/_action/order", body.toString());
    return { status, rows: [...text.matchAll(/data-key="(\d+)".*?name="([^"]+)"(?: [^>]*value="([^"]*)")?/g)], text };
  };
  const added = await press("lines 0,1,2 0,1,2,3", { "lines[0].amount": "1", "lines[1].amount": "2" });
  expect(added.status).toBe(200);
  expect(added.rows.map(([, ...row]) => row)).toEqual([
    ["0", "lines[0].amount", "1"],
    ["1", "lines[1].amount", "2"],
    ["2", "lines[2].amount", undefined],
  ]);
  expect(added.text).toContain('name="_rows" value="lines 0,1,2,3"');
  const typedNow = { "lines[0].amount": "1", "lines[1].amount": "2", "lines[2].amount": "3" };
  const removed = await press("lines 0,1,2,3 0,2,3", typedNow, ["lines 0,1,2,3"]);
  expect(removed.rows.map(([, ...row]) => row)).toEqual([
    ["0", "lines[0].amount", "1"],
    ["2", "lines[1].amount", "3"],
  ]);
  expect(ordered.runs).toBe(before);
  // A refusal brings the same rows back.
  const fields = new URLSearchParams({
    _form: slot,
    _rows: "lines 0,2,3",
    "lines[0].amount": "1",
    "lines[1].amount": "x",
  });
  const refused = await post(app, "/_action/order", fields.toString());
  expect(refused.status).toBe(422);
  expect(refused.text).toMatch(/data-key="2".*?name="lines\[1\].amount".*?Say a number\./);
});
