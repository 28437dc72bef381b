import type { Rows } from "../../rows/rows.ts";
import type { UploadLimits } from "../limits.ts";

export interface UploadedChunk {
  /** SHA-1 of the content, which the client computes too. */
  readonly hash: string;
  readonly content: Uint8Array;
}

export type ChunksAdded = { kind: "added" } | { kind: "no-room"; bytes: number };

/**
 * Chunks of bundles until they are assembled, and the checksums of assembled bundles. All machines with one database
 * share them, because each request of a client may reach another one. Nothing here outlives a day.
 */
export class UploadChunks {
  readonly #rows: Rows;
  readonly #limits: UploadLimits;

  constructor(rows: Rows, limits: UploadLimits) {
    this.#rows = rows;
    this.#limits = limits;
  }

  /** Two bundles of a project may wait at the same time. */
  add(project: number, chunks: readonly UploadedChunk[], now: number): Promise<ChunksAdded> {
    const { bundleBytes, chunksMs, bundlesMs } = this.#limits;
    return this.#rows.transaction(async (queries) => {
      await queries.run("DELETE FROM holdfast.upload_chunk WHERE added_at < $1", now - chunksMs);
      await queries.run("DELETE FROM holdfast.upload_bundle WHERE added_at < $1", now - bundlesMs);
      const held = await queries.one<{ n: number | null }>(
        "SELECT sum(bytes) AS n FROM holdfast.upload_chunk WHERE project = $1",
        project,
      );
      const added = chunks.reduce((sum, { content }) => sum + content.length, 0);
      if (Number(held?.n ?? 0) + added > 2 * bundleBytes) return { kind: "no-room", bytes: 2 * bundleBytes };
      for (const { hash, content } of chunks)
        await queries.run(
          `INSERT INTO holdfast.upload_chunk (project, hash, content, bytes, added_at) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (project, hash) DO UPDATE SET added_at = excluded.added_at`,
          project,
          hash,
          Buffer.from(content).toString("base64"),
          content.length,
          now,
        );
      return { kind: "added" };
    });
  }

  async missing(project: number, hashes: readonly string[]): Promise<readonly string[]> {
    const rows = await this.#rows.all<{ hash: string }>(
      "SELECT hash FROM holdfast.upload_chunk WHERE project = $1",
      project,
    );
    const stored = new Set(rows.map(({ hash }) => hash));
    return [...new Set(hashes)].filter((hash) => !stored.has(hash));
  }

  /** Returns undefined if they are more than a bundle may have, or if one is missing by now. */
  async joined(project: number, hashes: readonly string[]): Promise<Buffer | undefined> {
    const pieces: Buffer[] = [];
    let bytes = 0;
    for (const hash of hashes) {
      const sql = "SELECT content FROM holdfast.upload_chunk WHERE project = $1 AND hash = $2";
      const row = await this.#rows.one<{ content: string }>(sql, project, hash);
      if (row === undefined) return undefined;
      const piece = Buffer.from(row.content, "base64");
      bytes += piece.length;
      if (bytes > this.#limits.bundleBytes) return undefined;
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }

  async isAssembled(project: number, checksum: string, now: number): Promise<boolean> {
    const row = await this.#rows.one(
      "SELECT hash FROM holdfast.upload_bundle WHERE project = $1 AND hash = $2 AND added_at >= $3",
      project,
      checksum,
      now - this.#limits.bundlesMs,
    );
    return row !== undefined;
  }

  /** Deletes the chunks. Without a checksum, the bundle was unusable. */
  assembled(project: number, hashes: readonly string[], as?: { checksum: string; now: number }): Promise<void> {
    return this.#rows.transaction(async (queries) => {
      for (const hash of hashes)
        await queries.run("DELETE FROM holdfast.upload_chunk WHERE project = $1 AND hash = $2", project, hash);
      if (as === undefined) return;
      await queries.run(
        `INSERT INTO holdfast.upload_bundle (project, hash, added_at) VALUES ($1, $2, $3)
         ON CONFLICT (project, hash) DO UPDATE SET added_at = excluded.added_at`,
        project,
        as.checksum,
        as.now,
      );
    });
  }
}
