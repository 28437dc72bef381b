import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { ReferenceCache } from "../bodies/reference-cache.ts";
import { RecentlySeen } from "../recently-seen.ts";
import type { DeletionReason, DeletionRecord } from "../records.ts";
import { isWeekFile, nameOfPart, partOf, type Week, weekMs, weekOf } from "../weeks.ts";
import { Database, type Mode } from "./database.ts";
import { sqliteErrors } from "./errors.ts";
import { NameTable } from "./name-table.ts";
import { metaMigrations } from "./schema.ts";
import { WeekFile } from "./week/week-file.ts";

// A service that keeps 90 days reads 13 weeks, and up to eight parts of weeks if its limit is small. The writer needs
// this week and those just before it.
const mostOpenWeeks = { read: 24, write: 6 };
const everyRow = Number.MAX_SAFE_INTEGER;
// Number of earlier files in which duplicates of an event are searched.
const mostEarlier = 3;
// First events of a few thousand issues. A reader opens one event at a time.
const referenceLimits = {
  read: { bytes: 2 * 1024 ** 2, entries: 2_000 },
  write: { bytes: 16 * 1024 ** 2, entries: 20_000 },
};

/** Files of one store: one for long-lived data, and one for each week. */
export class StoreFiles {
  readonly folder: string;
  readonly mode: Mode;
  readonly meta: Database;
  readonly names: NameTable;
  /** Texts of groups that were recently indexed or found in the index. */
  readonly recentTexts: RecentlySeen = new RecentlySeen(20_000);
  readonly #weeks = new Map<string, WeekFile>();
  readonly #references: ReferenceCache;
  #writing = new Set<WeekFile>();
  /** Whether the batch is the first one of a week. */
  #hasNewWeek = false;
  /** Needed for every event, and the same throughout a batch. */
  readonly #earlier = new Map<string, readonly WeekFile[]>();
  /** The last requested week, which is nearly always the next one too. */
  #lastWeek: Week | undefined;

  constructor(folder: string, mode: Mode, newNamesPerHour?: number) {
    this.folder = folder;
    this.mode = mode;
    const meta = join(folder, "meta.db");
    if (mode === "write") {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // Only this file knows the meaning of the numbers in a week's rows.
      if (!existsSync(meta) && readdirSync(folder).some(isWeekFile)) throw sqliteErrors.metaMissing(meta);
    }
    this.meta = new Database(meta, mode, metaMigrations);
    this.names = new NameTable(this.meta, undefined, {
      ...(newNamesPerHour !== undefined && { newPerHour: newNamesPerHour }),
    });
    this.#references = new ReferenceCache(referenceLimits[mode]);
    if (mode === "write") this.#prepareWeeks();
  }

  /** A reader cannot migrate a file, so the writer migrates all of them at its start. */
  #prepareWeeks(): void {
    for (const week of this.weekList()) {
      if (week.goneBefore === everyRow) this.removeWeek(week.name);
      else if (existsSync(this.pathOf(week))) this.#finishCut(week);
    }
  }

  /** A process that was killed while it deleted rows has recorded which. */
  #finishCut(week: Week): void {
    const file = this.openWeek(week);
    const { goneBefore = 0 } = week;
    if (file !== undefined && file.countEvents(0, goneBefore) > 0) file.cutBefore(goneBefore);
  }

  /** Newest first. */
  weekList(): Week[] {
    return this.meta.all<Required<Week>>(
      'SELECT name, starts_at AS "from", ends_at AS "to", gone_before AS goneBefore FROM week ORDER BY starts_at DESC',
    );
  }

  /** Yields all existing weeks, newest first. */
  *weeks(): Generator<WeekFile> {
    const list = this.weekList();
    for (const file of this.#weeks.values()) {
      const isListed = list.some(({ name, from }) => name === file.week.name && from === file.week.from);
      if (!this.#writing.has(file) && !isListed) this.#closeWeek(file);
    }
    for (const week of list) {
      const file = this.openWeek(week);
      if (file !== undefined) yield file;
    }
  }

  /** For a reader, a week may be deleted between being listed and being opened. */
  openWeek(week: Week): WeekFile | undefined {
    const open = this.#weeks.get(week.name);
    if (open !== undefined) return open;
    if (this.mode === "read" && !existsSync(this.pathOf(week))) return undefined;
    const file = new WeekFile(this.folder, week, this.mode, this.#references);
    this.#weeks.set(week.name, file);
    this.#closeOldest(file);
    return file;
  }

  /** Returns the week to write into, inside a transaction that lasts until `commitWeeks` or `rollback`. */
  writableWeek(at: number): WeekFile {
    const week = this.#weekAt(at);
    const open = this.#weeks.get(week.name);
    if (open !== undefined && this.#writing.has(open)) return open;
    const file = open ?? this.openWeek(week);
    if (file === undefined) throw new Error(`The week ${week.name} could not be opened for writing.`);
    if (this.#list(week, "OR IGNORE")) this.#hasNewWeek = true;
    file.database.begin();
    this.#writing.add(file);
    return file;
  }

  /**
   * Returns the week of a moment, or its part. Depends only on the list in the meta file: an item that is filed again
   * after a crash goes to the same file.
   */
  #weekAt(at: number): Week {
    if (this.#lastWeek !== undefined && this.#lastWeek.from <= at && at < this.#lastWeek.to) return this.#lastWeek;
    const listed = this.weekList();
    this.#lastWeek = listed.find(({ from, to }) => from <= at && at < to) ?? newWeek(at, listed);
    return this.#lastWeek;
  }

  /** Closes the current week. Later items go into another file, so that this one can be deleted when space is short. */
  splitWeek(at: number): void {
    const current = this.weekList().find(({ from, to }) => from < at && at < to);
    if (current === undefined) return;
    const open = this.#weeks.get(current.name);
    this.meta.transaction(() => {
      this.meta.run("UPDATE week SET ends_at = ? WHERE name = ?", at, current.name);
      const next = newWeek(at, this.weekList());
      this.#list(next);
    });
    // Durable before anything is filed by it.
    this.meta.sync();
    if (open !== undefined) this.#closeWeek(open);
    this.#forgetWeeks();
  }

  /** Returns whether the week is new. */
  #list({ name, from, to }: Week, otherwise = ""): boolean {
    const sql = `INSERT ${otherwise} INTO week (name, starts_at, ends_at) VALUES (?, ?, ?)`;
    return this.meta.run(sql, name, from, to).changes > 0;
  }

  /** Deletes the oldest rows of a week until it has about this size. */
  cutWeek(name: string, toBytes: number, why: DeletionReason): void {
    const week = this.weekList().find((one) => one.name === name);
    const file = week && this.openWeek(week);
    if (week === undefined || file === undefined) return;
    const first = file.firstBeyond(1 - toBytes / Math.max(1, this.bytesOf(week)));
    if (first === undefined) return;
    // Spans and lines have the client's time, but were accepted in this week.
    const from = Math.min(Math.max(first.at, week.from), week.to - 1);
    this.#recordDeletion(week, file, { before: first.id, from, why });
    file.cutBefore(first.id);
    this.#closeWeek(file);
    this.#forgetWeeks();
  }

  /** Records a deletion before it happens: after a crash the next start finishes it, and it is counted once. */
  #recordDeletion(week: Week, file: WeekFile, deletion: { before: number; from: number; why: DeletionReason }): void {
    const events = file.countEvents(week.goneBefore ?? 0, deletion.before);
    this.meta.transaction(() => {
      this.meta.run(
        "UPDATE week SET starts_at = ?, gone_before = ? WHERE name = ?",
        deletion.from,
        deletion.before,
        week.name,
      );
      this.countDeleted("events", deletion.why, events);
    });
    this.meta.sync();
  }

  /** Call inside a transaction. */
  countDeleted(what: DeletionRecord["what"], why: DeletionReason, n: number): void {
    if (n > 0)
      this.meta.run("INSERT INTO gone VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n", what, why, n);
  }

  /** Returns the files of the seven days before a week, newest first: an event's first delivery may be in one. */
  earlierWeeks(than: WeekFile): readonly WeekFile[] {
    const found = this.#earlier.get(than.week.name);
    if (found !== undefined) return found;
    const { from } = than.week;
    const files = this.weekList()
      .filter((week) => week.from < from && week.to > from - weekMs && existsSync(this.pathOf(week)))
      .slice(0, mostEarlier)
      .flatMap((week) => this.openWeek(week) ?? []);
    this.#earlier.set(than.week.name, files);
    return files;
  }

  commitWeeks(upTo: number): void {
    for (const file of this.#writing) {
      file.finishBatch(upTo);
      file.database.commit();
    }
    if (this.#hasNewWeek) this.#emptyOldLogs();
    this.#writing = new Set();
    this.#earlier.clear();
  }

  /** Little comes into a week that is over, and its log would keep up to 8 MiB for as long as its file is open. */
  #emptyOldLogs(): void {
    const newest = Math.max(...[...this.#writing].map(({ week }) => week.from));
    for (const { week, database } of this.#weeks.values()) if (week.from < newest) database.emptyLog();
    this.#hasNewWeek = false;
  }

  rollback(): void {
    for (const file of this.#weeks.values()) {
      file.database.rollbackIfOpen();
      file.forget();
    }
    this.#writing = new Set();
    this.#hasNewWeek = false;
    this.meta.rollbackIfOpen();
    this.names.forget();
    this.recentTexts.forget();
    this.#forgetWeeks();
  }

  /** Every commit of a week is already durable. SQLite syncs the folder with the first commit of a new file. */
  sync(): void {
    for (const file of this.#weeks.values()) file.database.sync();
    this.meta.sync();
  }

  /** Until a checkpoint, written data occupies two places. */
  emptyLogs(): void {
    for (const file of this.#weeks.values()) file.database.emptyLog();
    this.meta.emptyLog();
  }

  dropWeek(name: string, why: DeletionReason): void {
    const week = this.weekList().find((one) => one.name === name);
    const file = week && existsSync(this.pathOf(week)) ? this.openWeek(week) : undefined;
    if (week !== undefined && file !== undefined)
      this.#recordDeletion(week, file, { before: everyRow, from: week.from, why });
    this.removeWeek(name);
  }

  /** Deletes the files of a week. What was in it is not counted as deleted. */
  removeWeek(name: string): void {
    const open = this.#weeks.get(name);
    if (open !== undefined) this.#closeWeek(open);
    // Files first: after a crash in between, the week is still listed and is deleted again.
    for (const suffix of ["", "-wal", "-shm"]) rmSync(join(this.folder, `${name}.db${suffix}`), { force: true });
    this.meta.transaction(() => this.meta.run("DELETE FROM week WHERE name = ?", name));
    this.#forgetWeeks();
  }

  #forgetWeeks(): void {
    this.#lastWeek = undefined;
    this.#earlier.clear();
  }

  pathOf(week: Week): string {
    return join(this.folder, `${week.name}.db`);
  }

  bytesOf(week: Week): number {
    let bytes = 0;
    for (const suffix of ["", "-wal", "-shm"])
      bytes += statSync(`${this.pathOf(week)}${suffix}`, { throwIfNoEntry: false })?.size ?? 0;
    return bytes;
  }

  close(): void {
    for (const file of this.#weeks.values()) file.close();
    this.#weeks.clear();
    this.meta.close();
  }

  #closeOldest(opened: WeekFile): void {
    for (const file of this.#weeks.values()) {
      if (this.#weeks.size <= mostOpenWeeks[this.mode]) return;
      if (file !== opened && !this.#writing.has(file)) this.#closeWeek(file);
    }
  }

  #closeWeek(file: WeekFile): void {
    this.#weeks.delete(file.week.name);
    this.#earlier.clear();
    if (this.mode === "write") file.database.settle();
    file.close();
  }
}

/** Creates an unlisted week, limited so that it does not overlap others. */
function newWeek(at: number, listed: readonly Week[]): Week {
  const { name, from, to } = weekOf(at);
  // Higher than all existing parts: the name of a deleted one may still be open elsewhere.
  const part = 1 + Math.max(0, ...listed.map((week) => partOf(week.name, name)));
  return {
    name: nameOfPart(name, part),
    from: Math.max(from, ...listed.map((week) => week.to).filter((end) => end <= at)),
    to: Math.min(to, ...listed.map((week) => week.from).filter((start) => start > at)),
  };
}
