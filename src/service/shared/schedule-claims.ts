import { join } from "node:path";
import type { Rows } from "../rows/rows.ts";
import { openSqliteFile } from "../rows/sqlite-file.ts";
import { sqliteRows } from "../rows/sqlite-rows.ts";

/** One due time of one task, and who wants to run it until when. */
export interface ScheduleClaim {
  /** The application, and the task in it. */
  readonly application: string;
  readonly name: string;
  readonly dueAt: number;
  /** Random for each process. */
  readonly holder: string;
  readonly now: number;
  readonly until: number;
}

/** Decides which of several processes runs a task. */
export interface ScheduleClaims {
  /** The last due time that any process has claimed. A new task has none before now. */
  lastDue(task: Pick<ScheduleClaim, "application" | "name" | "now">): Promise<number>;
  /** True for one process for each due time, and for none while another run goes on, unless runs may overlap. */
  claim(claim: ScheduleClaim, mayOverlap: boolean): Promise<boolean>;
  /** Says that the run goes on. */
  renew(claim: ScheduleClaim): Promise<void>;
  /** The run has ended. */
  release(claim: ScheduleClaim): Promise<void>;
  close(): Promise<void>;
}

/** PostgreSQL has the same table; a migration of its store makes it. */
const table = `CREATE TABLE IF NOT EXISTS schedule (
  application TEXT NOT NULL, name TEXT NOT NULL, due_at INTEGER NOT NULL, holder TEXT NOT NULL, until INTEGER NOT NULL,
  PRIMARY KEY (application, name)) STRICT`;

/** In a file of a data folder, which all processes of a machine share. */
export function openFolderClaims(folder: string): ScheduleClaims {
  const database = openSqliteFile(join(folder, "schedules.db"));
  database.exec(table);
  const rows = sqliteRows(database);
  return { ...claimsIn(rows), close: () => rows.close() };
}

/** `close` leaves the rows to their owner. */
export function claimsIn(rows: Rows): ScheduleClaims {
  return {
    async lastDue({ application, name, now }) {
      await rows.run(
        "INSERT INTO holdfast.schedule VALUES ($1, $2, $3, '', 0) ON CONFLICT DO NOTHING",
        application,
        name,
        now,
      );
      const row = await rows.one<{ due_at: number }>(
        "SELECT due_at FROM holdfast.schedule WHERE application = $1 AND name = $2",
        application,
        name,
      );
      return row?.due_at ?? now;
    },
    async claim({ application, name, dueAt, holder, now, until }, mayOverlap) {
      const changed = await rows.run(
        `UPDATE holdfast.schedule SET due_at = $1, holder = $2, until = $3
         WHERE application = $4 AND name = $5 AND due_at < $1 AND ($6 = 1 OR until < $7)`,
        dueAt,
        holder,
        until,
        application,
        name,
        Number(mayOverlap),
        now,
      );
      return changed === 1;
    },
    async renew({ application, name, dueAt, holder, until }) {
      await rows.run(
        `UPDATE holdfast.schedule SET until = $1 WHERE application = $2 AND name = $3 AND due_at = $4 AND holder = $5`,
        until,
        application,
        name,
        dueAt,
        holder,
      );
    },
    async release({ application, name, dueAt, holder }) {
      await rows.run(
        `UPDATE holdfast.schedule SET until = 0 WHERE application = $1 AND name = $2 AND due_at = $3 AND holder = $4`,
        application,
        name,
        dueAt,
        holder,
      );
    },
    close: async () => undefined,
  };
}
