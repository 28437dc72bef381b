import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import type { DevEnvironment } from "vite";

/** Maps a position in code that a browser ran to its source, using the source map that Vite served. */
export async function findBrowserSource(
  client: DevEnvironment,
  address: string,
  line: number,
  column: number,
): Promise<{ file: string; line: number; column: number } | undefined> {
  const { pathname } = new URL(address);
  const module = await client.moduleGraph.getModuleByUrl(pathname);
  const map = module?.transformResult?.map;
  if (!module?.file || !map || !("mappings" in map) || map.mappings === "") return undefined;
  // Vite's maps are plain objects with read-only lists.
  const original = originalPositionFor(new TraceMap(JSON.stringify(map)), { line, column: column - 1 });
  if (original.line === null) return undefined;
  return { file: module.file, line: original.line, column: original.column + 1 };
}
