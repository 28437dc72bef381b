import { existsSync } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { buildErrors } from "../errors.ts";

/**
 * Folders of a build. It is written beside the final folder and replaces it at the end: a failed build leaves the last
 * good one unchanged.
 */
export interface OutputFolders {
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
 * Relative to the root, as Vite expects output folders. Beside the final folder, so that relative paths in source maps
 * stay valid.
 */
export function growingFolder(outDir: string): string {
  return `${outDir.replace(/[\\/]+$/, "")}.growing`;
}

export function outputFolders(root: string, outDir: string): OutputFolders {
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

/** The final folder is replaced as a whole, so a folder with anything but an earlier build is refused. */
export async function prepareOutput({ final, growing }: OutputFolders): Promise<void> {
  await rm(growing, { recursive: true, force: true });
  if (!existsSync(final) || existsSync(join(final, manifestName))) return;
  if ((await readdir(final)).length > 0) throw buildErrors.outputNotOurs(final);
}

/** A server may be reading the final folder: it is missing only for the time of two renames. */
export async function replaceOutput({ final, growing }: OutputFolders): Promise<void> {
  const before = `${growing}.before`;
  await rm(before, { recursive: true, force: true });
  if (existsSync(final)) await rename(final, before);
  await rename(growing, final);
  await rm(before, { recursive: true, force: true });
}

export async function discardOutput({ growing }: OutputFolders): Promise<void> {
  await rm(growing, { recursive: true, force: true });
}
