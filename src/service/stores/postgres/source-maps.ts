import { createHash } from "node:crypto";
import { pack, unpack } from "../bodies/packing.ts";
import type { SourceMapBuild, SourceMapFile, SourceMapName, SourceMapReading } from "../records.ts";
import type { Pool, Queries } from "./connect/connections.ts";

/** Kept by content: a chunk that ten releases share is stored once. */
export function addSourceMap(
  pool: Pool,
  { project, debugId, release, map, addedAt = 0 }: SourceMapFile,
  room: number = Number.POSITIVE_INFINITY,
): Promise<number | undefined> {
  const hash = createHash("sha256").update(map).digest();
  return pool.transaction(async (queries) => {
    const known = await queries.one<{ n: number }>(
      "SELECT octet_length(packed) AS n FROM holdfast.map_file WHERE hash = $1",
      hash,
    );
    const packed = known === undefined ? pack(Buffer.from(map)) : undefined;
    const bytes = known?.n ?? packed?.length ?? 0;
    if (packed !== undefined) {
      if (bytes > room) return undefined;
      await queries.run("INSERT INTO holdfast.map_file VALUES ($1, $2) ON CONFLICT DO NOTHING", hash, packed);
    }
    await queries.run(
      `INSERT INTO holdfast.source_map VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (project, debug_id) DO UPDATE SET release = excluded.release, hash = excluded.hash,
         added_at = excluded.added_at`,
      project,
      debugId,
      release ?? null,
      hash,
      addedAt,
    );
    return bytes;
  });
}

export async function renewSourceMaps(
  pool: Pool,
  { project, release, debugIds, addedAt }: SourceMapBuild,
): Promise<ReadonlySet<string>> {
  const rows = await pool.all<{ id: string }>(
    `UPDATE holdfast.source_map SET release = $1, added_at = $2 WHERE project = $3 AND debug_id = ANY ($4::text[])
     RETURNING debug_id AS id`,
    release ?? null,
    addedAt,
    project,
    debugIds,
  );
  return new Set(rows.map(({ id }) => id));
}

export async function sourceMapBytes(queries: Queries): Promise<number> {
  const row = await queries.one<{ n: number | null }>("SELECT sum(octet_length(packed)) AS n FROM holdfast.map_file");
  return row?.n ?? 0;
}

// The maps of the newest builds of some applications: one has some megabytes.
const mostCachedBytes = 64 * 1024 ** 2;
// A build that is added by another process is noticed after this time.
const absentForMs = 30_000;

type CachedMap = { reading: SourceMapReading; until: number; bytes: number };

/**
 * The source maps that filing needs, in this process. A batch is read without waiting, so its maps are fetched before:
 * `fetch` loads those that it names, `read` returns them.
 */
export class LocalSourceMaps {
  readonly #queries: Queries;
  readonly #cached = new Map<string, CachedMap>();
  #bytes = 0;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  async fetch(wanted: readonly SourceMapName[], now: number = Date.now()): Promise<void> {
    const missing = wanted.filter((name) => (this.#cached.get(keyOf(name))?.until ?? 0) <= now);
    if (missing.length === 0) return;
    const rows = await this.#queries.all<SourceMapName & { packed: Uint8Array }>(
      `SELECT m.project, m.debug_id AS "debugId", f.packed
       FROM (SELECT DISTINCT * FROM unnest($1::int[], $2::text[])) AS u (project, debug_id)
       JOIN holdfast.source_map m ON m.project = u.project AND m.debug_id = u.debug_id
       JOIN holdfast.map_file f ON f.hash = m.hash`,
      missing.map(({ project }) => project),
      missing.map(({ debugId }) => debugId),
    );
    for (const name of missing) this.#keep(name, { kind: "absent" }, now + absentForMs);
    for (const { packed, ...name } of rows) this.#keep(name, readingOf(packed), Number.POSITIVE_INFINITY);
  }

  read(project: number, debugId: string): SourceMapReading {
    return this.#cached.get(keyOf({ project, debugId }))?.reading ?? { kind: "absent" };
  }

  /** What was added here is read again. */
  forget(name: SourceMapName): void {
    const cached = this.#cached.get(keyOf(name));
    this.#bytes -= cached?.bytes ?? 0;
    this.#cached.delete(keyOf(name));
  }

  #keep(name: SourceMapName, reading: SourceMapReading, until: number): void {
    this.forget(name);
    const bytes = reading.kind === "found" ? reading.map.length * 2 : 100;
    this.#cached.set(keyOf(name), { reading, until, bytes });
    this.#bytes += bytes;
    for (const [key, oldest] of this.#cached) {
      if (this.#bytes <= mostCachedBytes) return;
      this.#cached.delete(key);
      this.#bytes -= oldest.bytes;
    }
  }
}

function readingOf(packed: Uint8Array): SourceMapReading {
  const map = unpack(packed);
  return map === undefined ? { kind: "damaged" } : { kind: "found", map: map.toString("utf8") };
}

function keyOf({ project, debugId }: SourceMapName): string {
  return `${project} ${debugId}`;
}
