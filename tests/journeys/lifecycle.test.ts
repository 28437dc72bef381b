import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../scripts/root.js";
import { openTestApp } from "../../src/cli/testing.ts";
import { freePort } from "../kit/free-ports.ts";
import { application, buildApp, keptDigests, writeFiles } from "../kit/index.ts";

/** Each line of the file that `EVENTS` names is one event; appended in one write, so that processes can share it. */
const files = {
  "src/events.ts":
    'import { appendFileSync } from "node:fs";\nexport const note = (event: string) => appendFileSync(process.env.EVENTS ?? "", event + "\\n");\n',
  // Opens a server, which keeps the process alive until it is closed, and of which there can be one only.
  "src/lifecycle.server.ts": `import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { LifecycleHook } from "holdfast/server";
import { note } from "./events.ts";

const opened = createServer();

export const onStart: LifecycleHook = async () => {
  note("start begins");
  if (process.env.START === "throws") throw new Error("no database");
  if (process.env.START === "hangs") await wait(600_000);
  await new Promise<void>((resolve, reject) => {
    opened.once("error", reject).listen(Number(process.env.OPENED ?? 0), "127.0.0.1", resolve);
  });
  note("start ends");
};

export const onStop: LifecycleHook = async () => {
  note("stop begins");
  await new Promise((resolve) => opened.close(resolve));
  if (process.env.STOP === "throws") throw new Error("half written");
  note("stop ends");
};
`,
  "src/pages/index.tsx": "export default ({ data }: { data: number }) => <h1>{data}</h1>;\n",
  "src/pages/index.server.ts": `import { load } from "holdfast/server";

export const data = load(() => process.pid);
`,
  "src/pages/slow.tsx": "export default () => <h1>Slow</h1>;\n",
  "src/pages/slow.server.ts": `import { existsSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { after, load } from "holdfast/server";
import { note } from "../events.ts";

export const data = load(async () => {
  after(async () => {
    note("after begins");
    await wait(300);
    note("after ends");
  });
  note("request begins");
  while (!existsSync(process.env.EVENTS + ".go")) await wait(20);
  note("request ends");
});
`,
  // No service listens there: events wait on disk, where `keptDigests` finds them.
  "holdfast.config.ts":
    'export default { limits: { startSeconds: Number(process.env.START_SECONDS ?? 60) }, report: { dsn: "http://key@127.0.0.1:1/1" } };\n',
};

interface StartOptions {
  command?: "start" | "dev";
  folder?: string;
  args?: readonly string[];
  env?: Record<string, string>;
}

/** Runs the application in a process of its own. */
async function started({ command = "start", folder = application(files), args = [], env = {} }: StartOptions = {}) {
  if (command === "start") await buildApp(folder);
  const dataFolder = mkdtempSync(join(tmpdir(), "holdfast-lifecycle-"));
  const file = join(dataFolder, "events");
  const words = [join(root, "bin/holdfast.js"), command, join(root, folder), "--port", "0", "--host", "127.0.0.1"];
  const child = spawn(process.execPath, [...words, ...args], {
    cwd: root,
    env: {
      ...process.env,
      NODE_ENV: "",
      HOLDFAST_DATA: dataFolder,
      HOLDFAST_DRAIN_SECONDS: "0",
      EVENTS: file,
      ...env,
    },
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      log += chunk;
    });
  const ended = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string);
  onTestFinished(() => {
    child.kill("SIGKILL");
    rmSync(dataFolder, { recursive: true, force: true });
  });
  const urlOf = (): string | undefined => /Pages\s+(http\S+)\//.exec(log)?.[1];
  return {
    child,
    dataFolder,
    log: () => log,
    ended,
    events: () => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []),
    go: () => writeFiles(dataFolder, { "events.go": "" }),
    url: async (): Promise<string> => {
      await expect.poll(urlOf, { timeout: 30_000 }).toBeTruthy();
      return urlOf() ?? "";
    },
  };
}

test("after SIGTERM the open request ends, then its work after the response, then onStop runs to its end, then the process exits with 0", async () => {
  const app = await started();
  const url = await app.url();
  const slow = fetch(`${url}/slow`);
  await expect.poll(app.events).toContain("request begins");
  app.child.kill("SIGTERM");
  await expect.poll(() => fetch(url).catch(() => "refused")).toBe("refused");
  app.go();
  expect((await slow).status).toBe(200);
  expect(await app.ended).toBe(0);
  const request = ["request begins", "request ends", "after begins", "after ends"];
  expect(app.events()).toEqual(["start begins", "start ends", ...request, "stop begins", "stop ends"]);
});

/** The workers take turns in connections. */
async function onNewConnection(url: string): Promise<string> {
  const [response] = (await once(get(url, { agent: false }), "response")) as [IncomingMessage];
  return text(response);
}

test("each worker starts and stops", async () => {
  const app = await started({ args: ["--workers", "2"] });
  const url = await app.url();
  expect(app.events()).toContain("start ends");
  // A worker that does not listen yet would end at once.
  const processes = new Set<string | undefined>();
  const seen = async () => processes.add(/<h1>(\d+)/.exec(await onNewConnection(url))?.[1]).size;
  await expect.poll(seen).toBe(2);
  app.child.kill("SIGTERM");
  expect(await app.ended).toBe(0);
  for (const event of ["start ends", "stop ends"]) expect(app.events().filter((one) => one === event)).toHaveLength(2);
});

test.for([
  ["throws", { START: "throws" }, "failed: no database. Correct it, or what it needs, and start again. [start-failed]"],
  ["does not end", { START: "hangs", START_SECONDS: "0.5" }, "did not end within 0.5 s."],
] as const)("a process whose onStart %s ends with 1 and says why; the error is on disk", async ([, env, why]) => {
  const app = await started({ env });
  expect(await app.ended).toBe(1);
  expect(app.log()).toContain(`onStart of src/lifecycle.server.ts ${why}`);
  expect(app.log()).not.toContain("Pages ");
  expect(app.events()).toEqual(["start begins"]);
  expect(keptDigests(app.dataFolder)).toHaveLength(1);
});

test("workers whose onStart throws are not replaced, and the command ends with 1", async () => {
  const app = await started({ env: { START: "throws" }, args: ["--workers", "2"] });
  expect(await app.ended).toBe(1);
  expect(app.log()).not.toContain("giving up");
  expect(app.log().match(/\[start-failed\]/g)).toHaveLength(1);
  expect(app.events().length).toBeLessThanOrEqual(2);
});

test("an onStop that throws is on disk as an event, with its digest in the log", async () => {
  const app = await started({ env: { STOP: "throws" } });
  await app.url();
  app.child.kill("SIGTERM");
  expect(await app.ended).toBe(0);
  const [digest = "none"] = keptDigests(app.dataFolder);
  expect(app.log()).toContain(`onStop of src/lifecycle.server.ts failed (${digest}): Error: half written`);
});

test("in development a change of server code stops the old code, then starts the new one", async () => {
  const folder = "tests/.tmp/lifecycle-dev";
  rmSync(join(root, folder), { recursive: true, force: true });
  writeFiles(join(root, folder), files);
  const app = await started({ command: "dev", folder, env: { OPENED: String(await freePort()) } });
  const url = await app.url();
  expect(app.events()).toEqual(["start begins", "start ends"]);
  expect((await fetch(url)).status).toBe(200);
  const changed = files["src/lifecycle.server.ts"].replace("stop begins", "changed stop begins");
  writeFiles(join(root, folder), { "src/lifecycle.server.ts": changed });
  const starts = async () => {
    await fetch(url);
    return app.events().filter((event) => event === "start ends").length;
  };
  await expect.poll(starts).toBeGreaterThan(1);
  // The port of the old code is free again: with two owners, the start would have failed.
  expect((await fetch(url)).status).toBe(200);
  app.child.kill("SIGTERM");
  expect(await app.ended).toBe(0);
  const events = app.events();
  expect(events.slice(-2)).toEqual(["changed stop begins", "stop ends"]);
  // A watcher may see one write as two changes.
  const one = ["start begins", "start ends", "stop begins", "stop ends"];
  const renewed = Array.from({ length: events.length / 4 }, () => one).flat();
  expect(events.map((event) => event.replace("changed ", ""))).toEqual(renewed);
});

test("in development a failed onStart is shown on every page, and the next request tries again", async () => {
  const folder = "tests/.tmp/lifecycle-retry";
  rmSync(join(root, folder), { recursive: true, force: true });
  const database = '\nimport { existsSync } from "node:fs";\n';
  const onStart =
    'export const onStart = () => {\n  if (!existsSync(process.env.EVENTS + ".go")) throw new Error("no database");\n};\n';
  writeFiles(join(root, folder), { ...files, "src/lifecycle.server.ts": database + onStart });
  const app = await started({ command: "dev", folder });
  const url = await app.url();
  expect(app.log()).toContain("Error in onStart of src/lifecycle.server.ts, on the server");
  const failed = await fetch(url);
  expect([failed.status, (await failed.text()).includes("no database")]).toEqual([500, true]);
  app.go();
  expect((await fetch(url)).status).toBe(200);
});

test("a test of an application starts and stops it", async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), "holdfast-lifecycle-"));
  process.env.EVENTS = join(dataFolder, "events");
  onTestFinished(() => {
    delete process.env.EVENTS;
    rmSync(dataFolder, { recursive: true, force: true });
  });
  const app = await openTestApp({ root: join(root, application(files)) });
  expect((await app.request("/")).status).toBe(200);
  await app.close();
  const events = readFileSync(join(dataFolder, "events"), "utf8").trim().split("\n");
  expect(events).toEqual(["start begins", "start ends", "stop begins", "stop ends"]);
});
