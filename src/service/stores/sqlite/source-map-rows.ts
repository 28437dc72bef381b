import { createHash } from "node:crypto";
import type { SourceMapFile, SourceMapReading } from "../store.ts";
import { pack, unpack } from "./packing.ts";
import type { StoreFiles } from "./store-files.ts";
import { bytesOf } from "./week-file.ts";

/** Kept by content: a chunk that ten releases share is stored once. */
export function addSourceMap({ meta }: StoreFiles, { project, debugId, release, map }: SourceMapFile): void {
  const hash = createHash("sha256").update(map).digest();
  meta.transaction(() => {
    if (meta.one("SELECT 1 FROM map_file WHERE hash = ?", hash) === undefined) {
      meta.run("INSERT INTO map_file VALUES (?, ?)", hash, pack(Buffer.from(map)));
    }
    meta.run("INSERT OR REPLACE INTO source_map VALUES (?, ?, ?, ?)", project, bytesOf(debugId), release ?? null, hash);
  });
}

export function readSourceMap({ meta }: StoreFiles, project: number, debugId: string): SourceMapReading {
  const row = meta.one<{ packed: Uint8Array }>(
    "SELECT packed FROM source_map JOIN map_file ON map_file.hash = source_map.hash WHERE project = ? AND debug_id = ?",
    project,
    bytesOf(debugId),
  );
  if (row === undefined) return { kind: "absent" };
  const map = unpack(row.packed);
  return map === undefined ? { kind: "damaged" } : { kind: "found", map: map.toString("utf8") };
}
