import { fork } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { type Measured, measureLoad } from "../pages/measure-load.ts";
import { type Prepared, prepare } from "../pages/prepare.ts";
import { ServerProcess } from "../pages/server-process.ts";
import { groups, type Manner, sinkPort } from "./contenders.ts";
import { measureStartCost } from "./start-cost.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    rounds: { type: "string", default: "5" },
    warmup: { type: "string", default: "4" },
    seconds: { type: "string", default: "3" },
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
for (let round = 1; round <= Number(values.rounds); round++) {
  for (const [index, manner] of chosen.flat().entries()) {
    console.error(`round ${round} of ${values.rounds}: ${manner.title}`);
    const port = 4900 + Math.floor(Math.random() * 90);
    // Pages are answered by one thread, what they report is filed by another: where there is a second core, it is there for that.
    const server = await ServerProcess.start(await ready(manner, index), port, "any");
    try {
      const figures = await measureLoad(server, {
        path: "/items",
        headers: {},
        warmUpSeconds: Number(values.warmup),
        seconds: Number(values.seconds),
      });
      measured.get(manner)?.push(figures);
    } finally {
      await server.stop();
    }
  }
}
if (Number(values.rounds) > 0) console.log(writeTable());
const holdfast = prepared.get("holdfast");
if (holdfast) console.log(`\n${await startCost(holdfast)}`);
sink.disconnect();

async function startCost(built: Prepared): Promise<string> {
  const config = `export default { report: { dsn: "http://${"c".repeat(32)}@127.0.0.1:${sinkPort}/1" } };`;
  const ready = await readyWith(built, config, "start");
  return measureStartCost(ready, place, Number(values.starts));
}

/** The built application with the environment of this manner; Holdfast's with a setting of its own, and a data folder that nobody has used. */
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
    const without = perSecondOf(first);
    return manners.map((manner) => {
      const rounds = measured.get(manner) ?? [];
      const micros = middle(rounds.map((one) => one.micros));
      const p99 = middle(rounds.map((one) => one.p99));
      const perSecond = perSecondOf(manner);
      return `| ${manner.title} | ${micros.toFixed(0)} | ${perSecond.toFixed(0)} | ${(perSecond / without).toFixed(2)} | ${p99.toFixed(1)} |`;
    });
  });
  return ["| `/items` | processor µs | requests/s | × without | p99 ms |", "|---|---:|---:|---:|---:|", ...rows].join(
    "\n",
  );
}

function perSecondOf(manner: Manner | undefined): number {
  return middle((manner && measured.get(manner))?.map((one) => one.perSecond) ?? []);
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
