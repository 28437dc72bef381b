import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import type { Rolldown } from "vite";
import { hasCode } from "#errors";
import { slashed } from "../application-files.ts";
import { ownSourceName } from "../own-package.ts";
import { buildIdMark } from "../virtual-modules.ts";
import { addDebugId, addDebugIdToMap, debugIdOf, type SourceMapText } from "./debug-ids.ts";
import type { OutputFolders } from "./output-folders.ts";

export type Output = Rolldown.RolldownOutput["output"];

/**
 * Adds the build id and a debug id to the browser's chunks, and moves their source maps to `maps`, which is never
 * served.
 */
export async function finishBrowserChunks(folders: OutputFolders, output: Output, build: string): Promise<void> {
  for (const file of chunksOf(output)) {
    const chunk = join(folders.browser, file);
    const code = (await readFile(chunk, "utf8")).replaceAll(buildIdMark, build);
    const id = debugIdOf(code);
    await writeFile(chunk, addDebugId(code, id));
    const map = await readMap(`${chunk}.map`);
    if (!map) continue;
    const sources = map.sources.map((source) => source && sourceName(folders.root, dirname(chunk), source));
    const privateMap = join(folders.maps, `${file}.map`);
    await mkdir(dirname(privateMap), { recursive: true });
    await writeFile(privateMap, JSON.stringify(addDebugIdToMap({ ...map, sources }, id)));
    await rm(`${chunk}.map`);
  }
}

/** The server's chunks keep their source maps beside them, where Node finds them. */
export async function finishServerChunks(folders: OutputFolders, output: Output): Promise<void> {
  for (const file of chunksOf(output)) {
    const chunk = join(folders.server, file);
    const code = await readFile(chunk, "utf8");
    const id = debugIdOf(code);
    await writeFile(chunk, addDebugId(code, id));
    const map = await readMap(`${chunk}.map`);
    if (!map) continue;
    const sources = map.sources.map((source) => source && (ownSourceName(resolve(dirname(chunk), source)) ?? source));
    await writeFile(`${chunk}.map`, JSON.stringify(addDebugIdToMap({ ...map, sources }, id)));
  }
}

/** Chunks, and worker scripts, which the bundler lists as assets. */
function chunksOf(output: Output): string[] {
  return output.map((file) => file.fileName).filter((name) => /\.m?js$/.test(name));
}

/** Returns null if the application's vite.config disables source maps. */
async function readMap(file: string): Promise<SourceMapText | null> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/** Names a source relative to the application, `src/pages/index.tsx`, instead of by a path of the build machine. */
function sourceName(root: string, folder: string, source: string): string {
  const [, generated] = source.split("\0");
  const file = resolve(folder, source);
  return generated ?? ownSourceName(file) ?? slashed(relative(root, file));
}
