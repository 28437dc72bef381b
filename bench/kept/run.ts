import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";

/**
 * Measures what `keeps` costs an action beyond the disk's own syncs. One visitor posts to an action without and to one
 * with `keeps`, in turn, and after each pair a file of the same size is synced as a copy is: the file, its folder.
 * Everything alternates in one run, so that other load on the machine affects all. The data folder is on the same disk.
 */
const rounds = Number(process.env.ROUNDS ?? 1_500);
const warmUp = 300;
/** About the size of an order's copy. */
const copyBytes = 600;

const repository = path.resolve(import.meta.dirname, "../..");
const command = path.join(repository, "bin/holdfast.js");
const app = path.join(import.meta.dirname, "app");
// HOLDFAST_BENCH_DISK: a folder on the disk in question. The system's folder for temporary files may be in memory.
const folder = mkdtempSync(path.join(process.env.HOLDFAST_BENCH_DISK ?? tmpdir(), "holdfast-bench-kept-"));

const built = spawnSync(process.execPath, [command, "build", app], { encoding: "utf8" });
if (built.status !== 0) throw new Error(built.stdout + built.stderr);
const server = spawn(process.execPath, [command, "start", app, "--port", "0", "--host", "127.0.0.1"], {
  env: { ...process.env, NODE_ENV: "production", HOLDFAST_DATA: folder },
});
try {
  const url = await addressOf();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const directory = await open(folder, "r");
  const measured = new Map<string, number[]>();
  const note = async (name: string, round: number, work: () => Promise<number | undefined>): Promise<void> => {
    const began = performance.now();
    const ms = (await work()) ?? performance.now() - began;
    if (round >= 0) measured.set(name, [...(measured.get(name) ?? []), ms]);
  };
  for (let round = -warmUp; round < rounds; round++) {
    // A sync also writes what others have left: each of the two comes after an action that has written the same.
    await note("an action without `keeps`", round, () => post(url, agent, "plain"));
    await note("the same with `keeps`", round, () => post(url, agent, "keeping"));
    await note("an action without `keeps`", round, () => post(url, agent, "plain"));
    await note("the two syncs alone", round, () => syncs(directory));
  }
  await directory.close();
  agent.destroy();
  const p50 = (name: string): number => percentile(measured.get(name) ?? [], 0.5);
  for (const [name, all] of measured)
    console.log(`${name}: p50 ${p50(name).toFixed(2)} ms, p90 ${percentile(all, 0.9).toFixed(2)} ms`);
  const cost = p50("the same with `keeps`") - p50("an action without `keeps`");
  const beyond = cost - p50("the two syncs alone");
  console.log(`\`keeps\` costs ${cost.toFixed(2)} ms p50, of which ${beyond.toFixed(2)} ms beyond the two syncs`);
} finally {
  server.kill("SIGTERM");
  await once(server, "exit");
  rmSync(folder, { recursive: true, force: true });
}

async function addressOf(): Promise<string> {
  let log = "";
  for await (const text of server.stdout.setEncoding("utf8")) {
    log += text;
    const [, found] = /Pages\s+(http\S+)\//.exec(log) ?? [];
    if (found === undefined) continue;
    server.stdout.resume();
    return found;
  }
  throw new Error(`The server did not start:\n${log}`);
}

async function post(url: string, agent: Agent, action: string): Promise<undefined> {
  const fields = {
    _form: `${action} 1`,
    _key: randomUUID(),
    name: "Ada Lovelace",
    item: "a lamp",
    note: "by the door",
  };
  const body = new URLSearchParams(fields).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded", "content-length": body.length };
  const sending = request(`${url}/_action/${action}/_data`, { method: "POST", headers, agent }).end(body);
  const [response] = await once(sending, "response");
  let text = "";
  for await (const piece of response) text += piece;
  if (!text.includes('"done"')) throw new Error(`The action ${action} was answered with ${text}`);
}

/** Milliseconds of the syncs alone, without creating, writing, naming and removing the file. */
async function syncs(directory: Awaited<ReturnType<typeof open>>): Promise<number> {
  const [arriving, file] = [path.join(folder, "arriving"), path.join(folder, "copy")];
  const handle = await open(arriving, "wx", 0o600);
  await handle.writeFile(Buffer.alloc(copyBytes, "x"));
  const before = performance.now();
  await handle.sync();
  const ofFile = performance.now() - before;
  await rename(arriving, file);
  const between = performance.now();
  await directory.sync();
  const ofFolder = performance.now() - between;
  await handle.close();
  await rm(file);
  return ofFile + ofFolder;
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
}
