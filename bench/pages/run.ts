import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { type Contender, contenders } from "./contenders.ts";
import {
  measureClick,
  measureFirstLoad,
  measureHeap,
  measureHydration,
  openChromium,
  type PageDataRequest,
  type Slowdown,
  watchPageData,
} from "./in-browser.ts";
import { type Measured, measureLoad } from "./measure-load.ts";
import { type Prepared, prepare, repository } from "./prepare.ts";
import { ServerProcess } from "./server-process.ts";
import { type Figures, type VisitTimes, writeTables } from "./tables.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    rounds: { type: "string", default: "5" },
    warmup: { type: "string", default: "4" },
    seconds: { type: "string", default: "3" },
    keep: { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);
const visitsPerRound = 7;
const chosen = values.only ? contenders.filter(({ name }) => values.only?.split(",").includes(name)) : contenders;

/**
 * Prepares all contenders, measures each once in the browser, then measures all of them in turn, round by round, so
 * that a busy minute affects all of them.
 */
const figures = new Map<string, Figures>();
const ready: { prepared: Prepared; data: PageDataRequest | undefined }[] = [];
for (const contender of chosen) ready.push(await makeReady(contender));
for (let round = 1; round <= rounds; round++) {
  for (const one of ready) await measureRound(one.prepared, one.data, round);
}
const tables = writeTables(chosen, figures, machine());
console.log(tables);
if (values.keep) {
  const folder = path.join(import.meta.dirname, "results");
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "latest.md"), `${tables}\n`);
}

async function makeReady(contender: Contender): Promise<{ prepared: Prepared; data: PageDataRequest | undefined }> {
  const say = (what: string): void => console.error(`${contender.title}: ${what}`);
  const prepared = await prepare(contender, say);
  say("looking at bytes and page data");
  const server = await ServerProcess.start(prepared);
  const browser = await openChromium();
  try {
    const watched = contender.pageData
      ? { path: contender.pageData, headers: {} }
      : await watchPageData(browser, server.url);
    figures.set(contender.name, {
      install: {
        packages: prepared.installedPackages,
        megabytes: prepared.installedMegabytes,
        buildSeconds: prepared.buildSeconds,
      },
      home: await measureFirstLoad(browser, server.url),
      items: await measureFirstLoad(browser, `${server.url}/items`),
      rounds: [],
    });
    return { prepared, data: watched };
  } finally {
    await browser.close();
    await server.stop();
  }
}

async function measureRound(prepared: Prepared, data: PageDataRequest | undefined, round: number): Promise<void> {
  console.error(`round ${round} of ${rounds}: ${prepared.contender.title}`);
  const server = await ServerProcess.start(prepared);
  const idle = server.residentMegabytes("VmRSS");
  const loads: Record<string, Measured> = {};
  const targets = [
    { name: "/" },
    { name: "/items" },
    { name: "/items/7" },
    ...(data ? [{ name: "page data", ...data }] : []),
  ];
  for (const target of targets)
    loads[target.name] = await measureLoad(server, {
      path: "path" in target ? target.path : target.name,
      headers: "headers" in target ? target.headers : {},
      warmUpSeconds: Number(values.warmup),
      seconds: Number(values.seconds),
    });
  const peak = server.residentMegabytes("VmHWM");
  await server.stop();

  const fresh = await ServerProcess.start(prepared);
  const browser = await openChromium();
  try {
    const visit = await measureVisit(browser, fresh.url, 1);
    const slowed = await measureVisit(browser, fresh.url, 4);
    const heap = await measureHeap(fresh.url);
    figures
      .get(prepared.contender.name)
      ?.rounds.push({ startMs: Math.min(server.startMs, fresh.startMs), idle, peak, loads, visit, slowed, heap });
  } finally {
    await browser.close();
    await fresh.stop();
  }
}

/** One sample depends on where in the browser's frame the click falls, so each figure is the middle of some. */
async function measureVisit(browser: Browser, url: string, slowdown: Slowdown): Promise<VisitTimes> {
  const cold: number[] = [];
  const prefetched: number[] = [];
  const alive: number[] = [];
  let requests = 0;
  for (let time = 0; time < visitsPerRound; time++) {
    cold.push((await measureClick(browser, url, "cold", slowdown)).ms);
    const click = await measureClick(browser, url, "prefetched", slowdown);
    prefetched.push(click.ms);
    requests = Math.max(requests, click.requests);
    alive.push(await measureHydration(browser, url, slowdown));
  }
  return { cold: middleOf(cold), prefetched: middleOf(prefetched), alive: middleOf(alive), requests };
}

function middleOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function machine(): string {
  const [core] = os.cpus();
  return `${os.cpus().length} × ${core?.model.trim()}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, load average before the tables ${os.loadavg()[0]?.toFixed(1)}, ${new Date().toISOString().slice(0, 16)}Z, commit ${commit()}, ${rounds} rounds of ${values.seconds} s after ${values.warmup} s`;
}

function commit(): string {
  return execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: repository, encoding: "utf8" }).trim();
}
