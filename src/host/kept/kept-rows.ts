import type { KeptChange, KeptNote, KeptOf, KeptRow, KeptState } from "#pages";
import { openSqliteFile } from "#service";

export type StoredRow = Omit<KeptRow, "bytes">;

const tables = `
  CREATE TABLE IF NOT EXISTS kept_submissions (
    id TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    kept_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    digest TEXT,
    last_digest TEXT,
    by_whom TEXT,
    route TEXT,
    action TEXT,
    runs INTEGER NOT NULL DEFAULT 0,
    note BLOB,
    tries INTEGER NOT NULL DEFAULT 0,
    tell_at INTEGER
  )
`;

const columns = `id, state, kept_at AS keptAt, changed_at AS changedAt, digest, last_digest AS lastDigest,
  by_whom AS by, route, action, runs`;

/** Waiting longer for another process would delay requests. */
const busyMs = 1_000;

export interface KeptRows {
  find(id: string): StoredRow | undefined;
  all(): readonly StoredRow[];
  change(change: KeptChange, now: number): boolean;
  notes(now: number): readonly KeptNote[];
  notified(id: string, again: number | undefined): void;
  remove(id: string): void;
  removeBefore(time: number): void;
  close(): void;
}

/** Rows of kept submissions, with nothing that a visitor has sent. A change is on disk when it returns. */
export function openKeptRows(file: string): KeptRows {
  const db = openSqliteFile(file, { busyMs });
  // Each change is synced: one that is lost could make a submission run twice. Changes are rare.
  db.exec(`PRAGMA synchronous = FULL; ${tables}`);
  const find = db.prepare(`SELECT ${columns} FROM kept_submissions WHERE id = ?`);
  return {
    find: (id) => rowOf(find.get(id)),
    all: () =>
      db
        .prepare(`SELECT ${columns} FROM kept_submissions`)
        .all()
        .flatMap((one) => rowOf(one) ?? []),
    change: ({ id, from, to, digest = null, by = null, note = null, since = null, of }, now) => {
      const { route = null, action = null } = of ?? {};
      const isRun = to === "running" && by !== null ? 1 : 0;
      const tellAt = note === null ? null : now;
      const isNew = from.includes("running");
      const allowed = from.map((state) => `'${state satisfies KeptState}'`).join();
      const update = `
        state = :to, changed_at = :now, digest = coalesce(digest, :digest), last_digest = coalesce(:digest, last_digest),
        by_whom = coalesce(:by, by_whom), route = coalesce(route, :route), action = coalesce(action, :action),
        runs = runs + :isRun, note = :note, tell_at = :tellAt
        WHERE kept_submissions.state IN (${allowed}) AND changed_at = coalesce(:since, changed_at)`;
      const sql = isNew
        ? `INSERT INTO kept_submissions
             (id, state, kept_at, changed_at, digest, last_digest, by_whom, route, action, runs, note, tell_at)
           VALUES (:id, :to, :now, :now, :digest, :digest, :by, :route, :action, :isRun, :note, :tellAt)
           ON CONFLICT (id) DO UPDATE SET ${update}`
        : `UPDATE kept_submissions SET ${update} AND id = :id`;
      return db.prepare(sql).run({ id, to, now, digest, by, route, action, isRun, note, tellAt, since }).changes === 1;
    },
    notes: (now) =>
      db
        .prepare("SELECT id, note, tries FROM kept_submissions WHERE note IS NOT NULL AND tell_at <= ?")
        .all(now)
        // The columns of the statement, as this file wrote them.
        .map((one) => one as unknown as KeptNote),
    notified: (id, again) => {
      if (again === undefined)
        db.prepare("UPDATE kept_submissions SET note = NULL, tell_at = NULL WHERE id = ?").run(id);
      else db.prepare("UPDATE kept_submissions SET tries = tries + 1, tell_at = ? WHERE id = ?").run(again, id);
    },
    remove: (id) => void db.prepare("DELETE FROM kept_submissions WHERE id = ?").run(id),
    removeBefore: (time) =>
      void db
        .prepare("DELETE FROM kept_submissions WHERE changed_at < ? AND state IN ('done', 'forgotten', 'expired')")
        .run(time),
    close: () => db.close(),
  };
}

type Columns = Omit<StoredRow, "of"> & Record<keyof KeptOf, string | null>;

function rowOf(found: unknown): StoredRow | undefined {
  if (found === undefined) return undefined;
  // The columns of the statement, as this file wrote them.
  const { digest, lastDigest, by, route, action, ...row } = found as Columns;
  const of = route === null || action === null ? undefined : { route, action };
  return { ...row, of, digest: digest ?? undefined, lastDigest: lastDigest ?? undefined, by: by ?? undefined };
}
