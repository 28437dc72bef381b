import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { Database, type Mode } from "./database.ts";
import { sqliteErrors } from "./errors.ts";
import { KeptReferences } from "./kept-references.ts";
import { NameTable } from "./name-table.ts";
import { RecentlySeen } from "./recently-seen.ts";
import { metaMigrations } from "./schema.ts";
import { WeekFile } from "./week-file.ts";
import { isWeekFile, type Week, weekOf } from "./weeks.ts";

// A service that keeps 90 days reads 13 weeks. Who writes needs this week and the one before.
const mostOpenWeeks = { read: 16, write: 4 };
// The first events of some thousand issues; who reads opens one event at a time.
const referenceLimits = {
  read: { bytes: 2 * 1024 ** 2, entries: 2_000 },
  write: { bytes: 16 * 1024 ** 2, entries: 20_000 },
};

/** The files of one store: one for what lasts, and one for each week. */
export class StoreFiles {
  readonly folder: string;
  readonly mode: Mode;
  readonly meta: Database;
  readonly names: NameTable;
  /** Texts of groups that were indexed or found to be indexed lately. */
  readonly recentTexts = new RecentlySeen(20_000);
  readonly #weeks = new Map<string, WeekFile>();
  readonly #references: KeptReferences;
  #writing = new Set<WeekFile>();
  /** Asked for with every event, and the same throughout a batch. */
  readonly #previous = new Map<string, { file: WeekFile | undefined }>();

  constructor(folder: string, mode: Mode, newNamesPerHour?: number) {
    this.folder = folder;
    this.mode = mode;
    const meta = join(folder, "meta.db");
    if (mode === "write") {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // Rows of a week are numbered by what only this file knows.
      if (!existsSync(meta) && readdirSync(folder).some(isWeekFile)) throw sqliteErrors.metaMissing(meta);
    }
    this.meta = new Database(meta, mode, metaMigrations);
    this.names = new NameTable(this.meta, undefined, {
      ...(newNamesPerHour !== undefined && { newPerHour: newNamesPerHour }),
    });
    this.#references = new KeptReferences(referenceLimits[mode]);
    // A reader cannot migrate a file, so the writer migrates all of them once, at its start.
    if (mode === "write") for (const week of this.weekList()) if (existsSync(this.pathOf(week))) this.openWeek(week);
  }

  /** Newest first. */
  weekList(): Week[] {
    return this.meta.all<{ name: string; from: number; to: number }>(
      'SELECT name, starts_at AS "from", ends_at AS "to" FROM week ORDER BY starts_at DESC',
    );
  }

  /** All weeks that there are, newest first. */
  *weeks(): Generator<WeekFile> {
    const list = this.weekList();
    for (const file of this.#weeks.values()) {
      if (!this.#writing.has(file) && !list.some(({ name }) => name === file.week.name)) this.#closeWeek(file);
    }
    for (const week of list) {
      const file = this.openWeek(week);
      if (file !== undefined) yield file;
    }
  }

  /** A reader may find a week dropped between being listed and being opened. */
  openWeek(week: Week): WeekFile | undefined {
    const open = this.#weeks.get(week.name);
    if (open !== undefined) return open;
    if (this.mode === "read" && !existsSync(this.pathOf(week))) return undefined;
    const file = new WeekFile(this.folder, week, this.mode, this.#references);
    this.#weeks.set(week.name, file);
    this.#closeOldest(file);
    return file;
  }

  /** The week to write into, inside a transaction that lasts until `commitWeeks` or `rollback`. */
  writableWeek(at: number): WeekFile {
    const week = weekOf(at);
    const open = this.#weeks.get(week.name);
    if (open !== undefined && this.#writing.has(open)) return open;
    const file = open ?? this.openWeek(week);
    if (file === undefined) throw new Error(`The week ${week.name} could not be opened for writing.`);
    this.meta.run("INSERT OR IGNORE INTO week VALUES (?, ?, ?)", week.name, week.from, week.to);
    file.database.begin();
    this.#writing.add(file);
    return file;
  }

  /** The week before, if it still exists: where the first delivery of an event may lie. */
  previousWeek(of: WeekFile): WeekFile | undefined {
    const found = this.#previous.get(of.week.name);
    if (found !== undefined) return found.file;
    const week = weekOf(of.week.from - 1);
    const file = existsSync(this.pathOf(week)) ? this.openWeek(week) : undefined;
    this.#previous.set(of.week.name, { file });
    return file;
  }

  commitWeeks(upTo: number): void {
    for (const file of this.#writing) {
      file.finishBatch(upTo);
      file.database.commit();
    }
    this.#writing = new Set();
    this.#previous.clear();
  }

  rollback(): void {
    for (const file of this.#weeks.values()) {
      file.database.rollbackIfOpen();
      file.forget();
    }
    this.#writing = new Set();
    this.meta.rollbackIfOpen();
    this.names.forget();
    this.recentTexts.forget();
    this.#previous.clear();
  }

  /** Every commit of a week is durable already; SQLite syncs the folder with the first of a new file. */
  sync(): void {
    for (const file of this.#weeks.values()) file.database.sync();
    this.meta.sync();
  }

  dropWeek(name: string): void {
    const open = this.#weeks.get(name);
    if (open !== undefined) this.#closeWeek(open);
    // Files first: after a crash in between, the week is still listed and is dropped again.
    for (const suffix of ["", "-wal", "-shm"]) rmSync(join(this.folder, `${name}.db${suffix}`), { force: true });
    this.meta.transaction(() => this.meta.run("DELETE FROM week WHERE name = ?", name));
  }

  pathOf(week: Week): string {
    return join(this.folder, `${week.name}.db`);
  }

  bytesOf(week: Week): number {
    let bytes = 0;
    for (const suffix of ["", "-wal"])
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
    this.#previous.clear();
    if (this.mode === "write") file.database.settle();
    file.close();
  }
}
