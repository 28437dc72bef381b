import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import type { Rolldown } from "vite";
import { hasCode } from "#errors";
import { slashed } from "../application-files.ts";
import { ownSourceName } from "../own-package.ts";
import { buildIdMark } from "../virtual-modules.ts";
import {
  addDebugId,
  addDebugIdToMap,
  type ChunkKind,
  compileAhead,
  debugIdOf,
  moveLine,
  type SourceMapText,
} from "./debug-ids.ts";
import type { OutputFolders } from "./output-folders.ts";

export type Output = Rolldown.RolldownOutput["output"];

/**
 * Adds the build id and a debug id to the browser's chunks, and moves their source maps to `maps`, which is never
 * served. The files of `later` are compiled ahead: the browser has time for them, and the first click has none. A
 * chunk without a source map gets no debug id, because the service would miss that map.
 */
export async function finishBrowserChunks(
  folders: OutputFolders,
  output: Output,
  { build, later }: { build: string; later: readonly { path: string }[] },
): Promise<void> {
  const ahead = new Set(later.map(({ path }) => path));
  for (const { file, kind } of chunksOf(output, "browser module")) {
    const chunk = join(folders.browser, file);
    const code = (await readFile(chunk, "utf8")).replaceAll(buildIdMark, build);
    const map = await readMap(`${chunk}.map`);
    const id = debugIdOf(code);
    const isAhead = ahead.has(`/${file}`);
    const finished = map ? addDebugId(code, id, kind) : code;
    await writeFile(chunk, isAhead ? compileAhead(finished) : finished);
    if (!map) continue;
    const sources = map.sources.map((source) => source && sourceName(folders.root, dirname(chunk), source));
    const privateMap = join(folders.maps, `${file}.map`);
    await mkdir(dirname(privateMap), { recursive: true });
    const moved = addDebugIdToMap({ ...map, sources }, id);
    await writeFile(privateMap, JSON.stringify(isAhead ? moveLine(moved) : moved));
    await rm(`${chunk}.map`);
  }
}

/** The server's chunks keep their source maps beside them, where Node finds them. */
export async function finishServerChunks(folders: OutputFolders, output: Output): Promise<void> {
  for (const { file, kind } of chunksOf(output, "server module")) {
    const chunk = join(folders.server, file);
    const map = await readMap(`${chunk}.map`);
    if (!map) continue;
    const code = await readFile(chunk, "utf8");
    const id = debugIdOf(code);
    await writeFile(chunk, addDebugId(code, id, kind));
    const sources = map.sources.map((source) => source && (ownSourceName(resolve(dirname(chunk), source)) ?? source));
    await writeFile(`${chunk}.map`, JSON.stringify(addDebugIdToMap({ ...map, sources }, id)));
  }
}

/** Chunks, and worker scripts, which the bundler lists as assets. */
function chunksOf(output: Output, module: ChunkKind): { file: string; kind: ChunkKind }[] {
  return output
    .filter(({ fileName }) => /\.m?js$/.test(fileName))
    .map(({ fileName, type }) => ({ file: fileName, kind: type === "chunk" ? module : "script" }));
}

/** Returns null if a plugin of the application's vite.config turns source maps off. */
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
