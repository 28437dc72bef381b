import { rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Plugin } from "vite";
import { bundleStart } from "../../scripts/bundle-start.js";
import type { Contender } from "../pages/contenders.ts";
import { type Prepared, repository } from "../pages/prepare.ts";
import { ServerProcess } from "../pages/server-process.ts";

/** The cost of one start until its first response of status 200. */
interface Start {
  processorMs: number;
  megabytes: number;
}

/** The package's own bundle, and the same without reporting. */
const ways = ["start", "start-in-silence"] as const;
type Way = (typeof ways)[number];

/** Time for a start to write its compile cache for the next one. */
const compiledAfterMs = 2_500;

/**
 * Measures what reporting adds to the start of an application: the same application is started with and without it in
 * turn, and the medians are compared. Both report to another service, so that no embedded one is started.
 */
export async function measureStartCost(built: Prepared, place: string, rounds: number): Promise<string> {
  const dist = path.join(repository, "dist");
  await bundleStart(dist, "start-in-silence", [withoutReporting]);
  try {
    for (const way of ways) await startOnce(built, way, place, compiledAfterMs);
    const starts: Record<Way, Start[]> = { start: [], "start-in-silence": [] };
    for (let round = 1; round <= rounds; round++) {
      console.error(`start ${round} of ${rounds}`);
      for (const way of ways) starts[way].push(await startOnce(built, way, place, 0));
    }
    return tableOf(starts);
  } finally {
    await rm(path.join(dist, "start-in-silence"), { recursive: true, force: true });
  }
}

const withoutReporting: Plugin = {
  name: "without-reporting",
  enforce: "pre",
  resolveId: (source) =>
    source.endsWith("/open-server-reporting.ts") ? path.join(import.meta.dirname, "silent-reporting.ts") : null,
};

async function startOnce(built: Prepared, way: Way, place: string, lingerMs: number): Promise<Start> {
  const bundle = path.join(repository, "dist", way, "index.js");
  const launcher = path.join(import.meta.dirname, "start-bundle.ts");
  const contender: Contender = {
    ...built.contender,
    title: way,
    start: ["node", launcher, bundle, path.join(place, "compiled"), built.folder],
  };
  const server = await ServerProcess.start({ ...built, contender });
  const figures = { processorMs: server.processorMs(), megabytes: server.residentMegabytes("VmRSS") };
  await wait(lingerMs);
  await server.stop();
  return figures;
}

function tableOf(starts: Record<Way, readonly Start[]>): string {
  const row = (title: string, one: Start): string =>
    `| ${title} | ${one.processorMs.toFixed(1)} | ${one.megabytes.toFixed(1)} |`;
  const [withIt, without] = ways.map((way) => middleOf(starts[way]));
  if (!withIt || !without) throw new Error("Nothing was started.");
  return [
    "| start until the first answer | processor ms | memory MB |",
    "|---|---:|---:|",
    row("with reporting", withIt),
    row("without", without),
    row("reporting alone", {
      processorMs: withIt.processorMs - without.processorMs,
      megabytes: withIt.megabytes - without.megabytes,
    }),
  ].join("\n");
}

function middleOf(starts: readonly Start[]): Start {
  const middle = (values: readonly number[]): number =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
  return {
    processorMs: middle(starts.map((one) => one.processorMs)),
    megabytes: middle(starts.map((one) => one.megabytes)),
  };
}
