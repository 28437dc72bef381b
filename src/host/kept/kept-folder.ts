import { AsyncLocalStorage } from "node:async_hooks";
import { createReadStream, existsSync, mkdirSync } from "node:fs";
import { type FileHandle, open, readdir, rm, stat, utimes } from "node:fs/promises";
import path from "node:path";
import { hasCode } from "#errors";
import type { KeptChange, KeptNote, KeptRow, KeptState, KeptStore, SealedFile } from "#pages";
import { openKeptRows } from "./kept-rows.ts";

export interface KeptLimits {
  /** Submissions with content: those that run, and those that wait for an operator. */
  submissions: number;
  bytes: number;
  /** How long content and rows are kept. */
  ms: number;
  /** A running submission whose process has said nothing for so long has lost it. */
  leaseMs: number;
}

/**
 * A thousand forms that no operator has looked at for a month are a failure of their own. 30 s: as for the memory of
 * submissions.
 */
export const keptLimits: KeptLimits = {
  submissions: 1_000,
  bytes: 268_435_456,
  ms: 30 * 86_400_000,
  leaseMs: 30_000,
};

const extension = ".kept";

/**
 * Keeps sealed submissions as one file each, and a row for each that has not just succeeded. A file without a row
 * belongs to a running submission; its time says when its process was last alive.
 */
export class KeptFolder implements KeptStore {
  readonly #folder: string;
  readonly #limits: KeptLimits;
  readonly #now: () => number;
  #rows: ReturnType<typeof openKeptRows> | undefined;
  #directory: Promise<FileHandle> | undefined;
  /** Sizes of files that were seen before: a file never changes its size once it is complete. */
  #sizes: ReadonlyMap<string, number> = new Map();
  /** Files that this process is writing, with the size they will have. */
  readonly #arriving = new Map<string, number>();

  constructor(folder: string, limits: KeptLimits = keptLimits, now: () => number = Date.now) {
    this.#folder = folder;
    this.#limits = limits;
    this.#now = now;
  }

  async add(id: string, bytes: number, content: AsyncIterable<Buffer>): Promise<"added" | "known" | "full"> {
    // Created with the first submission: an application that keeps nothing has no folder.
    this.#directory ??= this.#createFolder();
    const directory = await this.#directory;
    const known = this.#openRows().find(id);
    if (known && known.state !== "forgotten" && known.state !== "expired") return "known";
    // Its content is gone, and its visitor sends it again.
    if (known) this.#openRows().remove(id);
    const file = this.#fileOf(id);
    const handle = await open(file, "wx", 0o600).catch((error: unknown) => {
      if (hasCode(error, "EEXIST")) return undefined;
      throw error;
    });
    if (!handle) return "known";
    this.#arriving.set(id, bytes);
    try {
      // Counted with its own file, so that several processes never have more than the limit.
      if (!(await this.#hasRoom())) {
        await handle.close();
        await rm(file, { force: true });
        return "full";
      }
      await handle.writeFile(content);
      await handle.sync();
      await handle.close();
      await directory.sync();
      return "added";
    } catch (error) {
      await handle.close().catch(() => undefined);
      await rm(file, { force: true }).catch(() => undefined);
      throw error;
    } finally {
      this.#arriving.delete(id);
    }
  }

  async open(id: string): Promise<SealedFile | undefined> {
    const file = this.#fileOf(id);
    const found = await stat(file).catch(() => undefined);
    if (!found) return undefined;
    return {
      size: found.size,
      read: (start, end) => createReadStream(file, { start, end: end - 1 }) as AsyncIterable<Buffer>,
    };
  }

  async drop(id: string): Promise<void> {
    await rm(this.#fileOf(id), { force: true });
  }

  async renew(id: string): Promise<void> {
    const seconds = this.#now() / 1_000;
    await utimes(this.#fileOf(id), seconds, seconds).catch((error: unknown) => {
      if (!hasCode(error, "ENOENT")) throw error;
    });
  }

  async find(id: string): Promise<KeptRow | undefined> {
    if (!existsSync(this.#folder)) return undefined;
    const row = this.#openRows().find(id);
    const file = await stat(this.#fileOf(id)).catch(() => undefined);
    return this.#joined(id, row, file);
  }

  async list(): Promise<readonly KeptRow[]> {
    if (!existsSync(this.#folder)) return [];
    const rows = new Map(
      this.#openRows()
        .all()
        .map((row) => [row.id, row]),
    );
    const ids = new Set([...rows.keys(), ...(await this.#ids())]);
    const all = await Promise.all(
      [...ids].map(async (id) => this.#joined(id, rows.get(id), await stat(this.#fileOf(id)).catch(() => undefined))),
    );
    return all.filter((row) => row !== undefined).sort((a, b) => a.keptAt - b.keptAt);
  }

  change(change: KeptChange): boolean {
    return this.#openRows().change(change, this.#now());
  }

  notes(): readonly KeptNote[] {
    return existsSync(this.#folder) ? this.#openRows().notes(this.#now()) : [];
  }

  notified(id: string, again: number | undefined): void {
    this.#openRows().notified(id, again);
  }

  /** Removes what is too old, and files of submissions that are over. Returns how many have expired. */
  async expire(): Promise<number> {
    if (!existsSync(this.#folder)) return 0;
    const rows = this.#openRows();
    const old = this.#now() - this.#limits.ms;
    let expired = 0;
    for (const { id, state, keptAt } of await this.list()) {
      const isOver = state === "done" || state === "forgotten" || state === "expired";
      const isExpired =
        keptAt < old && rows.change({ id, from: ["running", "failed", "unsure"], to: "expired" }, this.#now());
      if (isExpired) expired += 1;
      if (isExpired || isOver) await this.drop(id);
    }
    rows.removeBefore(old);
    return expired;
  }

  close(): void {
    this.#rows?.close();
    void this.#directory?.then((handle) => handle.close()).catch(() => undefined);
  }

  async #createFolder(): Promise<FileHandle> {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      return await open(this.#folder, "r");
    } catch (error) {
      // The next submission tries again.
      this.#directory = undefined;
      throw error;
    }
  }

  #openRows(): ReturnType<typeof openKeptRows> {
    // Outside of every request's context, so that a trace shows only the application's own queries.
    this.#rows ??= AsyncLocalStorage.snapshot()(() => openKeptRows(path.join(this.#folder, "kept.db")));
    return this.#rows;
  }

  #fileOf(id: string): string {
    return path.join(this.#folder, id + extension);
  }

  async #ids(): Promise<string[]> {
    const names = await readdir(this.#folder);
    return names.filter((name) => name.endsWith(extension)).map((name) => name.slice(0, -extension.length));
  }

  async #hasRoom(): Promise<boolean> {
    const ids = await this.#ids();
    if (ids.length > this.#limits.submissions) return false;
    const sizes = new Map<string, number>();
    await Promise.all(
      ids.map(async (id) => {
        const known = this.#arriving.get(id) ?? this.#sizes.get(id);
        const size = known ?? (await stat(this.#fileOf(id)).catch(() => undefined))?.size;
        if (size !== undefined) sizes.set(id, size);
      }),
    );
    const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    this.#sizes = sizes;
    return total <= this.#limits.bytes;
  }

  /** What row and file say together. A file without a row, and a running row, depend on the time of the file. */
  #joined(
    id: string,
    row: Omit<KeptRow, "bytes"> | undefined,
    file: { size: number; mtimeMs: number; birthtimeMs: number } | undefined,
  ): KeptRow | undefined {
    if (!row && !file) return undefined;
    const isAlive = file !== undefined && file.mtimeMs >= this.#now() - this.#limits.leaseMs;
    const stored: KeptState = row?.state ?? "running";
    const state = stored === "running" && !isAlive ? "unsure" : stored;
    const keptAt = file?.birthtimeMs ?? 0;
    const fresh = { id, keptAt, changedAt: keptAt, digest: undefined, lastDigest: undefined, by: undefined, runs: 0 };
    return { ...(row ?? fresh), state, bytes: file?.size ?? 0 };
  }
}
