import type { ChunkSums } from "../../batch-sums.ts";
import { chunksPerRelease } from "../../counter-limits.ts";
import type { ChunkCounts, ChunkRecord } from "../../records.ts";
import { bytesOf, hexOf } from "../../values/row-values.ts";
import type { StoreFiles } from "../store-files.ts";

export function addChunk({ meta, names }: StoreFiles, sums: ChunkSums): void {
  const { project, debugId, file, mapped, unmapped } = sums;
  const release = names.number(sums.release);
  const id = debugId === undefined ? noId : bytesOf(debugId);
  const lastEvent = bytesOf(sums.lastEvent);
  const { changes } = meta.run(
    `UPDATE release_chunk SET file = ?1, mapped = mapped + ?2, unmapped = unmapped + ?3,
       last_event = CASE WHEN ?3 > 0 OR unmapped = 0 THEN ?4 ELSE last_event END
     WHERE project = ?5 AND release = ?6 AND debug_id = ?7`,
    file,
    mapped,
    unmapped,
    lastEvent,
    project,
    release,
    id,
  );
  if (changes > 0) return;
  const known = meta.one<{ n: number }>(
    "SELECT count(*) AS n FROM release_chunk WHERE project = ? AND release = ?",
    project,
    release,
  );
  if ((known?.n ?? 0) >= chunksPerRelease) return;
  meta.run(
    "INSERT INTO release_chunk VALUES (?, ?, ?, ?, ?, ?, ?)",
    project,
    release,
    id,
    file,
    mapped,
    unmapped,
    lastEvent,
  );
}

/** Shared by all files without an id. */
const noId = new Uint8Array();

const withMap = "LEFT JOIN source_map m ON m.project = c.project AND m.debug_id = c.debug_id";

export function readChunkCounts({ meta, names }: StoreFiles, project: number): ReadonlyMap<string, ChunkCounts> {
  const rows = meta.all<{ release: number; chunks: number; withoutMap: number }>(
    `SELECT c.release, count(*) AS chunks, sum(m.hash IS NULL) AS withoutMap
     FROM release_chunk c ${withMap} WHERE c.project = ? GROUP BY c.release`,
    project,
  );
  return new Map(
    rows.map(({ release, chunks, withoutMap }) => [names.text(release) ?? "", { chunks, withoutMap }] as const),
  );
}

export function readReleaseChunks({ meta, names }: StoreFiles, project: number, release: string): ChunkRecord[] {
  const rows = meta.all<{
    debug_id: Uint8Array;
    file: string;
    mapped: number;
    unmapped: number;
    last_event: Uint8Array;
    has_map: number;
  }>(
    `SELECT c.debug_id, file, mapped, unmapped, last_event, m.hash IS NOT NULL AS has_map
     FROM release_chunk c ${withMap} WHERE c.project = ? AND c.release = ? ORDER BY has_map, unmapped DESC, file`,
    project,
    names.find(release) ?? -1,
  );
  return rows.map((row) => ({
    debugId: row.debug_id.length === 0 ? undefined : hexOf(row.debug_id),
    file: row.file,
    mapped: row.mapped,
    unmapped: row.unmapped,
    hasMap: row.has_map === 1,
    lastEventId: hexOf(row.last_event),
  }));
}
