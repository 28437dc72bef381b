import { once } from "node:events";
import { readFileSync } from "node:fs";
import http from "node:http";
import { expect, test } from "vitest";
import { z } from "zod";
import { action, invalid, load } from "./author/define.ts";
import { forbidden, notFound, redirect } from "./author/outcome.ts";
import {
  type Answered,
  dataLinesOf,
  type TestApplication,
  type TestOptions,
  testApplication,
} from "./test-application.ts";

/** One application per test, which sets the behaviour of its actions and loads. */
interface Doing {
  save?: (given: {
    input: unknown;
    signal: AbortSignal;
    cookies: { set(name: string, value: string): void };
  }) => unknown;
  load?: () => unknown;
  guard?: () => void;
}

async function applicationOf(doing: Doing, options: TestOptions = {}): Promise<TestApplication> {
  return testApplication(
    {
      "index.tsx": { default: () => <h1>The page</h1> },
      "index.server.ts": {
        data: load(() => (doing.load ? doing.load() : { well: true })),
        guard: () => doing.guard?.(),
        actions: {
          save: action({}, (given) => doing.save?.(given)),
          named: action({ input: z.object({ name: z.string().min(1, "Say a name.") }) }, ({ input }) => input.name),
          ask: action({ changesNothing: true }, () => "an answer"),
        },
      },
    },
    options,
  );
}

const typed = { "content-type": "application/x-www-form-urlencoded" };

function post(app: TestApplication, target: string, fields: Record<string, string>): Promise<Answered> {
  const body = new URLSearchParams(fields).toString();
  return app.ask(target, { method: "POST", body, headers: { ...typed, "content-length": String(body.length) } });
}

/** The page data inside the document. */
function shownIn({ text }: Answered): unknown {
  const [, answer = ""] = /id="holdfast-page"[^>]*>[^\n]*\n(.*?)<\/script>/.exec(text) ?? [];
  return JSON.parse(answer);
}

const changed = ({ headers }: Answered): string | undefined =>
  headers["set-cookie"]?.find((line) => line.startsWith("holdfast-changed="));

test("an action continues when its visitor leaves, and ends once", async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<AbortSignal>();
  const { promise: mayEnd, resolve: letEnd } = Promise.withResolvers<void>();
  const { promise: hasEnded, resolve: end } = Promise.withResolvers<boolean>();
  let runs = 0;
  await using app = await applicationOf({
    save: async ({ signal }) => {
      runs += 1;
      begin(signal);
      await mayEnd;
      end(signal.aborted);
    },
  });
  const request = http.request({ port: app.port, path: "/_action/save/_data", method: "POST", headers: typed });
  request.on("error", () => undefined).end("_form=save+7");
  await begun;
  request.destroy();
  await expect.poll(() => app.connections()).toBe(0);
  letEnd();
  expect([await hasEnded, runs, app.recorded]).toEqual([false, 1, []]);
});

test("an action has its own time limit; after it the signal is aborted, and a later error is still recorded", async () => {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<unknown>();
  const { promise: mayEnd, resolve: letEnd } = Promise.withResolvers<void>();
  await using app = await applicationOf(
    {
      save: async ({ signal }) => {
        signal.addEventListener("abort", () => stop(signal.reason));
        await mayEnd;
        throw new Error("much later");
      },
    },
    { limits: { actionMs: 20 } },
  );
  const answer = await post(app, "/_action/save/_data", { _form: "save 7" });
  expect(answer.status).toBe(504);
  expect(dataLinesOf(answer.text)[1]).toMatchObject({
    slot: "save 7",
    outcome: { kind: "failed", status: 504, digest: "TEST-TEST-0001" },
    ran: true,
  });
  expect(String(await stopped)).toContain("[action-timed-out]");
  letEnd();
  await expect.poll(() => app.recorded.map(({ error }) => String(error))).toHaveLength(2);
  expect(String(app.recorded[1]?.error)).toContain("much later");
});

test("an action that respects its signal fails with the deadline as its only error", async () => {
  await using app = await applicationOf(
    { save: ({ signal }) => fetchNothing(signal) },
    { limits: { actionMs: 20, heartbeatMs: 5 } },
  );
  const answer = await post(app, "/_action/save", {});
  expect(answer.status).toBe(504);
  await app.actions.idle();
  expect(app.recorded).toHaveLength(1);
});

test("an action that the process cannot wait for fails for that reason", async () => {
  await using app = await applicationOf({ save: ({ signal }) => fetchNothing(signal) });
  const answer = post(app, "/_action/save/_data", { _form: "save 7" });
  await expect.poll(() => app.actions.count).toBe(1);
  app.actions.abandon();
  expect(dataLinesOf((await answer).text)[1]).toMatchObject({ outcome: { kind: "failed", status: 503 }, ran: true });
  expect(app.recorded.map(({ error }) => String(error))).toEqual([expect.stringContaining("[action-interrupted]")]);
});

function fetchNothing(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener("abort", () => reject(new DOMException("This operation was aborted", "AbortError"))),
  );
}

test("a form is identified by its slot; the framework's own fields reach neither schema nor handler", async () => {
  const seen: string[][] = [];
  await using app = await applicationOf({
    save: ({ input }) => {
      seen.push(input instanceof FormData ? [...input.keys()] : []);
      if (seen.length === 1) invalid({ name: "taken" });
    },
  });
  const own = { _form: "save 7", _key: "AAAAAAAAAAAAAAAAAAAAAA", _attempt: "2" };
  const refused = await post(app, "/_action/save", { ...own, name: "Lamp" });
  expect(refused.status).toBe(422);
  expect(shownIn(refused)).toMatchObject({
    form: { slot: "save 7", outcome: { kind: "invalid", fields: { name: ["taken"] }, values: { name: "Lamp" } } },
  });
  expect(shownIn(refused)).not.toHaveProperty("form.outcome.values._form");
  for (const slot of ["drop 7", "save", `save ${"7".repeat(300)}`, ""]) {
    const other = await post(app, "/_action/named", { _form: slot, name: "" });
    expect(shownIn(other), slot).toMatchObject({ form: { slot: "named" } });
  }
  await post(app, "/_action/save", { ...own, name: "Lamp" });
  expect(seen).toEqual([["name"], ["name"]]);
});

test("the outcome is sent before the first load runs, and the page follows it", async () => {
  const { promise: mayLoad, resolve: letLoad } = Promise.withResolvers<void>();
  let loads = 0;
  await using app = await applicationOf({
    save: () => "saved",
    load: async () => {
      loads += 1;
      await mayLoad;
      return { loads };
    },
  });
  const request = http.request({ port: app.port, path: "/_action/save/_data", method: "POST", headers: typed });
  request.end("_form=save+7");
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  let text = "";
  for await (const piece of response as AsyncIterable<Buffer>) {
    text += piece.toString();
    // Only the outcome lets the load end.
    if (text.includes('"kind":"outcome"')) letLoad();
  }
  expect(dataLinesOf(text).map((line) => (line as { kind?: string }).kind)).toEqual([
    undefined,
    "outcome",
    "page",
    "end",
  ]);
  expect(dataLinesOf(text)[2]).not.toHaveProperty("form");
});

test("a successful action is reported even if its page cannot be loaded", async () => {
  await using app = await applicationOf({
    save: () => "saved",
    load: () => {
      throw new Error("the page is broken");
    },
  });
  const data = await post(app, "/_action/save/_data", { _form: "save 7" });
  expect([data.status, dataLinesOf(data.text).slice(1, 3)]).toMatchObject([
    200,
    [
      { kind: "outcome", outcome: { kind: "done", result: "saved" } },
      { kind: "error", digest: "TEST-TEST-0001" },
    ],
  ]);
});

test("without script the outcome waits until its page can be loaded", async () => {
  let isBroken = true;
  await using app = await applicationOf({
    save: () => "saved",
    load: () => {
      if (isBroken) throw new Error("the page is broken");
    },
  });
  const done = await post(app, "/_action/save", { _form: "save 7" });
  const cookie = (done.headers["set-cookie"] ?? []).map((line) => line.split(";")[0]).join("; ");
  const broken = await app.ask("/", { headers: { cookie } });
  expect([done.status, broken.status, broken.headers["set-cookie"]]).toEqual([303, 500, undefined]);
  expect(broken.text).toContain("What you sent was received.");
  isBroken = false;
  const mended = await app.ask("/", { headers: { cookie } });
  expect(shownIn(mended)).toMatchObject({ form: { slot: "save 7", outcome: { kind: "done", result: "saved" } } });
  expect(mended.headers["set-cookie"]).toEqual([expect.stringMatching(/^holdfast-result=; Max-Age=0/)]);
});

test("an action that throws leaves the page and the typed text; the form shows its digest", async () => {
  let isLoadBroken = false;
  await using app = await applicationOf({
    save: () => {
      throw new Error("the database is down");
    },
    load: () => {
      if (isLoadBroken) throw new Error("here too");
      return { well: true };
    },
  });
  const data = await post(app, "/_action/save/_data", { _form: "save 7", name: "Lamp", password: "hidden" });
  expect([data.status, dataLinesOf(data.text)[1], dataLinesOf(data.text)[2]]).toMatchObject([
    500,
    { kind: "outcome", outcome: { kind: "failed", status: 500, digest: "TEST-TEST-0001" }, ran: true },
    { kind: "page", status: 200 },
  ]);
  const page = await post(app, "/_action/save", { _form: "save 7", name: "Lamp", password: "hidden" });
  expect([page.status, shownIn(page)]).toMatchObject([
    500,
    {
      kind: "page",
      form: {
        slot: "save 7",
        outcome: { kind: "failed", status: 500, digest: "TEST-TEST-0002", values: { name: "Lamp" } },
      },
    },
  ]);
  expect(page.text).not.toContain("hidden");
  expect(page.headers["x-digest"]).toBe("TEST-TEST-0002");
  expect(app.recorded.map(({ place }) => place.visitorSaw)).toEqual(["form-error", "form-error"]);
  isLoadBroken = true;
  const broken = await post(app, "/_action/save", { _form: "save 7", name: "Lamp" });
  expect([broken.status, shownIn(broken)]).toMatchObject([500, { kind: "error", digest: "TEST-TEST-0003" }]);
  expect(String(app.recorded[2]?.error)).toContain("the database is down");
});

test("a form without a slot shows its failure on the error page", async () => {
  await using app = await applicationOf({
    save: () => {
      throw new Error("the database is down");
    },
  });
  const page = await post(app, "/_action/save", { name: "Lamp" });
  expect([page.status, shownIn(page)]).toMatchObject([500, { kind: "error", digest: "TEST-TEST-0001" }]);
});

test("the page follows only an action that may have changed it", async () => {
  let thrown: () => never = () => redirect("/?there");
  let loads = 0;
  await using app = await applicationOf({
    save: () => thrown(),
    load: () => {
      loads += 1;
    },
  });
  const lines = async (target: string, fields: Record<string, string>) =>
    dataLinesOf((await post(app, `/_action/${target}/_data`, { _form: `${target} 7`, ...fields })).text).slice(1);
  expect(await lines("save", {})).toMatchObject([
    { outcome: { kind: "redirected", to: "/?there" }, ran: true },
    { kind: "end" },
  ]);
  expect(await lines("named", { name: "" })).toMatchObject([
    { outcome: { kind: "invalid", fields: { name: ["Say a name."] } }, ran: false },
    { kind: "end" },
  ]);
  expect(await lines("ask", {})).toMatchObject([{ outcome: { kind: "done" }, ran: false }, { kind: "end" }]);
  expect(loads).toBe(0);
  thrown = () => notFound();
  expect(await lines("save", {})).toMatchObject([
    { outcome: { kind: "failed", status: 404 }, ran: true },
    { kind: "page" },
    { kind: "end" },
  ]);
  thrown = () => forbidden();
  expect(await lines("save", {})).toMatchObject([{ outcome: { kind: "failed", status: 403 } }, {}, {}]);
  expect([loads, app.recorded]).toEqual([2, []]);
});

test("a form posted without script tells other tabs that something changed, and whether the session did", async () => {
  let does: NonNullable<Doing["save"]> = () => undefined;
  await using app = await applicationOf({ save: (given) => does(given) });
  const line = /^holdfast-changed=\d{13}(s?); Max-Age=300; Path=\/; Secure; SameSite=Lax$/;
  const said = async (fields: Record<string, string> = {}, target = "/_action/save") =>
    line.exec(changed(await post(app, target, fields)) ?? "")?.[1];
  expect(await said()).toBe("");
  does = ({ cookies }) => cookies.set("sid", "ada");
  expect(await said()).toBe("s");
  does = () => invalid({ name: "taken" });
  expect(await said()).toBe("");
  does = () => {
    throw new Error("halfway");
  };
  expect(await said()).toBe("");
  does = () => redirect("/");
  expect(await said()).toBe("");
  expect(await said({ name: "" }, "/_action/named")).toBeUndefined();
  expect(await said({}, "/_action/ask")).toBeUndefined();
  expect(await said({}, "/_action/save/_data")).toBeUndefined();
});

test("outcome lines keep their format, because pages of older builds read them", async () => {
  const recorded = readFileSync(new URL("../outcome-lines.v1.txt", import.meta.url), "utf8")
    .trim()
    .split("\n");
  let does: NonNullable<Doing["save"]> = () => undefined;
  await using app = await testApplication({
    "index.tsx": { default: () => <h1>The page</h1> },
    "index.server.ts": {
      actions: {
        save: action({ input: z.object({ name: z.string().min(1, "Say a name.") }) }, (given) => does(given)),
      },
    },
  });
  const lineOf = async (fields: Record<string, string>) =>
    (await post(app, "/_action/save/_data", { _form: "save 7", name: "Lamp", ...fields })).text.split("\n")[1];
  const written: (string | undefined)[] = [];
  does = () => ({ at: new Date(0) });
  written.push(await lineOf({}));
  does = ({ cookies }) => cookies.set("sid", "ada");
  written.push(await lineOf({ _form: "save :r1:" }));
  written.push(await lineOf({ name: "", note: "kept" }));
  does = () => redirect("/list");
  written.push(await lineOf({}));
  does = () => {
    throw new Error("the database is down");
  };
  written.push(await lineOf({}));
  expect(written).toEqual(recorded);
});

test("a submission that reached no handler has an outcome too: refused by a guard, or not accepted", async () => {
  let guard: () => void = () => undefined;
  await using app = await applicationOf({ guard: () => guard() });
  const outcomeOf = async (target: string, fields: Record<string, string> = {}) => {
    const answer = await post(app, target, { _form: "save 7", ...fields });
    return [answer.status, ...dataLinesOf(answer.text).slice(1)];
  };
  guard = () => redirect("/sign-in");
  expect(await outcomeOf("/_action/save/_data")).toMatchObject([
    200,
    { kind: "outcome", outcome: { kind: "redirected", to: "/sign-in" }, ran: false },
    { kind: "end" },
  ]);
  guard = () => forbidden();
  expect(await outcomeOf("/_action/save/_data")).toMatchObject([403, { outcome: { kind: "failed", status: 403 } }, {}]);
  guard = () => {
    throw new Error("who are you?");
  };
  expect(await outcomeOf("/_action/save/_data")).toMatchObject([
    500,
    { outcome: { kind: "failed", status: 500, digest: "TEST-TEST-0001" }, ran: false },
    {},
  ]);
  guard = () => undefined;
  expect(await outcomeOf("/_action/unknown/_data")).toMatchObject([
    404,
    { outcome: { kind: "failed", status: 404 } },
    {},
  ]);
  expect(await outcomeOf("/_action/save/_data", { text: "x".repeat(1_100_000) })).toMatchObject([
    413,
    { outcome: { kind: "failed", status: 413 }, ran: false },
    {},
  ]);
});
