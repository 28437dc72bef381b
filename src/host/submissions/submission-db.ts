import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { hasCode } from "#errors";
import type { EndedRow, NewRow, RowState, SubmissionRow, SubmissionStore } from "#pages";
import { openSqliteFile } from "#service";

export interface SubmissionDbLimits {
  /** One day: a tab may sleep over night and ask in the morning. */
  keepMs: number;
  /** About a day with one submission a second. Beyond it, the oldest completed rows are deleted. */
  rows: number;
  bytes: number;
  /** Waiting longer for another process would delay requests; a write takes a tenth of a millisecond. */
  busyMs: number;
}

export const submissionDbLimits: SubmissionDbLimits = {
  keepMs: 86_400_000,
  rows: 100_000,
  bytes: 67_108_864,
  busyMs: 1_000,
};

const tables = `
  CREATE TABLE IF NOT EXISTS submissions (
    key BLOB PRIMARY KEY,
    attempt INTEGER NOT NULL,
    state TEXT NOT NULL,
    owner BLOB NOT NULL,
    lease INTEGER NOT NULL,
    at INTEGER NOT NULL,
    body BLOB,
    visitor TEXT NOT NULL,
    sealed BLOB
  );
  CREATE INDEX IF NOT EXISTS by_age ON submissions (at);
  CREATE TABLE IF NOT EXISTS forgotten (one INTEGER PRIMARY KEY CHECK (one = 1), at INTEGER NOT NULL);
`;

/** The whole lock in one statement, which PostgreSQL accepts too. */
const take = `
  INSERT INTO submissions (key, attempt, state, owner, lease, at, body, visitor, sealed)
  VALUES (:key, :attempt, :state, :owner, :lease, :now, :body, :visitor, NULL)
  ON CONFLICT (key) DO UPDATE SET
    attempt = excluded.attempt, state = excluded.state, owner = excluded.owner, lease = excluded.lease,
    at = excluded.at, body = excluded.body, visitor = excluded.visitor, sealed = NULL
  WHERE excluded.attempt > submissions.attempt AND (
    submissions.state IN ('void', 'failed', 'invalid') OR (submissions.state = 'running' AND submissions.lease < :now)
  )
  RETURNING attempt
`;

/** Selects rows that may be deleted: those that are not running or whose lease has expired. */
const mayGo = "NOT (state = 'running' AND lease >= :now)";

/** Narrows the store: every method is synchronous. */
export interface SubmissionDb extends SubmissionStore {
  find(key: Uint8Array): SubmissionRow | undefined;
  take(row: NewRow, now: number): boolean;
  end(row: EndedRow): boolean;
  close(): void;
}

/** Opens the memory of submissions in its own file, shared by all processes of a machine. Throws if it cannot. */
export function openSubmissionDb(file: string, limits: SubmissionDbLimits = submissionDbLimits): SubmissionDb {
  const db = openSqliteFile(file, { busyMs: limits.busyMs });
  // Writes survive a killed process; a power cut may lose the last moments, unless `sync` was called after them.
  db.exec(`PRAGMA synchronous = NORMAL; ${tables}`);
  const owner = randomBytes(8);
  const statements = {
    find: db.prepare("SELECT attempt, state, lease, body, visitor, sealed FROM submissions WHERE key = ?"),
    take: db.prepare(take),
    end: db.prepare(
      `UPDATE submissions SET state = :state, sealed = :sealed, visitor = visitor || coalesce(char(10) || :visitor, '')
       WHERE key = :key AND attempt = :attempt AND owner = :owner AND state = 'running'`,
    ),
    // Remembered for a day from now on.
    recover: db.prepare(
      `UPDATE submissions SET state = 'done', sealed = :sealed, at = :now
       WHERE key = :key AND attempt = :attempt AND state <> 'done' AND ${mayGo}`,
    ),
    renew: db.prepare(
      "UPDATE submissions SET lease = ? WHERE key = ? AND attempt = ? AND owner = ? AND state = 'running'",
    ),
    forgotten: db.prepare("SELECT at FROM forgotten"),
  };
  const room = new Room(db, limits);
  const log = new WriteAheadLog(file);
  // Runs outside of every request's context, so that a trace shows only the application's own queries.
  const apart = AsyncLocalStorage.snapshot();
  return {
    find: (key) => apart(() => rowOf(statements.find.get(key))),
    take: ({ key, attempt, state, leaseUntil: lease, body, visitor }: NewRow, now) =>
      apart(() => {
        room.make(now);
        return statements.take.get({ key, attempt, state, owner, lease, now, body, visitor }) !== undefined;
      }),
    end: ({ visitor = null, ...row }) => apart(() => statements.end.run({ ...row, visitor, owner }).changes === 1),
    recover: (row, now) => apart(() => statements.recover.run({ ...row, now }).changes === 1),
    renew: (key, attempt, lease) => apart(() => void statements.renew.run(lease, key, attempt, owner)),
    sync: () => log.sync(),
    hasForgotten: (now) => apart(() => Number(statements.forgotten.get()?.at ?? 0) > now - limits.keepMs),
    close: () => {
      log.close();
      db.close();
    },
  };
}

/**
 * Syncs what SQLite has written, in the thread pool: a sync of SQLite's own would stop all requests. A write is
 * complete when it is in this file. SQLite syncs it before it moves writes to the database, and holds no locks on it,
 * which a second handle of the same process would release.
 */
class WriteAheadLog {
  readonly #file: string;
  #handle: Promise<FileHandle | undefined> | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  async sync(): Promise<void> {
    this.#handle ??= this.#open();
    await (await this.#handle)?.datasync();
  }

  close(): void {
    void this.#handle?.then((handle) => handle?.close()).catch(() => undefined);
  }

  async #open(): Promise<FileHandle | undefined> {
    try {
      const folder = await open(path.dirname(this.#file), "r");
      // Its name has to survive too.
      await folder.sync().finally(() => folder.close());
      return await open(`${this.#file}-wal`, "r+");
    } catch (error) {
      this.#handle = undefined;
      // A file system without shared memory has no such log: there SQLite syncs each write.
      if (hasCode(error, "ENOENT")) return undefined;
      throw error;
    }
  }
}

type Stored = {
  attempt: number;
  state: RowState;
  lease: number;
  body: Uint8Array | null;
  visitor: string;
  sealed: Uint8Array | null;
};

function rowOf(found: unknown): SubmissionRow | undefined {
  if (found === undefined) return undefined;
  // The columns of the statement, as this file wrote them.
  const { lease: leaseUntil, ...row } = found as Stored;
  return { ...row, leaseUntil };
}

/**
 * Keeps the table within its limits. It counts only now and then, because counting all rows costs more than a claim.
 */
class Room {
  readonly #db: DatabaseSync;
  readonly #limits: SubmissionDbLimits;
  /** Claims until the next count. */
  #left = 0;

  constructor(db: DatabaseSync, limits: SubmissionDbLimits) {
    this.#db = db;
    this.#limits = limits;
  }

  /** Throws when every remaining row is still running. */
  make(now: number): void {
    if (this.#left-- > 0) return;
    const { rows, keepMs } = this.#limits;
    this.#left = 0;
    this.#db.prepare(`DELETE FROM submissions WHERE at < :old AND ${mayGo}`).run({ old: now - keepMs, now });
    // Frees a hundredth of the room at once, so that a full table is not counted at each claim.
    const share = Math.ceil(rows / 100);
    const tooMany = this.#rows() - (rows - share);
    if (tooMany > 0) this.#forget(tooMany, now);
    while (this.#bytes() > this.#limits.bytes && this.#forget(share, now) > 0);
    if (this.#rows() >= rows || this.#bytes() > this.#limits.bytes)
      throw new RangeError("The memory of submissions is full.");
    this.#left = share - 1;
  }

  /** Deletes the oldest rows and records their time: a missing row may have been one of them. */
  #forget(count: number, now: number): number {
    const removed = this.#db
      .prepare(
        `DELETE FROM submissions WHERE key IN (SELECT key FROM submissions WHERE ${mayGo} ORDER BY at LIMIT :count) RETURNING at`,
      )
      .all({ now, count });
    const last = Math.max(0, ...removed.map(({ at }) => Number(at)));
    if (last > 0)
      this.#db
        .prepare("INSERT INTO forgotten VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET at = max(at, excluded.at)")
        .run(last);
    return removed.length;
  }

  #rows(): number {
    return Number(this.#db.prepare("SELECT count(*) AS rows FROM submissions").get()?.rows);
  }

  #bytes(): number {
    const read = (name: string): number => Number(Object.values(this.#db.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
    return (read("page_count") - read("freelist_count")) * read("page_size");
  }
}
