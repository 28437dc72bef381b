import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ReactNode } from "react";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { KeptFolder, type KeptLimits, keptLimits, openSubmissionDb } from "#host";
import { digestOf } from "#protocol";
import { type BookedEnd, type ErrorPlace, type SubmissionFacts, silentServerSignals } from "#signals";
import { Form } from "../../react/form.tsx";
import { SubmissionMemory } from "../action/submission-memory.ts";
import { action, invalid, load, type Recovered } from "../author/define.ts";
import { forbidden, redirect } from "../author/outcome.ts";
import { type Answered, dataLinesOf, type TestApplication, testApplication } from "../test-application.ts";
import { KeptSubmissions } from "./kept-submissions.ts";

interface Ran {
  input: unknown;
  key: string | undefined;
  identity: unknown;
  hasVisit: boolean;
}

/** What the action does; the test changes it as a deploy would. */
interface Doing {
  run: (ran: Ran) => unknown;
  ran: Ran[];
  isStrict: boolean;
  /** The next build has no action. */
  isGone: boolean;
  recovered: Recovered[];
  tell: () => void;
}

interface Started {
  limits?: Partial<KeptLimits>;
  keys?: readonly [Uint8Array, ...Uint8Array[]];
  /** `no-ends`: it takes claims, and then its disk is full. */
  memory?: "off" | "no-ends";
  actionMs?: number;
  /** How far the clocks of memory and folder are ahead. */
  aheadMs?: number;
}

const firstKey = new Uint8Array(32).fill(1);

/** A data folder, and processes that share it. */
function machine() {
  const data = mkdtempSync(path.join(tmpdir(), "holdfast-kept-"));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const folder = path.join(data, "kept");
  const uploadFolder = path.join(data, "uploads");
  mkdirSync(uploadFolder);
  const doing: Doing = {
    run: () => "saved",
    ran: [],
    isStrict: false,
    isGone: false,
    recovered: [],
    tell: () => undefined,
  };
  const start = async ({ limits, keys = [firstKey], memory: how, actionMs = 60_000, aheadMs = 0 }: Started = {}) => {
    const now = (): number => Date.now() + aheadMs;
    const db = how === "off" ? undefined : openSubmissionDb(path.join(data, "submissions.db"));
    if (db && how === "no-ends") db.end = fails;
    const memory = new SubmissionMemory({ store: db, reach: "shared", sealKey: keys[0], now });
    const store = new KeptFolder(folder, { ...keptLimits, ...limits }, now);
    onTestFinished(() => {
      store.close();
      db?.close();
    });
    const events: { error: unknown; place: ErrorPlace; id: string }[] = [];
    const booked: string[] = [];
    const signals = {
      ...silentServerSignals,
      errorCaught: (error: unknown, place: ErrorPlace) => {
        const id = place.eventId ?? String(events.length + 1).padStart(32, "7");
        events.push({ error, place, id });
        return { kind: "recorded", eventId: id, digest: digestOf(id), durable: Promise.resolve() } as const;
      },
      submissionTaken: ({ action }: SubmissionFacts) => {
        booked.push(`${action} taken`);
        return { kept: () => booked.push("kept"), ended: (end: BookedEnd) => booked.push(end) };
      },
    };
    const kept = new KeptSubmissions({ store, keys, memory, signals, digestOf });
    const app = await testApplication(files(doing), { memory, kept, signals, uploadFolder, limits: { actionMs } });
    return { app, kept, events, booked, store, db };
  };
  return { start, doing, folder, uploadFolder };
}

function files(doing: Doing) {
  const call = (ran: Ran): unknown => {
    doing.ran.push(ran);
    return doing.run(ran);
  };
  const schema = z.object({
    name: z.string().refine((name) => !doing.isStrict || name.length > 9, "Longer, please."),
    lines: z.array(z.string()).optional(),
  });
  return {
    "index.tsx": {
      default: () => (
        <Form action={{ name: "order", href: "/_action/order" } as never} of={7}>
          {(form) => <input {...form.field("name")} />}
        </Form>
      ),
    },
    "index.server.ts": {
      data: load(() => ({ runs: doing.ran.length })),
      actions: doing.isGone
        ? {}
        : {
            order: action(
              {
                input: schema,
                keeps: {
                  identity: ({ headers }) => ({ user: headers.get("user"), since: new Date(0) }),
                  onRecovered: (recovered) => {
                    doing.recovered.push(recovered);
                    doing.tell();
                  },
                },
              },
              ({ input, key, identity, visit }) => call({ input, key, identity, hasVisit: visit !== undefined }),
            ),
            apply: action({ keeps: true, uploads: true }, async ({ input, key, identity, visit }) => {
              const files =
                input instanceof FormData ? [...input.values()].filter((one) => typeof one !== "string") : [];
              const texts = await Promise.all(files.map((file) => file.text()));
              const text = files.map(({ name, type }, at) => `${name} ${type} ${texts[at]}`).join();
              return call({ input: text, key, identity, hasVisit: visit !== undefined });
            }),
            plain: action({}, () => call({ input: undefined, key: undefined, identity: undefined, hasVisit: true })),
          },
    },
    "shop/_layout.tsx": { default: ({ children }: { children: ReactNode }) => children },
    "shop/_layout.server.ts": {
      actions: {
        order: action({ input: schema, keeps: true }, ({ input, key, identity, visit }) =>
          call({ input, key, identity, hasVisit: visit !== undefined }),
        ),
      },
    },
  };
}

interface Sent {
  /** The page that has the form. */
  page?: string;
  action?: string;
  key?: string;
  attempt?: number;
  slot?: string;
  variant?: "/_data" | "" | "/_outcome";
  name?: string;
  rows?: string;
}

function send(app: TestApplication, sent: Sent): Promise<Answered> {
  const { action: name = "order", key, attempt, slot = `${name} 7`, variant = "/_data" } = sent;
  const body = new URLSearchParams({
    ...(slot !== "" && { _form: slot }),
    ...(key !== undefined && { _key: key }),
    ...(attempt !== undefined && { _attempt: String(attempt) }),
    ...(sent.rows !== undefined && { _rows: sent.rows }),
    ...(variant !== "/_outcome" && { name: sent.name ?? "Ada Lovelace" }),
  }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded", accept: "text/html", user: "7" };
  return app.ask(`${sent.page ?? ""}/_action/${name}${variant}`, { method: "POST", body, headers });
}

const outcomeOf = (answer: Answered): { digest?: string; message?: string } & Record<string, unknown> =>
  (dataLinesOf(answer.text)[1] as { outcome: Record<string, unknown> }).outcome;

let keys = 0;
const newKey = (): string => `key-of-this-test-${++keys}-${process.pid}`;
const filesIn = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".kept")) : [];
const codeOf = (event: { error: unknown } | undefined): unknown =>
  event?.error instanceof Error && "code" in event.error ? event.error.code : undefined;
const by = { by: "ada", evenIfUnsure: false };
const fails = (): never => {
  throw new Error("The payment provider is away.");
};

/** Lets a running submission look as if its process had died: no process renews its file any more. */
function kill(folder: string): void {
  for (const name of filesIn(folder)) utimesSync(path.join(folder, name), 1, 1);
}

test("an action that succeeds leaves nothing, and one without `keeps` creates no folder", async () => {
  const { start, doing, folder } = machine();
  const { app, kept } = await start();
  await using _ = app;
  await send(app, { action: "plain", key: newKey() });
  expect(existsSync(folder)).toBe(false);
  let whileRunning: string[] = [];
  doing.run = () => {
    whileRunning = filesIn(folder);
    return "ordered";
  };
  expect(outcomeOf(await send(app, { key: newKey() }))).toEqual({ kind: "done", result: "ordered" });
  expect(whileRunning.length).toBe(1);
  await expect.poll(() => filesIn(folder)).toEqual([]);
  expect([filesIn(folder), await kept.list()]).toEqual([[], []]);
});

test("what was sent to an action that throws is kept: the visitor reads its digest, with and without JavaScript", async () => {
  const { start, doing, folder } = machine();
  const { app, kept, events, booked } = await start();
  await using _ = app;
  doing.run = fails;
  const data = outcomeOf(await send(app, { key: newKey() }));
  expect(data).toMatchObject({ kind: "failed", status: 500, kept: true, digest: digestOf(events[0]?.id ?? "") });
  expect(data.message).toBe(`We have kept what you sent, under ${data.digest}. You need not send it again.`);
  const document = await send(app, { key: newKey(), variant: "" });
  expect(document.status).toBe(500);
  const alert = `<p role="alert">We have kept what you sent, under ${digestOf(events[1]?.id ?? "")}. You need not`;
  expect(document.text).toContain(alert);
  expect(document.text).toContain('value="Ada Lovelace"');
  const unnamed = await send(app, { key: newKey(), variant: "", slot: "" });
  expect(unnamed.status).toBe(500);
  expect(unnamed.text).toContain(`under ${digestOf(events[2]?.id ?? "")}. You need not send it again.`);
  expect(filesIn(folder).length).toBe(3);
  expect(events.map(({ place }) => place.keptAction)).toEqual(["order", "order", "order"]);
  expect((await kept.list()).map(({ state }) => state)).toEqual(["failed", "failed", "failed"]);
  // While the action runs, it is already known that nothing can be lost.
  expect(booked.slice(0, 3)).toEqual(["order taken", "kept", "kept"]);
});

test("nothing of it can be read on disk without the key, and a changed byte is noticed", async () => {
  const { start, doing, folder } = machine();
  const { app, kept } = await start();
  doing.run = fails;
  await send(app, { key: newKey(), name: "Grace Hopper" });
  const [file = ""] = filesIn(folder);
  for (const name of readdirSync(folder)) {
    const bytes = readFileSync(path.join(folder, name));
    for (const text of ["Grace", "Hopper", "name"]) expect([name, bytes.includes(text)]).toEqual([name, false]);
  }
  const id = file.slice(0, 32);
  expect(await kept.open(id)).toMatchObject({ kind: "open", content: { action: "order", route: "/" } });
  await app[Symbol.asyncDispose]();
  const secondKey = new Uint8Array(32).fill(2);
  const stranger = await start({ keys: [secondKey] });
  expect(await stranger.kept.open(id)).toEqual({ kind: "other-key" });
  expect(await stranger.app.kept?.check(id)).toEqual({ kind: "other-key" });
  await stranger.app[Symbol.asyncDispose]();
  const rotated = await start({ keys: [secondKey, firstKey] });
  expect(await rotated.app.kept?.check(id)).toMatchObject({ kind: "ready" });
  const bytes = readFileSync(path.join(folder, file));
  bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1;
  writeFileSync(path.join(folder, file), bytes);
  expect(await rotated.kept.open(id)).toEqual({ kind: "damaged" });
  await rotated.app[Symbol.asyncDispose]();
});

test("a list that had no rows is empty in the later run too", async () => {
  const { start, doing } = machine();
  const { app, kept } = await start();
  await using _ = app;
  doing.run = fails;
  await send(app, { key: newKey(), rows: "lines 3" });
  doing.run = () => "ordered";
  expect(await app.kept?.run((await kept.list())[0]?.id ?? "", by)).toMatchObject({ kind: "done" });
  const input = { name: "Ada Lovelace", lines: [] };
  expect(doing.ran).toMatchObject([{ input }, { input }]);
});

test("after the fix it runs exactly once, with the same input, key and identity, and without a visitor", async () => {
  const { start, doing, folder } = machine();
  const { app, kept, events } = await start();
  await using _ = app;
  doing.run = fails;
  await send(app, { key: newKey() });
  const [row] = await kept.list();
  const id = row?.id ?? "";
  expect(await app.kept?.check(id)).toEqual({ kind: "ready", isUnsure: false, route: "/", action: "order" });
  expect(doing.ran.length, "a dry run runs nothing").toBe(1);
  expect(await app.kept?.run(id, by)).toMatchObject({ kind: "failed", message: "The payment provider is away." });
  expect(events.length).toBe(2);
  doing.run = () => ({ number: 12 });
  const both = await Promise.all([app.kept?.run(id, by), app.kept?.run(id, { ...by, by: "bob" })]);
  expect(both.map((one) => one?.kind).sort()).toEqual(["done", "not-waiting"]);
  expect(await app.kept?.run(id, by)).toEqual({ kind: "not-waiting", state: "done" });
  const [first, , last] = doing.ran;
  expect(doing.ran.length).toBe(3);
  expect(first).toEqual({
    input: { name: "Ada Lovelace" },
    key: expect.any(String),
    identity: { user: "7", since: new Date(0) },
    hasVisit: true,
  });
  expect(last).toEqual({ ...first, hasVisit: false });
  expect(filesIn(folder)).toEqual([]);
  expect(await kept.find(id)).toMatchObject({ state: "done", runs: 2, digest: row?.digest });
  expect(doing.recovered).toEqual([
    {
      identity: { user: "7", since: new Date(0) },
      result: { number: 12 },
      keptAt: expect.any(Date),
      digest: row?.digest,
      key: first?.key,
    },
  ]);
});

test("onRecovered is called again after it has thrown, and the action is not", async () => {
  const { start, doing } = machine();
  const first = await start();
  doing.run = fails;
  await send(first.app, { key: newKey() });
  const [row] = await first.kept.list();
  doing.run = () => redirect("/?ordered");
  doing.tell = fails;
  expect(await first.app.kept?.run(row?.id ?? "", by)).toMatchObject({ kind: "done", redirectedTo: "/?ordered" });
  await first.app[Symbol.asyncDispose]();
  doing.tell = () => undefined;
  const soon = await start();
  await soon.app.kept?.notify();
  expect(doing.recovered.length, "not before its pause is over").toBe(1);
  await soon.app[Symbol.asyncDispose]();
  const later = await start({ aheadMs: 3_600_000 });
  await later.app.kept?.notify();
  await later.app.kept?.notify();
  expect(doing.recovered.length).toBe(2);
  expect(doing.ran.length).toBe(2);
  await later.app[Symbol.asyncDispose]();
});

test("another attempt of a kept submission does not run it beside the operator, neither before nor after", async () => {
  const { start, doing } = machine();
  const { app, kept } = await start();
  await using _ = app;
  const key = newKey();
  doing.run = fails;
  const { digest } = outcomeOf(await send(app, { key }));
  doing.run = () => "ordered";
  expect(outcomeOf(await send(app, { key, attempt: 2 }))).toMatchObject({ kind: "failed", kept: true, digest });
  const [row] = await kept.list();
  expect(await app.kept?.run(row?.id ?? "", by)).toMatchObject({ kind: "done" });
  for (const attempt of [1, 2, 3])
    expect(outcomeOf(await send(app, { key, attempt }))).toEqual({ kind: "done", result: "ordered" });
  const document = await send(app, { key, variant: "" });
  expect([document.status, document.headers.location]).toEqual([303, "/"]);
  expect(doing.ran.length).toBe(2);
});

test("refusals and planned ends keep nothing: field errors, a redirect, forbidden", async () => {
  const { start, doing, folder } = machine();
  const { app, kept } = await start();
  await using _ = app;
  for (const [run, kind] of [
    [() => invalid({ name: "Taken." }), "invalid"],
    [() => redirect("/?there"), "redirected"],
    [() => forbidden(), "failed"],
  ] as const) {
    doing.run = run;
    const outcome = outcomeOf(await send(app, { key: newKey() }));
    expect([outcome.kind, outcome.message]).toEqual([kind, undefined]);
  }
  await kept.flush();
  expect(filesIn(folder)).toEqual([]);
});

test("a submission whose process died is found, becomes one event, and runs only for an operator who has looked", async () => {
  const { start, doing, folder } = machine();
  const dying = await start();
  const key = newKey();
  const { promise: never, resolve: end } = Promise.withResolvers<void>();
  onTestFinished(() => end());
  doing.run = () => never;
  void send(dying.app, { key }).catch(() => undefined);
  await expect.poll(() => doing.ran.length).toBe(1);
  const next = await start({ aheadMs: 60_000 });
  kill(folder);
  const answer = JSON.parse((await send(next.app, { key, variant: "/_outcome" })).text) as { outcome: object };
  const [file = ""] = filesIn(folder);
  const id = file.slice(0, 32);
  const digest = digestOf(id);
  expect(answer).toMatchObject({
    state: "ended",
    outcome: { kind: "failed", kept: true, digest, message: expect.stringContaining(digest) },
  });
  await next.kept.settleAll();
  expect(next.events.map(({ error, place }) => [codeOf({ error }), place.eventId])).toEqual([["action-died", id]]);
  expect(outcomeOf(await send(next.app, { key })), "the same attempt").toMatchObject({ kept: true, digest });
  doing.run = () => "ordered";
  expect(await next.app.kept?.check(id)).toMatchObject({ kind: "ready", isUnsure: true });
  expect(await next.app.kept?.run(id, by)).toEqual({ kind: "unsure" });
  expect(doing.ran.length).toBe(1);
  expect(await next.app.kept?.run(id, { ...by, evenIfUnsure: true })).toMatchObject({ kind: "done" });
  expect(doing.ran[1]?.key).toBe(doing.ran[0]?.key);
  await next.app[Symbol.asyncDispose]();
  await dying.app[Symbol.asyncDispose]();
});

test("a copy that a killed process has not completed keeps nothing: its visitor may send it again", async () => {
  const { start, doing, folder } = machine();
  const dying = await start();
  const key = newKey();
  doing.run = fails;
  await send(dying.app, { key });
  const [file = ""] = filesIn(folder);
  const id = file.slice(0, 32);
  await dying.app.kept?.forget(id, "ada");
  const half = path.join(folder, `${id}.arriving`);
  writeFileSync(half, "half of it");
  expect([await dying.kept.find(id), filesIn(folder)]).toEqual([expect.objectContaining({ state: "forgotten" }), []]);
  doing.run = () => "ordered";
  expect(outcomeOf(await send(dying.app, { key, attempt: 2 })), "its process may be alive").toMatchObject({
    status: 503,
    message: expect.stringContaining("nothing of it was done"),
  });
  utimesSync(half, 1, 1);
  expect(outcomeOf(await send(dying.app, { key, attempt: 3 }))).toEqual({ kind: "done", result: "ordered" });
  writeFileSync(half, "half of it");
  utimesSync(half, 1, 1);
  await dying.store.expire();
  expect(existsSync(half)).toBe(false);
  await dying.app[Symbol.asyncDispose]();
});

test("one whose operator's process died while it ran can be run by another who has looked, or be forgotten", async () => {
  const { start, doing, folder } = machine();
  const { app, kept } = await start();
  await using _ = app;
  const rowsOf = async (): Promise<string[]> => (await kept.list()).map(({ id }) => id);
  doing.run = fails;
  await send(app, { key: newKey() });
  await send(app, { key: newKey() });
  const [first = "", second = ""] = await rowsOf();
  for (const id of [first, second]) expect(await kept.claim(id, "bob", ["failed"])).toBe(true);
  kill(folder);
  doing.run = () => "ordered";
  expect(await app.kept?.run(first, by)).toEqual({ kind: "unsure" });
  const both = await Promise.all([1, 2].map(() => app.kept?.run(first, { ...by, evenIfUnsure: true })));
  expect(both.map((one) => one?.kind).sort()).toEqual(["done", "not-waiting"]);
  await kept.settleAll();
  expect(await app.kept?.forget(second, "ada")).toBe(true);
  expect(doing.ran.length).toBe(3);
});

test("one that was done and could not be remembered is not run by another attempt", async () => {
  const { start, doing, folder } = machine();
  const key = newKey();
  const full = await start({ memory: "no-ends" });
  expect(outcomeOf(await send(full.app, { key }))).toEqual({ kind: "done", result: "saved" });
  await full.app[Symbol.asyncDispose]();
  const next = await start({ aheadMs: 60_000 });
  for (const attempt of [1, 2])
    expect(outcomeOf(await send(next.app, { key, attempt })).message).toMatch(
      /^What you sent, .* has been done since\.$/,
    );
  expect([doing.ran.length, filesIn(folder)]).toEqual([1, []]);
  await next.app[Symbol.asyncDispose]();
});

test("the code that a visitor reads finds it, even if its failure could not be noted", async () => {
  const { start, doing, folder } = machine();
  const { app, kept, store } = await start();
  await using _ = app;
  doing.run = () => {
    store.change = fails;
    return fails();
  };
  const { digest } = outcomeOf(await send(app, { key: newKey() }));
  expect(digest).toBe(digestOf(filesIn(folder)[0]?.slice(0, 32) ?? ""));
  kill(folder);
  expect((await kept.list()).map(({ state }) => state)).toEqual(["unsure"]);
});

test("a copy that is removed while it is read is read to its end, and does not run", async () => {
  const { start, doing, folder } = machine();
  const { app, kept, store } = await start();
  await using _ = app;
  doing.run = fails;
  await send(app, { key: newKey() });
  const id = filesIn(folder)[0]?.slice(0, 32) ?? "";
  const open = store.open.bind(store);
  store.open = async (one) => {
    const handle = await open(one);
    if (await kept.forget(id, "ada")) expect(filesIn(folder)).toEqual([]);
    return handle;
  };
  expect(await app.kept?.run(id, by)).toEqual({ kind: "not-waiting", state: "forgotten" });
  expect(await kept.open(id)).toBe(undefined);
});

test("a submission that the memory knows as done is removed and not offered", async () => {
  const { start, doing, folder } = machine();
  const { app, kept, events } = await start();
  await using _ = app;
  let copy: [string, Buffer] = ["", Buffer.alloc(0)];
  doing.run = () => {
    const [name = ""] = filesIn(folder);
    copy = [name, readFileSync(path.join(folder, name))];
    return "ordered";
  };
  await send(app, { key: newKey() });
  // As if the process had died between the memory and the removal.
  writeFileSync(path.join(folder, copy[0]), copy[1]);
  kill(folder);
  await kept.settleAll();
  expect([filesIn(folder), await kept.list(), events]).toEqual([[], [], []]);
});

test("a copy is removed after what the memory knows is on disk, and stays while that fails", async () => {
  const { start, folder } = machine();
  const { app, kept, events, db } = await start();
  await using _ = app;
  if (!db) throw new Error("This machine has a memory.");
  const steps: string[] = [];
  const sync = db.sync;
  db.sync = () => {
    steps.push(`synced with ${filesIn(folder).length}`);
    return fails();
  };
  expect(outcomeOf(await send(app, { key: newKey() }))).toMatchObject({ kind: "done" });
  await kept.flush();
  expect([steps, filesIn(folder).length]).toEqual([["synced with 1"], 1]);
  kill(folder);
  await expect(kept.settleAll()).rejects.toThrow("away");
  expect([filesIn(folder).length, events]).toEqual([1, []]);
  db.sync = async () => {
    await sync();
    steps.push(`synced with ${filesIn(folder).length}`);
  };
  await kept.settleAll();
  expect([steps.at(-1), filesIn(folder)]).toEqual(["synced with 1", []]);
});

test("an action that takes too long is kept, and done if it ends after all", async () => {
  const { start, doing } = machine();
  // Long enough for the copy to be written on a busy machine.
  const { app, kept } = await start({ actionMs: 1_000 });
  await using _ = app;
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<string>();
  doing.run = () => mayEnd;
  const outcome = outcomeOf(await send(app, { key: newKey() }));
  expect(outcome).toMatchObject({ kind: "failed", status: 504, kept: true });
  const [row] = await kept.list();
  expect(row).toMatchObject({ state: "running", digest: outcome.digest });
  expect(await app.kept?.run(row?.id ?? "", by)).toEqual({ kind: "not-waiting", state: "running" });
  end("ordered");
  await expect.poll(async () => (await kept.list())[0]?.state).toBe("done");
});

test("a result that cannot be sent may have been done: it is not offered without a warning", async () => {
  const { start, doing } = machine();
  const { app, kept } = await start();
  await using _ = app;
  doing.run = () => () => "a function";
  expect(outcomeOf(await send(app, { key: newKey() }))).toMatchObject({ status: 500, kept: true });
  expect((await kept.list())[0]?.state).toBe("unsure");
});

test("files are kept with the form, encrypted from the first byte, and are the same when it is run again", async () => {
  const { start, doing, folder, uploadFolder } = machine();
  const { app, kept } = await start();
  await using _ = app;
  const written: string[] = [];
  doing.run = () => {
    for (const name of readdirSync(uploadFolder, { recursive: true, encoding: "utf8" }))
      if (name.includes(path.sep)) written.push(readFileSync(path.join(uploadFolder, name), "latin1"));
    return fails();
  };
  const content = "one line of a life\n".repeat(20_000);
  const form = new FormData();
  form.set("_form", "apply 7");
  form.set("_key", newKey());
  form.set("cv", new File([content], "life.txt", { type: "text/plain" }));
  form.set("empty", new File([], "empty.txt"));
  form.set("letter", new File(["a letter"], "letter.txt"));
  const sent = `life.txt text/plain ${content},empty.txt application/octet-stream ,letter.txt application/octet-stream a letter`;
  const request = new Request("http://localhost", { method: "POST", body: form });
  const headers = { "content-type": request.headers.get("content-type") ?? "" };
  const body = Buffer.from(await request.arrayBuffer());
  await app.ask("/_action/apply/_data", { method: "POST", headers, body });
  expect(written.map((bytes) => [bytes.length > content.length, /life|letter/.test(bytes)])).toEqual([[true, false]]);
  expect(readdirSync(uploadFolder)).toEqual([]);
  const [row] = await kept.list();
  const id = row?.id ?? "";
  const copy = path.join(folder, `${id}.kept`);
  const bytes = readFileSync(copy);
  expect(row?.bytes).toBe(bytes.length);
  writeFileSync(copy, bytes.with(content.length - 1, (bytes[content.length - 1] ?? 0) ^ 1));
  expect(await app.kept?.check(id)).toEqual({ kind: "damaged" });
  writeFileSync(copy, bytes);
  doing.run = () => {
    expect(readdirSync(uploadFolder), "nothing is unpacked").toEqual([]);
    return "applied";
  };
  expect(await app.kept?.run(id, by)).toMatchObject({ kind: "done" });
  expect(doing.ran.map(({ input }) => input)).toEqual([sent, sent]);
});

test("a corrected schema judges it: a dry run says what it refuses, and the submission stays", async () => {
  const { start, doing } = machine();
  const { app, kept } = await start();
  await using _ = app;
  doing.run = fails;
  await send(app, { key: newKey(), name: "Ada" });
  doing.isStrict = true;
  const [row] = await kept.list();
  const refused = { kind: "invalid", messages: ["name: Longer, please."] };
  expect(await app.kept?.check(row?.id ?? "")).toEqual(refused);
  expect(await app.kept?.run(row?.id ?? "", by)).toEqual(refused);
  expect((await kept.list())[0]?.state).toBe("failed");
  expect(doing.ran.length).toBe(1);
});

test("what was sent to an action that the next build does not have stays kept, and runs when the action is back", async () => {
  const { start, doing } = machine();
  const key = newKey();
  const before = await start();
  doing.run = fails;
  await send(before.app, { key });
  const [row] = await before.kept.list();
  const id = row?.id ?? "";
  await before.app[Symbol.asyncDispose]();
  doing.isGone = true;
  const without = await start();
  const noAction = { kind: "no-action", route: "/", action: "order" };
  expect([await without.app.kept?.check(id), await without.app.kept?.run(id, by)]).toEqual([noAction, noAction]);
  expect((await without.kept.list()).map(({ state }) => state)).toEqual(["failed"]);
  const status = JSON.parse((await send(without.app, { key, variant: "/_outcome", slot: "" })).text);
  expect(status).toMatchObject({ state: "ended", outcome: { kept: true, digest: row?.digest } });
  await without.app[Symbol.asyncDispose]();
  doing.isGone = false;
  doing.run = () => "ordered";
  const again = await start();
  expect(await again.app.kept?.run(id, by)).toMatchObject({ kind: "done" });
  await again.app[Symbol.asyncDispose]();
});

test("what was sent to a layout's action, on a page that does not exist, is kept under its name and runs once", async () => {
  const { start, doing } = machine();
  const { app, kept, events, booked } = await start();
  await using _ = app;
  doing.run = fails;
  const key = newKey();
  const sent = { page: "/shop/nothing", action: "shop/_layout/order", key };
  const failed = outcomeOf(await send(app, sent));
  expect(failed).toMatchObject({ kind: "failed", kept: true, digest: digestOf(events[0]?.id ?? "") });
  expect([events[0]?.place.keptAction, booked[0]]).toEqual(["shop/_layout/order", "shop/_layout/order taken"]);
  const [row] = await kept.list();
  const id = row?.id ?? "";
  expect(row?.of).toEqual({ route: "not-found", action: "shop/_layout/order" });
  expect(await app.kept?.check(id)).toMatchObject({ kind: "ready", route: "not-found", action: "shop/_layout/order" });
  doing.run = () => "ordered";
  expect(await app.kept?.run(id, by)).toMatchObject({ kind: "done" });
  expect([doing.ran.length, doing.ran[1]?.hasVisit]).toEqual([2, false]);
  const status = JSON.parse((await send(app, { ...sent, variant: "/_outcome", slot: "" })).text);
  expect(status).toMatchObject({ state: "ended", outcome: { kind: "done", result: "ordered" } });
  expect(outcomeOf(await send(app, sent))).toEqual({ kind: "done", result: "ordered" });
  expect(doing.ran.length).toBe(2);
});

test("what is forgotten is gone from the disk, cannot be run, and may be sent again", async () => {
  const { start, doing, folder } = machine();
  const { app, kept } = await start();
  await using _ = app;
  const key = newKey();
  doing.run = fails;
  await send(app, { key });
  const [row] = await kept.list();
  const id = row?.id ?? "";
  expect([await app.kept?.forget(id, "ada"), await app.kept?.forget(id, "ada")]).toEqual([true, false]);
  expect(filesIn(folder)).toEqual([]);
  expect(await app.kept?.run(id, by)).toEqual({ kind: "not-waiting", state: "forgotten" });
  const of = { route: "/", action: "order" };
  expect(await kept.find(id)).toMatchObject({ state: "forgotten", by: "ada", of });
  doing.run = () => "ordered";
  expect(outcomeOf(await send(app, { key, attempt: 2 }))).toEqual({ kind: "done", result: "ordered" });
});

test.each([
  ["too many submissions", { submissions: 1 }],
  ["too many bytes", { bytes: 700 }],
])("with %s it is refused before the action runs, reported, and what was typed stays", async (_, limits) => {
  const { start, doing, folder } = machine();
  const { app, events } = await start({ limits });
  await using _app = app;
  doing.run = fails;
  await send(app, { key: newKey() });
  doing.run = () => "ordered";
  const refused = await send(app, { key: newKey() });
  expect(refused.status).toBe(503);
  expect(outcomeOf(refused)).toEqual({
    kind: "failed",
    status: 503,
    digest: digestOf(events[1]?.id ?? ""),
    message: "This cannot be taken now, and nothing of it was done. What you typed is still here.",
  });
  expect(codeOf(events[1])).toBe("kept-full");
  const document = await send(app, { key: newKey(), variant: "", name: "Still here" });
  expect(document.text).toContain('value="Still here"');
  expect([doing.ran.length, filesIn(folder).length]).toEqual([1, 1]);
  expect(app.posts.refusals.totals.get("kept")).toBe(2);
});

test("on a disk that takes nothing it is refused, and without a memory too", async () => {
  const { start, doing, folder } = machine();
  writeFileSync(folder, "in the way");
  const full = await start();
  expect(outcomeOf(await send(full.app, { key: newKey() }))).toMatchObject({
    status: 503,
    message: expect.any(String),
  });
  expect(codeOf(full.events[0])).toBe("cannot-keep");
  await full.app[Symbol.asyncDispose]();
  rmSync(folder);
  const forgetful = await start({ memory: "off" });
  expect(outcomeOf(await send(forgetful.app, { key: newKey() }))).toMatchObject({ status: 503, why: "no-memory" });
  expect(doing.ran).toEqual([]);
  expect(outcomeOf(await send(forgetful.app, {})), "without a key nothing can be repeated").toMatchObject({
    kind: "done",
  });
  await forgetful.app[Symbol.asyncDispose]();
});

test("what is too old is removed, and so are the rows of what is over", async () => {
  const { start, doing, folder } = machine();
  const today = await start();
  doing.run = fails;
  await send(today.app, { key: newKey() });
  expect(await today.store.expire()).toEqual([]);
  await today.app[Symbol.asyncDispose]();
  const later = await start({ aheadMs: 31 * 86_400_000 });
  expect(await later.store.expire()).toMatchObject([{ digest: digestOf(today.events[0]?.id ?? "") }]);
  expect(filesIn(folder)).toEqual([]);
  expect((await later.kept.list()).map(({ state }) => state)).toEqual(["expired"]);
  await later.app[Symbol.asyncDispose]();
  const muchLater = await start({ aheadMs: 62 * 86_400_000 });
  expect([await muchLater.store.expire(), await muchLater.kept.list()]).toEqual([[], []]);
  await muchLater.app[Symbol.asyncDispose]();
});
