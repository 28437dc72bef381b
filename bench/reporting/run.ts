import { fork } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { applyLoad } from "../pages/load.ts";
import type { Measured } from "../pages/measure-load.ts";
import { type Prepared, prepare } from "../pages/prepare.ts";
import { ServerProcess } from "../pages/server-process.ts";
import { groups, type Manner, sinkPort } from "./contenders.ts";
import { measureStartCost } from "./start-cost.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    rounds: { type: "string", default: "21" },
    warmup: { type: "string", default: "15" },
    seconds: { type: "string", default: "5" },
    starts: { type: "string", default: "15" },
  },
});

const place = path.join(tmpdir(), "holdfast-bench-reporting");
const chosen = Object.entries(groups).flatMap(([name, manners]) =>
  !values.only || values.only.split(",").includes(name) ? [manners] : [],
);
const prepared = new Map<string, Prepared>();
for (const { contender } of chosen.flat()) {
  if (prepared.has(contender.name)) continue;
  prepared.set(contender.name, await prepare(contender, (what) => console.error(`${contender.title}: ${what}`)));
}

const sink = fork(new URL("./sink.ts", import.meta.url), [String(sinkPort)]);
await once(sink, "message");
const measured = new Map<Manner, Measured[]>(chosen.flat().map((manner) => [manner, []]));
if (Number(values.rounds) > 0) for (const manners of chosen) await compare(manners);
if (Number(values.rounds) > 0) console.log(writeTable());
const holdfast = prepared.get("holdfast");
if (holdfast) console.log(`\n${await startCost(holdfast)}`);
sink.disconnect();

/**
 * All servers of a group run side by side and are loaded in turn for a few seconds each: the speed of a shared machine
 * changes from minute to minute, and then changes for all of them. The next server waits until the previous one has
 * filed everything, which counts as its processor time.
 */
async function compare(manners: readonly Manner[]): Promise<void> {
  const servers: { manner: Manner; server: ServerProcess }[] = [];
  try {
    for (const [index, manner] of manners.entries()) {
      // One thread renders pages, another files their reports: the server may use a second core for that.
      const server = await ServerProcess.start(await ready(manner, index), "any");
      servers.push({ manner, server });
      console.error(`warming up: ${manner.title}`);
      await askFor(server, Number(values.warmup));
    }
    for (let round = 1; round <= Number(values.rounds); round++) {
      console.error(`round ${round} of ${values.rounds}`);
      for (const { manner, server } of servers)
        measured.get(manner)?.push(await askFor(server, Number(values.seconds)));
    }
  } finally {
    for (const { server } of servers) await server.stop();
  }
}

async function askFor(server: ServerProcess, seconds: number): Promise<Measured> {
  const before = server.processorMicros();
  const result = await applyLoad({ port: server.port, path: "/items", headers: {}, connections: 32, seconds });
  if (result.wrong > 0) throw new Error(`${result.wrong} of ${result.requests} answers were not 200.`);
  await server.atRest();
  const { requests, p50, p99 } = result;
  const micros = (server.processorMicros() - before) / requests;
  return { micros, perSecond: requests / result.seconds, p50, p99 };
}

async function startCost(built: Prepared): Promise<string> {
  const config = `export default { report: { dsn: "http://${"c".repeat(32)}@127.0.0.1:${sinkPort}/1" } };`;
  const ready = await readyWith(built, config, "start");
  return measureStartCost(ready, place, Number(values.starts));
}

/**
 * The built application with the environment of this configuration; for Holdfast with its own config file and an unused
 * data folder.
 */
async function ready({ contender, env, config }: Manner, index: number): Promise<Prepared> {
  const built = prepared.get(contender.name);
  if (!built) throw new Error(`${contender.title} has not been prepared.`);
  const started = { ...built, contender: { ...contender, env: { ...contender.env, ...env } } };
  return config === undefined ? started : readyWith(started, config, String(index));
}

async function readyWith(built: Prepared, config: string, name: string): Promise<Prepared> {
  const folder = path.join(place, name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await cp(path.join(built.folder, "dist"), path.join(folder, "dist"), { recursive: true });
  await writeFile(path.join(folder, "holdfast.config.mjs"), config);
  return { ...built, folder };
}

function writeTable(): string {
  const rows = chosen.flatMap((manners) => {
    const [first] = manners;
    const without = first === undefined ? [] : (measured.get(first) ?? []);
    return manners.map((manner) => {
      const rounds = measured.get(manner) ?? [];
      const micros = middle(rounds.map((one) => one.micros));
      const p99 = middle(rounds.map((one) => one.p99));
      const perSecond = middle(rounds.map((one) => one.perSecond));
      // Compares within a round, so that both were measured in the same minute.
      const ratios = rounds.map((one, round) => one.perSecond / (without[round]?.perSecond ?? Number.NaN));
      const [low, ratio, high] = [0.25, 0.5, 0.75].map((share) => at(ratios, share).toFixed(2));
      return `| ${manner.title} | ${micros.toFixed(0)} | ${perSecond.toFixed(0)} | ${ratio} (${low} to ${high}) | ${p99.toFixed(1)} |`;
    });
  });
  return [
    "| `/items` | processor µs | requests/s | × without (half of the rounds) | p99 ms |",
    "|---|---:|---:|---:|---:|",
    ...rows,
  ].join("\n");
}

function middle(values: readonly number[]): number {
  return at(values, 0.5);
}

function at(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}
