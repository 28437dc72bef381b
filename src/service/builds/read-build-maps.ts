import { type Dirent, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "#errors";
import { isObject, readEventId } from "#protocol";
import type { SourceMapFile } from "../stores/records.ts";

/**
 * Yields the source maps of a build folder. Those of the browser are in `maps`, apart from everything that is served;
 * those of the server beside its chunks. Each contains its debug id.
 */
export function* readBuildMaps(buildFolder: string, project: number): Generator<SourceMapFile> {
  const release = buildIdOf(buildFolder);
  for (const folder of ["maps", "server"]) {
    for (const file of mapFilesIn(join(buildFolder, folder))) {
      const map = readFileSync(file, "utf8");
      const debugId = debugIdOf(map);
      if (debugId !== undefined) yield { project, debugId, release, map };
    }
  }
}

function mapFilesIn(folder: string): string[] {
  return entriesOf(folder)
    .filter((entry) => entry.isFile() && entry.name.endsWith(".map"))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** A build without maps has no such folder. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true });
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}

function debugIdOf(map: string): string | undefined {
  const content: unknown = parsed(map);
  return isObject(content) ? (readEventId(content.debug_id) ?? readEventId(content.debugId)) : undefined;
}

function buildIdOf(folder: string): string | undefined {
  const file = entriesOf(folder).find((entry) => entry.name === "manifest.json" && entry.parentPath === folder);
  const manifest = file === undefined ? undefined : parsed(readFileSync(join(folder, file.name), "utf8"));
  return isObject(manifest) && typeof manifest.build === "string" ? manifest.build : undefined;
}

/** A file without valid JSON is not a map of the build. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
