import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { openSubmissionDb, submissionDbLimits } from "#host";
import { action, invalid, load, onRequest } from "../author/define.ts";
import { redirect } from "../author/outcome.ts";
import { type Answered, dataLinesOf, type TestApplication, testApplication } from "../test-application.ts";
import { SubmissionMemory, submissionMemoryLimits } from "./submission-memory.ts";

/** The action's work; each run is counted. */
type Run = (given: {
  key: string | undefined;
  cookies: { set(name: string, value: string): void; delete(name: string): void };
  input: unknown;
}) => unknown;

interface Doing {
  run: Run;
  runs: number;
}

interface MemoryOptions {
  reach?: "shared" | "local";
  rows?: number;
  leaseMs?: number;
  waitMs?: number;
  now?: () => number;
}

/** A folder of its own, and processes that share it. */
function machine() {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-once-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const doing: Doing = { run: () => "saved", runs: 0 };
  const start = async (options: MemoryOptions = {}): Promise<TestApplication> => {
    const { reach = "shared", rows = 100, leaseMs = 30_000, waitMs = 5_000, now = Date.now } = options;
    const store = openSubmissionDb(path.join(folder, "submissions.db"), { ...submissionDbLimits, rows });
    onTestFinished(() => store.close());
    const memory = new SubmissionMemory({
      store,
      reach,
      sealKey: new Uint8Array(32),
      limits: { ...submissionMemoryLimits, leaseMs },
      now,
    });
    return testApplication(files(doing), { memory, limits: { submissionWaitMs: waitMs } });
  };
  return { start, doing, folder };
}

function files(doing: Doing) {
  const run: Run = (given) => {
    doing.runs += 1;
    return doing.run(given);
  };
  return {
    "request.server.ts": { default: onRequest(({ cookies }) => ({ user: cookies.get("sid") })) },
    "index.tsx": { default: () => <h1>The page</h1> },
    "index.server.ts": {
      data: load(() => ({ runs: doing.runs })),
      actions: {
        save: action({}, run),
        pay: action({ once: true }, run),
        upload: action({ uploads: true }, run),
        named: action({ input: z.object({ name: z.string().min(1, "Say a name.") }) }, run),
      },
    },
  };
}

let keys = 0;
const newKey = (): string => `key-of-this-test-${++keys}-${process.pid}`;

interface Sent {
  action?: string;
  key?: string | undefined;
  attempt?: number;
  slot?: string;
  cookie?: string;
  variant?: "/_data" | "" | "/_outcome";
  fields?: Record<string, string>;
}

function send(app: TestApplication, sent: Sent): Promise<Answered> {
  const { action: name = "save", key, attempt, slot = `${name} 7`, cookie, variant = "/_data", fields = {} } = sent;
  const body = new URLSearchParams({
    ...(variant !== "/_outcome" && { _form: slot }),
    ...(key !== undefined && { _key: key }),
    ...(attempt !== undefined && { _attempt: String(attempt) }),
    ...fields,
  }).toString();
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    "content-length": String(Buffer.byteLength(body)),
    ...(cookie !== undefined && { cookie }),
  };
  return app.ask(`/_action/${name}${variant}`, { method: "POST", body, headers });
}

const outcomeOf = async (answer: Promise<Answered>): Promise<unknown> => dataLinesOf((await answer).text)[1];

const ask = async (app: TestApplication, sent: Sent, cancel = false): Promise<unknown> =>
  JSON.parse((await send(app, { ...sent, variant: "/_outcome", fields: cancel ? { cancel: "1" } : {} })).text);

test("a new key runs; the same key again gives the same outcome, and today's page", async () => {
  const { start, doing } = machine();
  await using app = await start();
  const key = newKey();
  doing.run = () => ({ at: new Date(0), runs: doing.runs });
  const first = await send(app, { key });
  const again = await send(app, { key });
  expect(dataLinesOf(first.text)[1]).toMatchObject({
    outcome: { kind: "done", result: { runs: 1 } },
    memory: "shared",
  });
  expect(dataLinesOf(again.text)[1]).toEqual(dataLinesOf(first.text)[1]);
  expect(dataLinesOf(again.text)[2]).toMatchObject({ kind: "page", data: [["~u"], { runs: 1 }] });
  expect(doing.runs).toBe(1);
  await send(app, { key: newKey() });
  await send(app, { key: undefined });
  await send(app, { key: undefined });
  expect(doing.runs).toBe(4);
});

test("a repetition waits for the running submission, in this process and in another", async () => {
  const { start, doing } = machine();
  await using here = await start();
  await using there = await start();
  const key = newKey();
  const { promise: mayEnd, resolve: letEnd } = Promise.withResolvers<void>();
  doing.run = async () => {
    await mayEnd;
    return "once";
  };
  const all = [send(here, { key }), send(here, { key }), send(there, { key })];
  await expect.poll(() => doing.runs).toBe(1);
  expect(await ask(there, { key })).toEqual({ state: "running" });
  letEnd();
  for (const answer of await Promise.all(all))
    expect(dataLinesOf(answer.text)[1]).toMatchObject({ outcome: { kind: "done", result: "once" } });
  expect(doing.runs).toBe(1);
});

test("a repetition that has waited too long reports that it is still running, and does not run", async () => {
  const { start, doing } = machine();
  await using app = await start({ waitMs: 30 });
  const key = newKey();
  const { promise: mayEnd, resolve: letEnd } = Promise.withResolvers<void>();
  doing.run = () => mayEnd;
  const first = send(app, { key });
  await expect.poll(() => doing.runs).toBe(1);
  const second = await send(app, { key });
  expect([second.status, dataLinesOf(second.text)[1]]).toMatchObject([
    504,
    { outcome: { kind: "failed", status: 504, why: "still-running" }, ran: true },
  ]);
  letEnd();
  await first;
  expect(doing.runs).toBe(1);
});

test("without script a double click, a reload and a submit after Back are one submission: again 303, again with its cookies", async () => {
  const { start, doing } = machine();
  await using app = await start();
  const key = newKey();
  doing.run = ({ cookies }) => {
    cookies.set("sid", "ada");
    return "signed in";
  };
  const cookiesOf = (answer: Answered) => (answer.headers["set-cookie"] ?? []).map((line) => line.split("=")[0]);
  const first = await send(app, { key, variant: "" });
  const again = await send(app, { key, variant: "" });
  // The first response has changed the visitor's cookies, but this is the same person.
  const later = await send(app, { key, variant: "", cookie: "sid=ada" });
  for (const answer of [first, again, later]) {
    expect([answer.status, answer.headers.location]).toEqual([303, "/"]);
    expect(cookiesOf(answer)).toEqual(["sid", "holdfast-answered", "holdfast-changed", "holdfast-result"]);
    const cookie = (answer.headers["set-cookie"] ?? []).map((line) => line.split(";")[0]).join("; ");
    expect((await app.ask("/", { headers: { cookie } })).text).toContain('"result":"signed in"');
  }
  expect(doing.runs).toBe(1);
});

test("a redirect is repeated", async () => {
  const { start, doing } = machine();
  await using app = await start();
  const key = newKey();
  doing.run = () => redirect("/?there");
  for (const _ of [1, 2])
    expect(await outcomeOf(send(app, { key }))).toMatchObject({ outcome: { kind: "redirected", to: "/?there" } });
  expect(doing.runs).toBe(1);
});

test("a submission that failed or was refused has the same outcome in the same attempt; a higher attempt runs", async () => {
  const { start, doing } = machine();
  await using app = await start();
  const failing = newKey();
  doing.run = () => {
    throw new Error("the database is down");
  };
  const first = await outcomeOf(send(app, { key: failing }));
  expect(first).toMatchObject({ outcome: { kind: "failed", status: 500, digest: "TEST-TEST-0001" } });
  expect(await outcomeOf(send(app, { key: failing }))).toEqual(first);
  expect([doing.runs, app.recorded.length]).toEqual([1, 1]);
  doing.run = () => invalid({ name: "taken" });
  expect(await outcomeOf(send(app, { key: failing, attempt: 2 }))).toMatchObject({ outcome: { kind: "invalid" } });
  doing.run = () => "at last";
  expect(await outcomeOf(send(app, { key: failing, attempt: 2 }))).toMatchObject({ outcome: { kind: "invalid" } });
  expect(await outcomeOf(send(app, { key: failing, attempt: 3 }))).toMatchObject({ outcome: { kind: "done" } });
  expect(await outcomeOf(send(app, { key: failing, attempt: 4 }))).toMatchObject({ outcome: { result: "at last" } });
  // The first attempt, arriving late.
  expect(await outcomeOf(send(app, { key: failing, attempt: 1 }))).toMatchObject({ outcome: { result: "at last" } });
  expect(doing.runs).toBe(3);
});

test("a submission that the schema refuses does not run, nor does its repetition", async () => {
  const { start, doing } = machine();
  await using app = await start();
  const key = newKey();
  for (const _ of [1, 2])
    expect(await outcomeOf(send(app, { action: "named", key, fields: { name: "" } }))).toMatchObject({
      outcome: { kind: "invalid", fields: { name: ["Say a name."] } },
      ran: false,
    });
  expect(doing.runs).toBe(0);
});

test("a request that arrives after it was reported as not seen is refused; the next attempt runs", async () => {
  const { start, doing } = machine();
  await using app = await start();
  const key = newKey();
  expect(await ask(app, { key })).toEqual({ state: "not-seen" });
  expect(await ask(app, { key }, true)).toEqual({ state: "not-seen" });
  expect(await ask(app, { key }, true)).toEqual({ state: "not-seen" });
  const late = await send(app, { key });
  expect([late.status, dataLinesOf(late.text)[1]]).toMatchObject([
    409,
    { outcome: { kind: "failed", status: 409, why: "not-received" }, ran: false },
  ]);
  expect(doing.runs).toBe(0);
  expect(await outcomeOf(send(app, { key, attempt: 2 }))).toMatchObject({ outcome: { kind: "done" } });
  expect(await ask(app, { key, attempt: 2 }, true)).toMatchObject({ state: "ended", slot: "save 7", v: 1 });
  expect(doing.runs).toBe(1);
});

test("a question gets the outcome line, with the cookies of the lost response", async () => {
  const { start, doing } = machine();
  await using app = await start();
  const key = newKey();
  doing.run = ({ cookies }) => {
    cookies.set("sid", "ada");
    return { at: new Date(0) };
  };
  const line = dataLinesOf((await send(app, { key })).text)[1];
  const asked = await send(app, { key, variant: "/_outcome" });
  expect(JSON.parse(asked.text)).toEqual({ state: "ended", ...(line as object) });
  expect(asked.headers["set-cookie"]).toEqual([expect.stringMatching(/^sid=ada;/)]);
  expect([asked.headers["content-type"], asked.headers["cache-control"]]).toEqual([
    "application/json",
    "private, no-store",
  ]);
  expect(doing.runs).toBe(1);
});

test("a question from another site is refused; it finds only its own action, and nothing without a key", async () => {
  const { start } = machine();
  await using app = await start();
  const key = newKey();
  await send(app, { key });
  const foreign = await app.ask("/_action/save/_outcome", {
    method: "POST",
    headers: { origin: "https://evil.example" },
  });
  expect(foreign.status).toBe(403);
  expect((await app.ask("/_action/save/_outcome")).status).toBe(405);
  expect(await ask(app, { key: undefined })).toEqual({ state: "cannot-say" });
  expect(await ask(app, { key, action: "named" })).toEqual({ state: "not-seen" });
});

test("another visitor gets neither a run nor the outcome", async () => {
  const { start, doing } = machine();
  await using app = await start();
  const key = newKey();
  await send(app, { key, cookie: "sid=ada" });
  const other = await send(app, { key, cookie: "sid=bob" });
  expect([other.status, dataLinesOf(other.text)[1]]).toMatchObject([
    409,
    { outcome: { kind: "failed", status: 409, why: "other-visitor" }, ran: false },
  ]);
  expect(await ask(app, { key, cookie: "sid=bob" })).toEqual({ state: "cannot-say" });
  expect(await ask(app, { key })).toEqual({ state: "cannot-say" });
  // A cookie that the application does not read does not identify the visitor.
  expect(await outcomeOf(send(app, { key, cookie: "sid=ada; seen=1" }))).toMatchObject({ outcome: { kind: "done" } });
  expect(doing.runs).toBe(1);
});

test("another body under the same key is a separate submission, which also runs once", async () => {
  const { start, doing } = machine();
  await using app = await start();
  const key = newKey();
  const seen: (string | undefined)[] = [];
  doing.run = ({ key: one, input }) => {
    seen.push(one);
    return input instanceof FormData ? input.get("name") : undefined;
  };
  const results: unknown[] = [];
  for (const [name, slot] of [
    ["Lamp", "save 7"],
    ["Chair", "save 7"],
    ["Lamp", "save 8"],
    ["Chair", "save 7"],
    ["Lamp", "save 7"],
  ] as const)
    results.push(await outcomeOf(send(app, { key, slot, fields: { name } })));
  expect(results).toMatchObject(["Lamp", "Chair", "Lamp", "Chair", "Lamp"].map((result) => ({ outcome: { result } })));
  expect([doing.runs, new Set(seen).size]).toEqual([3, 3]);
});

test("a handler gets a key for its submission that is the same in every attempt", async () => {
  const { start, doing } = machine();
  await using app = await start();
  const key = newKey();
  const seen: (string | undefined)[] = [];
  doing.run = ({ key: one }) => {
    seen.push(one);
    throw new Error("not yet");
  };
  await send(app, { key });
  await send(app, { key, attempt: 2 });
  await send(app, { key: newKey() });
  await send(app, { key: undefined });
  expect([seen[0], seen[0] === seen[2], seen[3]]).toEqual([seen[1], false, undefined]);
  expect(seen[0]).toMatch(/^[\w-]{22}$/);
});

test("JSON is identified by its header", async () => {
  const { start, doing } = machine();
  await using app = await start();
  const post = (key: string, value: unknown) => {
    const body = JSON.stringify(value);
    const headers = {
      "content-type": "application/json",
      "idempotency-key": key,
      "content-length": String(body.length),
    };
    return app.ask("/_action/save/_data", { method: "POST", body, headers });
  };
  const key = newKey();
  await post(key, { a: 1 });
  await post(`"${key}"`, { a: 1 });
  expect(doing.runs).toBe(1);
  await post(key, { a: 2 });
  await post("short", { a: 1 });
  await post("short", { a: 1 });
  expect(doing.runs).toBe(4);
});

test("files are compared by their content", async () => {
  const { start, doing } = machine();
  await using app = await start();
  const key = newKey();
  const upload = async (text: string) => {
    const form = new FormData();
    form.set("_key", key);
    form.set("file", new File([text], "a.txt"));
    await fetch(`${app.origin}/_action/upload/_data`, { method: "POST", body: form });
  };
  await upload("one");
  await upload("one");
  await upload("two");
  expect(doing.runs).toBe(2);
});

test("a process that died during an action leaves it uncertain; only a person sends it again", async () => {
  const { start, doing } = machine();
  let now = Date.now();
  await using dead = await start({ now: () => now });
  await using app = await start({ now: () => now });
  const key = newKey();
  doing.run = () => new Promise(() => undefined);
  const request = http.request({
    port: dead.port,
    path: "/_action/save/_data",
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  request.on("error", () => undefined).end(new URLSearchParams({ _form: "save 7", _key: key }).toString());
  await expect.poll(() => doing.runs).toBe(1);
  request.destroy();
  expect(await ask(app, { key }, true)).toEqual({ state: "running" });
  now += 31_000;
  expect(await ask(app, { key }, true)).toEqual({ state: "cannot-say" });
  const again = await send(app, { key });
  expect([again.status, dataLinesOf(again.text)[1]]).toMatchObject([
    409,
    { outcome: { kind: "failed", status: 409, why: "unknown" }, ran: true },
  ]);
  expect(doing.runs).toBe(1);
  doing.run = () => "again";
  expect(await outcomeOf(send(app, { key, attempt: 2 }))).toMatchObject({ outcome: { result: "again" } });
  expect(doing.runs).toBe(2);
});

test("an action that exceeds its time is still running, and its outcome is found afterwards", async () => {
  const { start, doing } = machine();
  await using app = await start({ waitMs: 5_000 });
  const key = newKey();
  const { promise: mayEnd, resolve: letEnd } = Promise.withResolvers<void>();
  doing.run = async () => {
    await mayEnd;
    return "late";
  };
  await using hasty = await testApplication(files(doing), {
    memory: app.memory,
    limits: { actionMs: 20 },
  });
  expect(await outcomeOf(send(hasty, { key }))).toMatchObject({ outcome: { kind: "failed", status: 504 } });
  expect(await ask(hasty, { key })).toEqual({ state: "running" });
  const again = send(hasty, { key, attempt: 2 });
  letEnd();
  expect(await outcomeOf(again)).toMatchObject({ outcome: { kind: "done", result: "late" } });
  expect(doing.runs).toBe(1);
});

test("a restart forgets nothing", async () => {
  const { start, doing } = machine();
  const key = newKey();
  {
    await using before = await start();
    await send(before, { key });
  }
  await using after = await start();
  expect(await outcomeOf(send(after, { key }))).toMatchObject({ outcome: { kind: "done" } });
  expect(doing.runs).toBe(1);
});

test("a submission without a memory runs and reports that it is not remembered; a `once` action does not run", async () => {
  const { doing } = machine();
  await using app = await testApplication(files(doing));
  const key = newKey();
  expect(await outcomeOf(send(app, { key }))).toMatchObject({ outcome: { kind: "done" }, memory: "none" });
  expect(await ask(app, { key }, true)).toEqual({ state: "cannot-say" });
  const refused = await send(app, { action: "pay", key });
  expect([refused.status, dataLinesOf(refused.text)[1]]).toMatchObject([
    503,
    { outcome: { kind: "failed", status: 503, why: "no-memory" }, ran: false },
  ]);
  expect(doing.runs).toBe(1);
});

test("a `once` action needs a key, and runs once", async () => {
  const { start, doing } = machine();
  await using app = await start();
  expect(await outcomeOf(send(app, { action: "pay", key: undefined }))).toMatchObject({
    outcome: { status: 503, why: "no-memory" },
  });
  const page = await send(app, { action: "pay", key: undefined, variant: "", fields: { amount: "7" } });
  expect([page.status, page.text]).toEqual([503, expect.stringContaining('"values":{"amount":"7"}')]);
  const key = newKey();
  for (const _ of [1, 2]) await send(app, { action: "pay", key });
  expect(doing.runs).toBe(1);
});

test("a memory of one machine among several never reports that nothing has arrived", async () => {
  const { start } = machine();
  await using app = await start({ reach: "local" });
  const key = newKey();
  expect(await ask(app, { key }, true)).toEqual({ state: "cannot-say" });
  expect(await outcomeOf(send(app, { key }))).toMatchObject({ outcome: { why: "not-received" }, memory: "local" });
});

test("a full memory drops the oldest that have ended, never a running one, and records that it has", async () => {
  const { start, doing } = machine();
  await using app = await start({ rows: 5 });
  const first = newKey();
  await send(app, { key: first });
  const { promise: mayEnd, resolve: letEnd } = Promise.withResolvers<void>();
  doing.run = () => mayEnd;
  const running = newKey();
  const underway = send(app, { key: running });
  await expect.poll(() => doing.runs).toBe(2);
  doing.run = () => "more";
  expect(await ask(app, { key: newKey() })).toEqual({ state: "not-seen" });
  for (let more = 0; more < 8; more++) await send(app, { key: newKey() });
  expect(await ask(app, { key: running })).toEqual({ state: "running" });
  // It existed once, so the response must not claim that it never arrived.
  expect(await ask(app, { key: first })).toEqual({ state: "cannot-say" });
  letEnd();
  await underway;
});

test("a submission runs without being remembered if the memory is full of running ones", async () => {
  const { start, doing } = machine();
  await using app = await start({ rows: 2 });
  const { promise: mayEnd, resolve: letEnd } = Promise.withResolvers<void>();
  doing.run = () => mayEnd;
  const underway = [newKey(), newKey()].map((key) => send(app, { key }));
  await expect.poll(() => doing.runs).toBe(2);
  doing.run = () => "more";
  expect(await outcomeOf(send(app, { key: newKey() }))).toMatchObject({ outcome: { result: "more" }, memory: "none" });
  expect(await outcomeOf(send(app, { action: "pay", key: newKey() }))).toMatchObject({ outcome: { why: "no-memory" } });
  letEnd();
  await Promise.all(underway);
});

test("an action whose outcome is too large to be stored does not run again", async () => {
  const { start, doing } = machine();
  await using app = await start();
  const key = newKey();
  doing.run = () => "x".repeat(9_000);
  expect(await outcomeOf(send(app, { key }))).toMatchObject({ outcome: { kind: "done" }, memory: "shared" });
  expect(await outcomeOf(send(app, { key }))).toMatchObject({ outcome: { why: "unknown" }, ran: true });
  expect(doing.runs).toBe(1);
});

test("the file reveals nothing of a visitor", async () => {
  const { start, doing, folder } = machine();
  await using app = await start();
  doing.run = ({ cookies }) => {
    cookies.set("sid", "very-secret-session");
    return "a private result";
  };
  await send(app, { key: "key-that-nobody-may-read", cookie: "sid=secret-before", fields: { name: "Ada Lovelace" } });
  const { readFileSync, readdirSync } = await import("node:fs");
  const bytes = readdirSync(folder)
    .map((file) => readFileSync(path.join(folder, file), "latin1"))
    .join("");
  for (const text of ["very-secret", "private result", "secret-before", "Lovelace", "key-that-nobody"])
    expect(bytes, text).not.toContain(text);
});
