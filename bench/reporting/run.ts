import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { contenders } from "../pages/contenders.ts";
import { type Measured, measureLoad } from "../pages/measure-load.ts";
import { type Prepared, prepare } from "../pages/prepare.ts";
import { ServerProcess } from "../pages/server-process.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    warmup: { type: "string", default: "4" },
    seconds: { type: "string", default: "3" },
  },
});

const manners = [
  { title: "no request traced", config: "export default { report: { sampleRate: 0 } };" },
  { title: "default", config: "export default {};" },
  { title: "every request traced", config: "export default { report: { sampleRate: 1 } };" },
] as const;

const holdfast = contenders.find(({ name }) => name === "holdfast");
if (!holdfast) throw new Error("Holdfast is not among the contenders.");
const prepared = await prepare(holdfast, (what) => console.error(what));
const place = path.join(tmpdir(), "holdfast-bench-reporting");
const measured = new Map<string, Measured[]>(manners.map(({ title }) => [title, []]));
for (let round = 1; round <= Number(values.rounds); round++) {
  for (const [index, { title, config }] of manners.entries()) {
    console.error(`round ${round} of ${values.rounds}: ${title}`);
    const server = await ServerProcess.start(await withConfig(index, config), 4900 + Math.floor(Math.random() * 90));
    try {
      const figures = await measureLoad(server, {
        path: "/items",
        headers: {},
        warmUpSeconds: Number(values.warmup),
        seconds: Number(values.seconds),
      });
      measured.get(title)?.push(figures);
    } finally {
      await server.stop();
    }
  }
}
console.log(writeTable());

/** The built application with a setting of its own, and a data folder that nobody has used. */
async function withConfig(index: number, config: string): Promise<Prepared> {
  const folder = path.join(place, String(index));
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await cp(path.join(prepared.folder, "dist"), path.join(folder, "dist"), { recursive: true });
  await writeFile(path.join(folder, "holdfast.config.mjs"), config);
  return { ...prepared, folder };
}

function writeTable(): string {
  const without = measured.get(manners[0].title) ?? [];
  const rows = [...measured].map(([title, rounds]) => {
    const micros = middle(rounds.map((one) => one.micros));
    const perSecond = middle(rounds.map((one) => one.perSecond));
    const share = perSecond / middle(without.map((one) => one.perSecond));
    return `| ${title} | ${micros.toFixed(0)} | ${perSecond.toFixed(0)} | ${share.toFixed(2)} | ${middle(rounds.map((one) => one.p99)).toFixed(1)} |`;
  });
  return ["| `/items` | processor µs | requests/s | × without | p99 ms |", "|---|---:|---:|---:|---:|", ...rows].join(
    "\n",
  );
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
