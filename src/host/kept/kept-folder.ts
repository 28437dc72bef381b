import { AsyncLocalStorage } from "node:async_hooks";
import {
  close,
  constants,
  existsSync,
  fsync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  writeFile,
  writeFileSync,
} from "node:fs";
import { copyFile, type FileHandle, open, readdir, rm, stat, unlink, utimes } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { hasCode } from "#errors";
import type { KeptChange, KeptNote, KeptRow, KeptState, KeptStore, SealedCopy } from "#pages";
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

const sync = promisify(fsync);
const writeAsync = promisify(writeFile);

/** Larger ones are not written while all other requests wait. */
const smallBytes = 65_536;

/**
 * Creating, naming and removing a small file takes some hundredths of a millisecond. In the thread pool each would cost
 * the visitor two changes of thread, which takes milliseconds on a busy machine. Only syncs are worth that.
 */
async function writeSynced(fd: number, content: Buffer): Promise<void> {
  if (content.length <= smallBytes) writeFileSync(fd, content);
  else await writeAsync(fd, content);
  await sync(fd);
}

const extension = ".kept";
/** Of a file that is not complete yet. It gets its name when it is: one that a killed process leaves keeps nothing. */
const arrivingExtension = ".arriving";

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
  /** Sizes of complete files that were seen before: they never change. */
  #sizes: ReadonlyMap<string, number> = new Map();
  /** Files that this process is writing, with the size they will have. */
  readonly #arriving = new Map<string, number>();

  constructor(folder: string, limits: KeptLimits = keptLimits, now: () => number = Date.now) {
    this.#folder = folder;
    this.#limits = limits;
    this.#now = now;
  }

  async add(id: string, { files, rest }: SealedCopy): Promise<"added" | "known" | "full"> {
    // Created with the first submission: an application that keeps nothing has no folder.
    this.#directory ??= this.#createFolder();
    const directory = await this.#directory;
    const known = this.#openRows().find(id);
    if (known && known.state !== "forgotten" && known.state !== "expired") return "known";
    // Its content is gone, and its visitor sends it again.
    if (known) this.#openRows().remove(id);
    const file = this.#fileOf(id);
    const arriving = path.join(this.#folder, id + arrivingExtension);
    // Also on a disk that takes nothing more: an attempt that is kept must not be refused as if nothing had been done.
    if (existsSync(file)) return "known";
    const fd = await this.#begin(arriving, files?.path);
    this.#arriving.set(id, (files?.size ?? 0) + rest.length);
    let written: "not yet" | "in its place" | "synced" = "not yet";
    try {
      // And once more, because now no other attempt can be written beside this one.
      if (existsSync(file)) return "known";
      const whole = writeSynced(fd, rest);
      // Counted with its own file, so that several processes never have more than the limit; beside the sync, because
      // the visitor waits.
      let hasRoom = false;
      try {
        hasRoom = this.#hasRoom();
      } finally {
        // Also if counting fails: the file must not be closed while it is written, its number may be that of another.
        await whole;
      }
      if (!hasRoom) return "full";
      renameSync(arriving, file);
      written = "in its place";
      await directory.sync();
      written = "synced";
      return "added";
    } finally {
      this.#arriving.delete(id);
      // Not waited for: what was synced stays.
      close(fd, () => undefined);
      if (written !== "synced")
        await rm(written === "not yet" ? arriving : file, { force: true }).catch(() => undefined);
    }
  }

  /** Throws if another process is writing it: of two attempts one is refused. */
  async #begin(arriving: string, files: string | undefined): Promise<number> {
    try {
      return await openArriving(arriving, files);
    } catch (error) {
      if (!hasCode(error, "EEXIST") || !(await this.#removeAbandoned(arriving))) throw error;
      return openArriving(arriving, files);
    }
  }

  /** Removes a file whose process has died before it was complete. */
  async #removeAbandoned(arriving: string): Promise<boolean> {
    const found = await stat(arriving).catch(() => undefined);
    if (found && found.mtimeMs >= this.#now() - this.#limits.leaseMs) return false;
    await rm(arriving, { force: true });
    return true;
  }

  async open(id: string): Promise<FileHandle | undefined> {
    return open(this.#fileOf(id), "r").catch(unlessMissing);
  }

  async drop(id: string): Promise<void> {
    // Freeing the blocks of a file that was synced takes a millisecond.
    await unlink(this.#fileOf(id)).catch(unlessMissing);
  }

  async renew(id: string): Promise<void> {
    const seconds = this.#now() / 1_000;
    await utimes(this.#fileOf(id), seconds, seconds).catch(unlessMissing);
  }

  hasRow(id: string): boolean {
    return this.#openRows().find(id) !== undefined;
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

  /** Removes what is too old, and files of submissions that are over. Returns those that have expired. */
  async expire(): Promise<readonly KeptRow[]> {
    if (!existsSync(this.#folder)) return [];
    const rows = this.#openRows();
    const old = this.#now() - this.#limits.ms;
    const expired: KeptRow[] = [];
    for (const row of await this.list()) {
      const { id, state, keptAt } = row;
      const isOver = state === "done" || state === "forgotten" || state === "expired";
      const isExpired =
        keptAt < old && rows.change({ id, from: ["running", "failed", "unsure"], to: "expired" }, this.#now());
      if (isExpired) expired.push(row);
      if (isExpired || isOver) await this.drop(id);
    }
    rows.removeBefore(old);
    for (const name of await readdir(this.#folder))
      if (name.endsWith(arrivingExtension)) await this.#removeAbandoned(path.join(this.#folder, name));
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

  #hasRoom(): boolean {
    const names = readdirSync(this.#folder).filter((name) => /\.(?:kept|arriving)$/.test(name));
    if (names.length > this.#limits.submissions) return false;
    const sizes = new Map<string, number>();
    let total = 0;
    for (const name of names) {
      const known = this.#arriving.get(name.slice(0, -path.extname(name).length)) ?? this.#sizes.get(name);
      const size = known ?? statSync(path.join(this.#folder, name), { throwIfNoEntry: false })?.size ?? 0;
      total += size;
      if (name.endsWith(extension)) sizes.set(name, size);
    }
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
    const fresh = {
      id,
      keptAt,
      changedAt: keptAt,
      digest: undefined,
      lastDigest: undefined,
      by: undefined,
      of: undefined,
      runs: 0,
    };
    return { ...(row ?? fresh), state, bytes: file?.size ?? 0 };
  }
}

/** Creates the file of a copy, with the files of its form: another name of the file that they are in already. */
async function openArriving(arriving: string, files: string | undefined): Promise<number> {
  if (files === undefined) return openSync(arriving, "wx", 0o600);
  try {
    linkSync(files, arriving);
  } catch (error) {
    if (hasCode(error, "EEXIST")) throw error;
    // A file system without hard links, or another disk.
    await copyFile(files, arriving, constants.COPYFILE_EXCL);
  }
  return openSync(arriving, "a");
}

function unlessMissing(error: unknown): undefined {
  if (!hasCode(error, "ENOENT")) throw error;
}
