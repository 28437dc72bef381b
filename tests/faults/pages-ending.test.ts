import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../scripts/root.js";
import { buildApp, keptDigests } from "../kit/index.ts";

const folder = "tests/fixtures/pages";

interface Started {
  child: ChildProcess;
  url: string;
  port: number;
  dataFolder: string;
  log: () => string;
  /** The exit code, or the signal. */
  ended: Promise<number | string | null>;
}

interface StartOptions {
  env?: Record<string, string>;
  /** Limits its file descriptors. */
  ulimit?: number;
  args?: readonly string[];
}

/** Starts a process whose end the test observes. */
async function start({ env = {}, ulimit, args = [] }: StartOptions = {}): Promise<Started> {
  await buildApp(folder);
  const dataFolder = mkdtempSync(join(tmpdir(), "holdfast-ending-"));
  const command = [
    process.execPath,
    join(root, "bin/holdfast.js"),
    "start",
    resolve(root, folder),
    "--port",
    "0",
    "--host",
    "127.0.0.1",
    ...args,
  ];
  const shell = ["-c", `${ulimit ? `ulimit -n ${ulimit} && ` : ""}exec "$@"`, "sh", ...command];
  const child = spawn("sh", shell, {
    env: { ...process.env, NODE_ENV: "production", HOLDFAST_DATA: dataFolder, HOLDFAST_DRAIN_SECONDS: "0", ...env },
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      log += text;
    });
  const ended = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string | null);
  onTestFinished(() => {
    child.kill("SIGKILL");
    rmSync(dataFolder, { recursive: true, force: true });
  });
  await expect.poll(() => /Pages\s+(http\S+)\//.exec(log)?.[1], { timeout: 30_000 }).toBeTruthy();
  const url = /Pages\s+(http\S+)\//.exec(log)?.[1] ?? "";
  return { child, url, port: Number(new URL(url).port), dataFolder, log: () => log, ended };
}

const status = (url: string, init?: RequestInit) =>
  fetch(url, init).then(
    (answer) => answer.status,
    (error: unknown) => `failed: ${error}`,
  );

/** Resolves when this many slow pages are loading. */
const slowLoads = (url: string, count: number) =>
  expect.poll(async () => (await fetch(`${url}/api/slow-loads`)).text()).toBe(String(count));

/** On a separate connection each time, so that workers take turns. */
const readiness = (url: string) =>
  Promise.all(Array.from({ length: 8 }, () => status(`${url}/readyz`, { headers: { connection: "close" } })));

test("a server that ends during 20 slow requests finishes all of them, accepts no more, and exits with 0", {
  timeout: 60_000,
}, async () => {
  const app = await start();
  const slow = Array.from({ length: 20 }, (_, at) => fetch(`${app.url}/slow${at % 2 ? "/_data" : ""}?ms=3000`));
  await slowLoads(app.url, 20);
  const ready = await fetch(`${app.url}/readyz`);
  expect(ready.status).toBe(200);
  app.child.kill("SIGTERM");
  const answers = await Promise.all(slow.map(async (one) => [(await one).status, await (await one).text()] as const));
  const lastAt = performance.now();
  expect(await app.ended).toBe(0);
  const endedAfter = performance.now() - lastAt;
  for (const [code, text] of answers) {
    expect(code).toBe(200);
    expect(text).toMatch(/3000/);
  }
  // Undeliverable reports may take a second of it. The rest is the delay of a loaded machine.
  expect(endedAfter).toBeLessThan(5_000);
  expect(await status(app.url)).toContain("failed");
});

test.for([
  ["one process", []],
  ["two workers", ["--workers", "2"]],
] as const)(
  "after SIGTERM %s says that it is not ready and goes on answering, until a second signal ends it",
  {
    timeout: 60_000,
  },
  async ([, args]) => {
    // Longer than any test, so that nothing depends on time.
    const app = await start({ env: { HOLDFAST_DRAIN_SECONDS: "300" }, args });
    expect(await status(`${app.url}/readyz`)).toBe(200);
    app.child.kill("SIGTERM");
    await expect.poll(() => readiness(app.url)).toEqual(Array(8).fill(503));
    const page = await fetch(`${app.url}/`);
    expect([page.status, page.headers.get("connection")]).toEqual([200, "close"]);
    expect(await status(`${app.url}/healthz`)).toBe(200);
    app.child.kill("SIGTERM");
    expect(await app.ended).toBe(1);
  },
);

test("after the drain time for proxies the server closes its port and exits with 0; SIGINT does not wait for them", {
  timeout: 60_000,
}, async () => {
  const [asked, interrupted] = await Promise.all([
    start({ env: { HOLDFAST_DRAIN_SECONDS: "0.5" } }),
    start({ env: { HOLDFAST_DRAIN_SECONDS: "300" } }),
  ]);
  asked.child.kill("SIGTERM");
  interrupted.child.kill("SIGINT");
  expect(await Promise.all([asked.ended, interrupted.ended])).toEqual([0, 0]);
});

test("workers that get a signal of systemd or a terminal together with their parent handle it once", {
  timeout: 60_000,
}, async () => {
  const app = await start({ env: { HOLDFAST_DRAIN_SECONDS: "4" }, args: ["--workers", "2"] });
  const workers = new Set<number>();
  await expect
    .poll(async () => {
      const answer = await fetch(`${app.url}/api/trouble`, { headers: { connection: "close" } });
      return workers.add(Number(await answer.text())).size;
    })
    .toBe(2);
  for (const worker of workers) process.kill(worker, "SIGTERM");
  await expect.poll(() => readiness(app.url)).toEqual(Array(8).fill(503));
  app.child.kill("SIGTERM");
  expect(await app.ended).toBe(0);
  expect(app.log()).not.toContain("A server process ended");
});

test.for([
  ["SIGTERM", "SIGTERM"],
  ["SIGTERM", "SIGINT"],
  ["SIGINT", "SIGTERM"],
] as const)("a second signal ends it at once: %s, then %s", { timeout: 60_000 }, async ([first, second]) => {
  const app = await start();
  const slow = status(`${app.url}/slow?ms=9000`);
  await slowLoads(app.url, 1);
  app.child.kill(first);
  await expect.poll(() => status(`${app.url}/readyz`)).not.toBe(200);
  expect(app.child.exitCode).toBe(null);
  app.child.kill(second);
  expect(await app.ended).toBe(1);
  expect(await slow).toContain("failed");
});

test("an uncaught exception is on disk, current requests are finished, and the process exits with 1", {
  timeout: 60_000,
}, async () => {
  const app = await start();
  const slow = fetch(`${app.url}/slow?ms=1000`);
  await slowLoads(app.url, 1);
  expect(await status(`${app.url}/api/trouble?kind=throw`, { method: "POST" })).toBe(200);
  const answer = await slow;
  expect([answer.status, (await answer.text()).includes("After 1000 ms")]).toEqual([200, true]);
  expect(await app.ended).toBe(1);
  expect(keptDigests(app.dataFolder)).toHaveLength(1);
  expect(app.log()).toContain("Uncaught exception ends this process");
});

test("an unhandled rejection is on disk, and the process continues", { timeout: 60_000 }, async () => {
  const app = await start();
  expect(await status(`${app.url}/api/trouble?kind=reject`, { method: "POST" })).toBe(200);
  await expect.poll(() => keptDigests(app.dataFolder).length, { timeout: 10_000 }).toBe(1);
  expect(await status(`${app.url}/`)).toBe(200);
  app.child.kill("SIGTERM");
  expect(await app.ended).toBe(0);
});

test("a server short of memory refuses new work by 503 and stays alive; with memory again it continues", {
  timeout: 60_000,
}, async () => {
  const app = await start({ env: { HOLDFAST_MEMORY_MIB: "330", NODE_OPTIONS: "--expose-gc" } });
  expect(await status(`${app.url}/`)).toBe(200);
  expect(await status(`${app.url}/api/trouble?kind=take`, { method: "POST" })).toBe(200);
  await expect.poll(() => status(`${app.url}/`), { timeout: 10_000 }).toBe(503);
  const refused = await fetch(`${app.url}/`);
  expect([refused.headers.get("retry-after"), refused.headers.get("cache-control")]).toEqual([
    "2",
    "private, no-store",
  ]);
  expect(await status(`${app.url}/healthz`)).toBe(200);
  expect(await status(`${app.url}/readyz`)).toBe(503);
  await expect.poll(() => status(`${app.url}/`), { timeout: 20_000 }).toBe(200);
  app.child.kill("SIGTERM");
  expect(await app.ended).toBe(0);
});

test("a server out of file descriptors waits and does not end; with some again it responds", {
  timeout: 60_000,
}, async () => {
  const app = await start({ ulimit: 80 });
  const sockets: Socket[] = [];
  for (let count = 0; count < 120; count++) {
    const socket = connect(app.port, "127.0.0.1");
    socket.on("error", () => socket.destroy());
    sockets.push(socket);
  }
  // Connections that it cannot accept wait in the system's backlog.
  await expect.poll(() => readdirSync(`/proc/${app.child.pid}/fd`).length).toBeGreaterThan(75);
  expect(app.child.exitCode).toBe(null);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => status(`${app.url}/`), { timeout: 20_000 }).toBe(200);
  app.child.kill("SIGTERM");
  expect(await app.ended).toBe(0);
});

test("a server whose log has no reader any more continues", async () => {
  const { child, url, ended } = await start();
  child.stdout?.destroy();
  child.stderr?.destroy();
  // The access log is written every 200 ms: three rounds of it meet the closed pipe.
  for (let round = 0; round < 3; round++) {
    expect(await status(`${url}/`)).toBe(200);
    await wait(250);
  }
  expect(await status(`${url}/`)).toBe(200);
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
});
