import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";

const inHost = (file: string): string => JSON.stringify(new URL(`../${file}`, import.meta.url).href);

/** Says what it hears, sends its id on SIGUSR2, and ends by itself after SIGTERM. */
const program = `
  import cluster from "node:cluster";
  import { openFolderRelay } from ${inHost("live/folder-relay.ts")};
  import { openWorkerRelay } from ${inHost("live/worker-relay.ts")};
  import { openParentSignals } from ${inHost("process/parent-signals.ts")};
  import { mayHaveWorkers } from ${inHost("process/worker-mark.ts")};
  import { runWorkers } from ${inHost("process/workers.ts")};
  import { serviceFolderOf } from ${inHost("service/service-folder.ts")};
  const dataFolder = import.meta.dirname;
  const [, , kind, count] = process.argv;
  const warn = (sentence) => console.log("warned: " + sentence);
  if (kind === "foreign" && cluster.isPrimary) for (let made = 0; made < count; made++) cluster.fork();
  else if (kind === "workers" && mayHaveWorkers())
    process.exit(await runWorkers({ count: Number(count), warn, now: Date.now, dataFolder }));
  else {
    openParentSignals().started();
    const relay = openWorkerRelay() ?? openFolderRelay(serviceFolderOf(dataFolder), warn);
    relay.listen({
      message: (_channel, text) => console.log(process.pid + " heard " + text.trimEnd()),
      gap: () => console.log(process.pid + " missed some"),
    });
    const timer = setInterval(() => undefined, 1_000);
    process.on("SIGUSR2", async () => {
      const isSent = await relay.send("a", String(process.pid).padEnd(Number(process.env.CHARACTERS ?? 0)));
      console.log(process.pid + " sent: " + isSent);
    });
    if (kind === "alone") process.on("SIGTERM", () => {
      clearInterval(timer);
      relay.close();
    });
    console.log(process.pid + " listens");
  }
`;

/** Starts processes of one data folder. Each call returns the ids of those that listen. */
function inOneFolder() {
  const folder = mkdtempSync(path.join(tmpdir(), "relay-"));
  const file = path.join(folder, "program.mjs");
  writeFileSync(file, program);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  let log = "";
  const start = async (kind: string, count: number, env = {}): Promise<number[]> => {
    const child = spawn(process.execPath, ["--conditions=holdfast-source", file, kind, String(count)], {
      env: { ...process.env, ...env },
    });
    let own = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (text) => {
        own += text;
        log += text;
      });
    const pids = (): number[] => Array.from(own.matchAll(/(\d+) listens/g), ([, pid]) => Number(pid));
    onTestFinished(() => {
      for (const pid of [child.pid ?? 0, ...pids()])
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // It has ended.
        }
    });
    await expect.poll(() => pids().length || own, { timeout: 25_000 }).toBe(count);
    return pids();
  };
  return { start, log: () => log };
}

const counts = (log: string, sentence: string): number => log.split("\n").filter((line) => line === sentence).length;

test("workers of two starts, those of another cluster, and a process alone hear each other once", async () => {
  const { start, log } = inOneFolder();
  const groups = await Promise.all([start("workers", 2), start("workers", 2), start("foreign", 2), start("alone", 1)]);
  const all = groups.flat();
  expect(new Set(all).size).toBe(7);
  for (const from of all) process.kill(from, "SIGUSR2");
  for (const from of all) {
    const others = all.filter((pid) => pid !== from);
    await expect.poll(() => others.filter((pid) => counts(log(), `${pid} heard ${from}`) === 0)).toEqual([]);
  }
  expect(log().match(/ heard /g)).toHaveLength(7 * 6);
  expect(log().match(/ sent: true/g)).toHaveLength(7);
  expect(log()).not.toMatch(/warned|missed/);
  // A worker of one start is killed: the start of the other one still reaches all that are left.
  const [killed = 0, left = 0] = groups[0] ?? [];
  process.kill(killed, "SIGKILL");
  const [sender = 0] = groups[1] ?? [];
  process.kill(sender, "SIGUSR2");
  await expect.poll(() => counts(log(), `${left} heard ${sender}`)).toBe(2);
});

test("a stopped process keeps no other from publishing or ending, and reads what was sent when it goes on", async () => {
  const { start, log } = inOneFolder();
  // More than a socket takes.
  const [[stopped = 0], [sender = 0]] = await Promise.all([
    start("alone", 1),
    start("alone", 1, { CHARACTERS: "1000000" }),
  ]);
  const [ending = 0] = await start("alone", 1, { CHARACTERS: "1000000" });
  process.kill(stopped, "SIGSTOP");
  process.kill(sender, "SIGUSR2");
  process.kill(ending, "SIGUSR2");
  await expect.poll(log).toContain(`${sender} sent: true`);
  await expect.poll(log).toContain(`${ending} sent: true`);
  await expect.poll(log).toContain(`${sender} heard ${ending}`);
  process.kill(ending, "SIGTERM");
  await expect.poll(() => isAlive(ending)).toBe(false);
  process.kill(stopped, "SIGCONT");
  await expect.poll(log).toContain(`${stopped} heard ${sender}`);
  // The other one has ended, and its message with it.
  await expect.poll(log).toContain(`${stopped} missed some`);
  expect(log()).not.toContain(`${sender} missed some`);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
