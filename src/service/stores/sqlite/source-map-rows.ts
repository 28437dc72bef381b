import { createHash } from "node:crypto";
import { pack, unpack } from "../bodies/packing.ts";
import type { SourceMapBuild, SourceMapFile, SourceMapReading } from "../records.ts";
import { bytesOf } from "../values/row-values.ts";
import type { StoreFiles } from "./store-files.ts";

/** Stores a map by content: a chunk that ten releases share is stored once. */
export function addSourceMap(
  { meta }: StoreFiles,
  file: SourceMapFile,
  room: number = Number.POSITIVE_INFINITY,
): number | undefined {
  const { project, debugId, release, map, addedAt = 0 } = file;
  const hash = createHash("sha256").update(map).digest();
  return meta.transaction(() => {
    let bytes = meta.one<{ n: number }>("SELECT length(packed) AS n FROM map_file WHERE hash = ?", hash)?.n;
    if (bytes === undefined) {
      const packed = pack(Buffer.from(map));
      bytes = packed.length;
      if (bytes > room) return undefined;
      meta.run("INSERT INTO map_file VALUES (?, ?)", hash, packed);
    }
    meta.run(
      "INSERT OR REPLACE INTO source_map VALUES (?, ?, ?, ?, ?)",
      project,
      bytesOf(debugId),
      release ?? null,
      hash,
      addedAt,
    );
    return bytes;
  });
}

export function renewSourceMaps({ meta }: StoreFiles, build: SourceMapBuild): ReadonlySet<string> {
  const { project, release, debugIds, addedAt } = build;
  return meta.transaction(() => {
    const renewed = debugIds.filter(
      (debugId) =>
        meta.run(
          "UPDATE source_map SET release = ?, added_at = ? WHERE project = ? AND debug_id = ?",
          release ?? null,
          addedAt,
          project,
          bytesOf(debugId),
        ).changes > 0,
    );
    return new Set(renewed);
  });
}

export function sourceMapBytes({ meta }: StoreFiles): number {
  return meta.one<{ n: number | null }>("SELECT sum(length(packed)) AS n FROM map_file")?.n ?? 0;
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
