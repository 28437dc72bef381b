import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { EndedRow, NewRow, RowState, SubmissionRow, SubmissionStore } from "#pages";

export interface SubmissionDbLimits {
  /** As long as a tab may sleep over night and ask in the morning. */
  keepMs: number;
  /** Enough for a day of one submission a second; what is more makes room, the oldest that have ended first. */
  rows: number;
  bytes: number;
  /** Waiting for another process longer than this would hold up requests; a write takes a tenth of a millisecond. */
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

/** The whole lock. PostgreSQL takes the same statement. */
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

/** What is not over, or may not be: never forgotten to make room. */
const mayGo = "NOT (state = 'running' AND lease >= :now)";

/** Everything is answered at once. */
export interface SubmissionDb extends SubmissionStore {
  find(key: Uint8Array): SubmissionRow | undefined;
  take(row: NewRow, now: number): boolean;
  end(row: EndedRow): boolean;
  close(): void;
}

/** The memory of submissions in a file of its own, for all processes of a machine. Throws where it cannot be opened. */
export function openSubmissionDb(file: string, limits: SubmissionDbLimits = submissionDbLimits): SubmissionDb {
  mkdirSync(path.dirname(file), { recursive: true });
  const db = new DatabaseSync(file, { timeout: limits.busyMs });
  chmodSync(file, 0o600);
  // What a killed process has written stays written; after a loss of power the last moments may be missing.
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${tables}`);
  const owner = randomBytes(8);
  const statements = {
    find: db.prepare("SELECT attempt, state, lease, body, visitor, sealed FROM submissions WHERE key = ?"),
    take: db.prepare(take),
    end: db.prepare(
      `UPDATE submissions SET state = :state, sealed = :sealed, visitor = visitor || coalesce(char(10) || :visitor, '')
       WHERE key = :key AND attempt = :attempt AND owner = :owner AND state = 'running'`,
    ),
    renew: db.prepare(
      "UPDATE submissions SET lease = ? WHERE key = ? AND attempt = ? AND owner = ? AND state = 'running'",
    ),
    forgotten: db.prepare("SELECT at FROM forgotten"),
  };
  const room = new Room(db, limits);
  // As if outside of every request: a trace shows the application's own queries.
  const apart = AsyncLocalStorage.snapshot();
  return {
    find: (key) => apart(() => rowOf(statements.find.get(key))),
    take: ({ key, attempt, state, leaseUntil: lease, body, visitor }: NewRow, now) =>
      apart(() => {
        room.make(now);
        return statements.take.get({ key, attempt, state, owner, lease, now, body, visitor }) !== undefined;
      }),
    end: ({ visitor = null, ...row }) => apart(() => statements.end.run({ ...row, visitor, owner }).changes === 1),
    renew: (key, attempt, lease) => apart(() => void statements.renew.run(lease, key, attempt, owner)),
    hasForgotten: (now) => apart(() => Number(statements.forgotten.get()?.at ?? 0) > now - limits.keepMs),
    close: () => db.close(),
  };
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
  // The columns that the statement names, as this file has written them.
  const { lease: leaseUntil, ...row } = found as Stored;
  return { ...row, leaseUntil };
}

/**
 * Keeps the table within its bounds. Looks now and then: counting all rows each time would cost more than the claim.
 */
class Room {
  readonly #db: DatabaseSync;
  readonly #limits: SubmissionDbLimits;
  /** Claims until the next look. */
  #left = 0;

  constructor(db: DatabaseSync, limits: SubmissionDbLimits) {
    this.#db = db;
    this.#limits = limits;
  }

  /** Throws where there is none: everything that is kept is still running. */
  make(now: number): void {
    if (this.#left-- > 0) return;
    const { rows, keepMs } = this.#limits;
    this.#left = 0;
    this.#db.prepare(`DELETE FROM submissions WHERE at < :old AND ${mayGo}`).run({ old: now - keepMs, now });
    // A hundredth of the room is made at once, so that a full table is not looked at with each claim.
    const share = Math.ceil(rows / 100);
    const tooMany = this.#rows() - (rows - share);
    if (tooMany > 0) this.#forget(tooMany, now);
    while (this.#bytes() > this.#limits.bytes && this.#forget(share, now) > 0);
    if (this.#rows() >= rows || this.#bytes() > this.#limits.bytes)
      throw new RangeError("The memory of submissions is full.");
    this.#left = share - 1;
  }

  /** The oldest go first, and it is written down how far: what is not found then may have been there. */
  #forget(count: number, now: number): number {
    const gone = this.#db
      .prepare(
        `DELETE FROM submissions WHERE key IN (SELECT key FROM submissions WHERE ${mayGo} ORDER BY at LIMIT :count) RETURNING at`,
      )
      .all({ now, count });
    const last = Math.max(0, ...gone.map(({ at }) => Number(at)));
    if (last > 0)
      this.#db
        .prepare("INSERT INTO forgotten VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET at = max(at, excluded.at)")
        .run(last);
    return gone.length;
  }

  #rows(): number {
    return Number(this.#db.prepare("SELECT count(*) AS rows FROM submissions").get()?.rows);
  }

  #bytes(): number {
    const read = (name: string): number => Number(Object.values(this.#db.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
    return (read("page_count") - read("freelist_count")) * read("page_size");
  }
}
