import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { cp, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { Contender } from "./contenders.ts";

const run = promisify(execFile);
const here = import.meta.dirname;
export const repository = path.resolve(here, "../..");

export interface Prepared {
  contender: Contender;
  folder: string;
  installedPackages: number;
  installedMegabytes: number;
  buildSeconds: number;
}

/** Everything that is installed and built for the benchmark, outside of the repository. */
const place = process.env.HOLDFAST_BENCH ?? path.join(tmpdir(), "holdfast-bench");

/** Installs and builds a contender, unless that was already done from the same sources. */
export async function prepare(contender: Contender, say: (what: string) => void): Promise<Prepared> {
  const folder = contender.name === "holdfast" ? path.join(here, contender.sources) : path.join(place, contender.name);
  const mark = path.join(place, `${contender.name}.json`);
  const state = fingerprint(contender);
  if (existsSync(mark)) {
    const kept: { state: string; prepared: Omit<Prepared, "contender"> } = JSON.parse(readFileSync(mark, "utf8"));
    if (kept.state === state) return { contender, ...kept.prepared };
  }
  if (contender.shared !== undefined) {
    say("copying and installing");
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    for (const sources of sourcesOf(contender)) await cp(sources, folder, { recursive: true });
    await cp(path.join(here, "shared"), path.join(folder, contender.shared), { recursive: true });
    await cp(path.join(here, "app/src/server/items.ts"), path.join(folder, contender.shared, "items.ts"));
    await run("npm", ["install", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: folder });
  }
  say("building");
  const startedAt = performance.now();
  await command(contender, contender.build, folder, 0);
  const buildSeconds = (performance.now() - startedAt) / 1000;
  const installed = contender.shared === undefined ? await measurePacked(say) : path.join(folder, "node_modules");
  const prepared = { folder, buildSeconds, ...(await weigh(installed)) };
  await mkdir(place, { recursive: true });
  await writeFile(mark, JSON.stringify({ state, prepared }));
  return { contender, ...prepared };
}

/** Installs Holdfast as a user would: the packed package beside React, in an empty folder. */
async function measurePacked(say: (what: string) => void): Promise<string> {
  say("packing and installing as a user would");
  const folder = path.join(place, "holdfast-installed");
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const { stdout } = await run("npm", ["pack", "--pack-destination", folder, "--loglevel=error"], { cwd: repository });
  await writeFile(path.join(folder, "package.json"), '{ "private": true }');
  await run(
    "npm",
    [
      "install",
      "--no-audit",
      "--no-fund",
      "--loglevel=error",
      `./${stdout.trim().split("\n").at(-1)}`,
      "react@19.3.1",
      "react-dom@19.3.1",
    ],
    { cwd: folder },
  );
  return path.join(folder, "node_modules");
}

export function command(
  contender: Contender,
  words: readonly string[],
  folder: string,
  port: number,
): Promise<unknown> {
  const [program = "", ...args] = words.map((word) => fill(word, port));
  return run(program, args, { cwd: folder, env: environment(contender, port), maxBuffer: 50_000_000 });
}

export function fill(word: string, port: number): string {
  return word.replace("$PORT", String(port)).replace("$HOLDFAST", path.join(repository, "bin/holdfast.js"));
}

export function environment(contender: Contender, port: number): NodeJS.ProcessEnv {
  return { ...process.env, ...contender.env, NODE_ENV: "production", PORT: String(port) };
}

async function weigh(folder: string): Promise<{ installedPackages: number; installedMegabytes: number }> {
  let bytes = 0;
  let packages = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    bytes += (await stat(path.join(entry.parentPath, entry.name))).size;
    if (entry.name === "package.json" && /node_modules\/(@[^/]+\/)?[^/]+$/.test(entry.parentPath)) packages++;
  }
  return { installedPackages: packages, installedMegabytes: bytes / 1e6 };
}

function sourcesOf({ over, sources }: Contender): string[] {
  return [over, sources].flatMap((folder) => (folder === undefined ? [] : [path.join(here, folder)]));
}

/** Holdfast is rebuilt when the package has changed, the others when their sources have. */
function fingerprint(contender: Contender): string {
  const folders = [
    ...sourcesOf(contender),
    path.join(here, "shared"),
    ...(contender.shared === undefined ? [path.join(repository, "dist")] : []),
  ];
  const hash = createHash("sha256");
  for (const folder of folders) {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }).sort((a, b) =>
      a.parentPath + a.name < b.parentPath + b.name ? -1 : 1,
    )) {
      if (
        !entry.isFile() ||
        /\/(dist|\.holdfast)(\/|$)/.test(path.relative(here, entry.parentPath).replace(/^(\.\.\/)+dist/, ""))
      )
        continue;
      hash.update(entry.name).update(readFileSync(path.join(entry.parentPath, entry.name)));
    }
  }
  return hash.digest("hex");
}
