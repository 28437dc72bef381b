import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const nameOf = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
const workers = `
  import { openParentSignals } from ${nameOf("./parent-signals.ts")};
  import { mayHaveWorkers } from ${nameOf("./worker-mark.ts")};
  import { runWorkers } from ${nameOf("./workers.ts")};
`;

/** A worker that listens, and whose handler for signals comes when it gets a first request. */
const listens = `${workers}
  import { createServer } from "node:http";
  const dataFolder = import.meta.dirname;
  const onEnd = (pid) => console.log("ended " + pid);
  if (mayHaveWorkers()) process.exit(await runWorkers({ count: 1, warn: console.error, now: Date.now, dataFolder, onEnd }));
  const parent = openParentSignals();
  parent.beforeListening();
  const server = createServer((_request, response) => {
    response.end("answered");
    parent.onSignal((signal) => { console.log("handled " + signal); process.exit(0); });
  });
  server.listen(0, "127.0.0.1", () => console.log(process.pid + " listens at " + server.address().port));
`;

/** None of its workers can start. */
const cannotStart = `${workers}
  const dataFolder = import.meta.dirname;
  if (mayHaveWorkers()) process.exit(await runWorkers({ count: 4, warn: console.error, now: Date.now, dataFolder }));
  openParentSignals().cannotStart("The configuration is wrong.");
  process.exitCode = 1;
  process.disconnect();
`;

function run(program: string) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-workers-"));
  const file = join(folder, "program.mjs");
  writeFileSync(file, program);
  const child = spawn(process.execPath, ["--conditions=holdfast-source", file]);
  onTestFinished(() => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true });
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (log += text));
  return { child, log: () => log };
}

test("a signal waits for its handler once a worker listens, so that a connection on its way is answered", async () => {
  const { child, log } = run(listens);
  await expect.poll(log).toMatch(/listens at \d+/);
  child.kill("SIGTERM");
  const answer = await fetch(`http://127.0.0.1:${/listens at (\d+)/.exec(log())?.[1]}`);
  expect(await answer.text()).toBe("answered");
  await expect.poll(log).toContain("handled SIGTERM");
});

test("a parent is called with the id of each process that has ended, and replaces it", async () => {
  const { log } = run(listens);
  const pids = (): string[] => Array.from(log().matchAll(/(\d+) listens/g), ([, pid = ""]) => pid);
  await expect.poll(pids).toHaveLength(1);
  process.kill(Number(pids()[0]), "SIGKILL");
  await expect.poll(log).toContain(`ended ${pids()[0]}`);
  await expect.poll(pids).toHaveLength(2);
});

test("a process that cannot start is not replaced before another one has started", async () => {
  const { child, log } = run(`${cannotStart} console.log("ended by itself");`);
  expect(await once(child, "close")).toEqual([1, null]);
  expect(log().match(/ended by itself/g)?.length ?? 0).toBeLessThanOrEqual(4);
  expect(log()).not.toContain("giving up");
});

test("why none of several processes can start is printed once", async () => {
  const { child, log } = run(cannotStart);
  expect(await once(child, "close")).toEqual([1, null]);
  expect(log().match(/The configuration is wrong/g)).toHaveLength(1);
});
