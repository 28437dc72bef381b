import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { test as plain } from "vitest";
import { application, type RunningApp, startApp } from "../kit/index.ts";

/** Seconds. The longer ones are specified. */
const slow = process.env.HOLDFAST_TEST_LONG === undefined ? { action: 6, upload: 12 } : { action: 20, upload: 40 };

/** Each run appends a line to a file of the data folder. `slow` ends when the file `go` exists. */
const folder = application({
  "package.json": '{ "type": "module", "private": true }',
  "src/pages/index.tsx": "export default function Home() { return <h1>Home</h1>; }",
  "src/pages/index.server.ts": `
    import { appendFileSync, existsSync } from "node:fs";
    import { join } from "node:path";
    import { setTimeout as wait } from "node:timers/promises";
    import { action, load } from "holdfast/server";

    const data = process.env.HOLDFAST_DATA ?? "";
    const note = (name: string) => appendFileSync(join(data, "runs"), name + "\\n");

    export const actions = {
      slow: action({}, async ({ signal }) => {
        note("slow");
        while (!existsSync(join(data, "go"))) await wait(20, undefined, { signal });
        note("slow ended");
        return { pid: process.pid };
      }),
      takes: action({}, async ({ input, signal }) => {
        note("takes");
        await wait(Number(input instanceof FormData ? input.get("ms") : 0), undefined, { signal });
        note("takes ended");
      }),
      upload: action({ uploads: true }, ({ input }) => {
        const file = input instanceof FormData ? input.get("file") : null;
        note("upload");
        return { bytes: file instanceof File ? file.size : 0 };
      }),
    };
  `,
});

// biome-ignore lint/correctness/noEmptyPattern: Vitest reads from it that nothing else is needed first.
const test = plain.extend("start", async ({}, { onCleanup }) => {
  return async (args: readonly string[] = []): Promise<RunningApp> => {
    const app = await startApp({ app: folder, args });
    onCleanup(() => app.stop());
    return app;
  };
});

const runsOf = (app: RunningApp): string[] => {
  try {
    return readFileSync(join(app.dataFolder, "runs"), "utf8").trim().split("\n");
  } catch {
    return [];
  }
};

const letGo = (app: RunningApp): void => writeFileSync(join(app.dataFolder, "go"), "");

/** Posts like a browser with JavaScript. On a separate connection, so that workers take turns. */
async function send(app: RunningApp, action: string, fields: Record<string, string>): Promise<unknown> {
  const answer = await fetch(`${app.url}/_action/${action}/_data`, {
    method: "POST",
    body: new URLSearchParams({ _form: `${action} 7`, ...fields }),
    headers: { connection: "close" },
  });
  const [, line = "{}"] = (await answer.text()).split("\n");
  return JSON.parse(line);
}

async function ask(app: RunningApp, action: string, key: string): Promise<unknown> {
  const body = new URLSearchParams({ _key: key, _attempt: "1", cancel: "1" });
  const answer = await fetch(`${app.url}/_action/${action}/_outcome`, { method: "POST", body });
  return answer.json();
}

test.concurrent("a server killed in the middle of an action does not run it again, and never reports that it had not arrived", {
  timeout: 120_000,
}, async ({ start, expect }) => {
  const app = await start();
  const key = "killed-in-the-middle-of-it";
  const lost = send(app, "slow", { _key: key }).catch(() => "lost");
  await expect.poll(() => runsOf(app)).toEqual(["slow"]);
  await app.kill();
  expect(await lost).toBe("lost");
  await app.start();
  letGo(app);
  // The lease is still valid, because the process may only be slow.
  expect(await ask(app, "slow", key)).toEqual({ state: "running" });
  expect(await send(app, "slow", { _key: key })).toMatchObject({
    outcome: { kind: "failed", why: expect.any(String) },
  });
  await expect.poll(() => ask(app, "slow", key), { timeout: 60_000 }).toEqual({ state: "cannot-say" });
  expect(await send(app, "slow", { _key: key })).toMatchObject({ outcome: { status: 409, why: "unknown" } });
  expect(runsOf(app)).toEqual(["slow"]);
  expect(await send(app, "slow", { _key: key, _attempt: "2" })).toMatchObject({ outcome: { kind: "done" } });
  expect(runsOf(app)).toEqual(["slow", "slow", "slow ended"]);
});

test.concurrent("a server that ends while an action runs whose visitor has left waits for it, and remembers it after the restart", async ({
  start,
  expect,
}) => {
  const app = await start();
  const key = "restarted-between-send-and-answer";
  const leaving = new AbortController();
  const body = new URLSearchParams({ _form: "slow 7", _key: key });
  const left = fetch(`${app.url}/_action/slow/_data`, { method: "POST", body, signal: leaving.signal });
  left.catch(() => undefined);
  await expect.poll(() => runsOf(app)).toEqual(["slow"]);
  leaving.abort();
  const restarted = app.restart();
  await expect
    .poll(() =>
      fetch(`${app.url}/healthz`).then(
        () => "up",
        () => "down",
      ),
    )
    .toBe("down");
  letGo(app);
  await restarted;
  expect(runsOf(app)).toEqual(["slow", "slow ended"]);
  expect(await ask(app, "slow", key)).toMatchObject({ state: "ended", outcome: { kind: "done" } });
  expect(await send(app, "slow", { _key: key })).toMatchObject({ outcome: { kind: "done" }, memory: "shared" });
  expect(runsOf(app)).toEqual(["slow", "slow ended"]);
});

test.concurrent("of two workers one runs the action, and both know its result", async ({ start, expect }) => {
  const app = await start(["--workers", "2"]);
  const key = "sent-to-both-workers-at-once";
  const all = Array.from({ length: 20 }, () => send(app, "slow", { _key: key }));
  await expect.poll(() => runsOf(app)).toEqual(["slow"]);
  letGo(app);
  const answers = await Promise.all(all);
  for (const answer of answers) expect(answer).toEqual(answers[0]);
  expect(answers[0]).toMatchObject({ outcome: { kind: "done" } });
  for (let asked = 0; asked < 4; asked++)
    expect(await ask(app, "slow", key)).toMatchObject({ state: "ended", outcome: { kind: "done" } });
  expect(runsOf(app)).toEqual(["slow", "slow ended"]);
});

test.concurrent(`an action of ${slow.action} s, one whose visitor leaves, and an upload of ${slow.upload} s each end once`, {
  timeout: 120_000,
}, async ({ start, expect }) => {
  const app = await start();
  const long = send(app, "takes", { ms: `${slow.action}000` });
  const leaving = new AbortController();
  const body = new URLSearchParams({ _form: "takes 8", ms: "3000" });
  const left = fetch(`${app.url}/_action/takes/_data`, { method: "POST", body, signal: leaving.signal });
  left.catch(() => undefined);
  const upload = uploadSlowly(app, slow.upload);
  await expect.poll(() => runsOf(app)).toEqual(["takes", "takes"]);
  leaving.abort();
  expect(await long).toMatchObject({ outcome: { kind: "done" } });
  expect(await upload).toMatchObject({ outcome: { kind: "done", result: { bytes: slow.upload * 25_000 } } });
  expect(runsOf(app).sort()).toEqual(["takes", "takes", "takes ended", "takes ended", "upload"]);
});

/** Sends 25,000 bytes each second, like a slow line. */
async function uploadSlowly(app: RunningApp, seconds: number): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const sending = request(`${app.url}/_action/upload/_data`, {
    method: "POST",
    headers: { "content-type": "multipart/form-data; boundary=x" },
  });
  sending.on("error", reject).on("response", (answer) => {
    let text = "";
    answer.setEncoding("utf8").on("data", (piece) => {
      text += piece;
    });
    answer.on("end", () => resolve(text));
  });
  const head = (disposition: string) => `--x\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`;
  sending.write(`${head('name="_form"')}upload 7\r\n${head('name="file"; filename="a.bin"')}`);
  for (let second = 0; second < seconds; second++) {
    sending.write(Buffer.alloc(25_000, "x"));
    await wait(1_000);
  }
  sending.end("\r\n--x--\r\n");
  const [, line = "{}"] = (await promise).split("\n");
  return JSON.parse(line);
}
