import { existsSync } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { buildErrors } from "../errors.ts";

/**
 * Where a build writes. It grows in a folder beside the final one and takes its place when everything is right: a build
 * that fails leaves the last good one as it was.
 */
export interface OutputPlace {
  root: string;
  final: string;
  growing: string;
  browser: string;
  server: string;
  /** Source maps of the browser's chunks. Never served. */
  maps: string;
  manifest: string;
}

/**
 * Relative to the root, as Vite wants its output folders. Beside the final folder, so that relative paths in source
 * maps stay true.
 */
export function growingFolder(outDir: string): string {
  return `${outDir.replace(/[\\/]+$/, "")}.growing`;
}

export function outputPlace(root: string, outDir: string): OutputPlace {
  const growing = resolve(root, growingFolder(outDir));
  return {
    root,
    final: resolve(root, outDir),
    growing,
    browser: join(growing, "browser"),
    server: join(growing, "server"),
    maps: join(growing, "maps"),
    manifest: join(growing, manifestName),
  };
}

export const manifestName = "manifest.json";

/** The final folder is replaced as a whole; a folder that holds something else than an earlier build is not touched. */
export async function preparePlace({ final, growing }: OutputPlace): Promise<void> {
  await rm(growing, { recursive: true, force: true });
  if (!existsSync(final) || existsSync(join(final, manifestName))) return;
  if ((await readdir(final)).length > 0) throw buildErrors.outputNotOurs(final);
}

/**
 * A server may be reading from the final folder at this very moment: it is missing for no longer than two renames take.
 */
export async function putInPlace({ final, growing }: OutputPlace): Promise<void> {
  const before = `${growing}.before`;
  await rm(before, { recursive: true, force: true });
  if (existsSync(final)) await rename(final, before);
  await rename(growing, final);
  await rm(before, { recursive: true, force: true });
}

export async function abandonPlace({ growing }: OutputPlace): Promise<void> {
  await rm(growing, { recursive: true, force: true });
}
