import { chmodSync, existsSync, statSync } from "node:fs";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { sqliteErrors } from "./errors.ts";

export type Mode = "write" | "read";

/** When a commit survives a loss of power: at once, or with the next `sync`. */
export type Durability = "at-once" | "when-synced";

/** As large as SQLite lets it become before it is written into the file, with pages of 8 KiB. */
const mostLogBytes = 8_388_608;

/** How long a writer waits for another. */
const busyMs = 5_000;
/** How long emptying a log waits for readers: a page of the console is read in less, a backup takes minutes. */
const readersMs = 200;
/** SQLite's number for giving pages back when asked to. */
const incrementalVacuum = 2;
/** A quarter of the largest log. */
const pagesAtOnce = 256;

/**
 * The store itself has some eighty for a file. Filters that people write make others, and each takes some ten
 * kilobytes.
 */
const mostStatements = 200;

/** One SQLite file with its prepared statements. The only place that knows the driver. */
export class Database {
  readonly file: string;
  readonly #handle: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** Identifies the file, even if another one takes its name later. */
  readonly #inode: number;
  readonly #durability: Durability;
  #inTransaction = false;

  constructor(file: string, mode: Mode, migrations: readonly string[], durability: Durability = "when-synced") {
    this.file = file;
    this.#durability = durability;
    if (mode === "read" && !existsSync(file)) throw sqliteErrors.nothingFiledYet(file);
    this.#handle = new DatabaseSync(file, { readOnly: mode === "read", timeout: busyMs });
    this.#inode = statSync(file).ino;
    try {
      if (mode === "write") this.#prepareForWriting(migrations);
      else this.#expectVersion(migrations.length);
    } catch (error) {
      this.#handle.close();
      throw isDamage(error) ? sqliteErrors.fileDamaged(file, error.errstr) : error;
    }
  }

  #prepareForWriting(migrations: readonly string[]): void {
    // Reports are private: only the owner may read the file.
    chmodSync(this.file, 0o600);
    // Pages of 8 KiB hold most packed bodies without overflow pages.
    // What is deleted can be given back to the disk without rewriting the file.
    this.#handle.exec("PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;");
    // A large batch makes a large write-ahead log, which would keep its size for good.
    this.#handle.exec(`PRAGMA journal_size_limit = ${mostLogBytes};`);
    this.#syncCommits(this.#durability);
    // Twice the size of the cache saves nothing that could be measured: what it does not hold is in the system's. Up to
    // five files are open.
    this.#handle.exec("PRAGMA cache_size = -12288; PRAGMA temp_store = MEMORY;");
    const version = this.#version();
    if (version > migrations.length) throw sqliteErrors.fileFromTheFuture(this.file, version, migrations.length);
    for (const [step, sql] of migrations.entries()) {
      // A killed migration leaves the old version or the new one, never half of it.
      if (step >= version) this.transaction(() => this.#handle.exec(`${sql}; PRAGMA user_version = ${step + 1};`));
    }
  }

  #expectVersion(expected: number): void {
    const version = this.#version();
    if (version > expected) throw sqliteErrors.fileFromTheFuture(this.file, version, expected);
    if (version < expected) throw sqliteErrors.fileFromThePast(this.file, version, expected);
  }

  #version(): number {
    return this.one<{ user_version: number }>("PRAGMA user_version")?.user_version ?? 0;
  }

  run(sql: string, ...values: SQLInputValue[]): { changes: number } {
    return { changes: Number(this.#statement(sql).run(...values).changes) };
  }

  /** The caller names the columns that its own SQL selects; the driver cannot know them. */
  one<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined;
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#statement(sql).all(...values) as Row[];
  }

  iterate<Row>(sql: string, ...values: SQLInputValue[]): IterableIterator<Row> {
    return this.#statement(sql).iterate(...values) as IterableIterator<Row>;
  }

  /** How many prepared statements are in memory. */
  get statements(): number {
    return this.#statements.size;
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const made = this.#handle.prepare(sql);
    // The oldest goes; where it is one of those that are always needed it comes back as the newest.
    const oldest = this.#statements.keys().next();
    if (this.#statements.size >= mostStatements && !oldest.done) this.#statements.delete(oldest.value);
    this.#statements.set(sql, made);
    return made;
  }

  begin(): void {
    this.#handle.exec("BEGIN IMMEDIATE");
    this.#inTransaction = true;
  }

  commit(): void {
    this.#handle.exec("COMMIT");
    this.#inTransaction = false;
  }

  rollbackIfOpen(): void {
    if (!this.#inTransaction) return;
    this.#inTransaction = false;
    // A full disk may have ended the transaction already.
    if (this.#handle.isTransaction) this.#handle.exec("ROLLBACK");
  }

  transaction<T>(work: () => T): T {
    this.begin();
    try {
      const result = work();
      this.commit();
      return result;
    } finally {
      this.rollbackIfOpen();
    }
  }

  /** Everything that is read inside is of the same moment. */
  reading<T>(work: () => T): T {
    this.#handle.exec("BEGIN");
    try {
      return work();
    } finally {
      this.#handle.exec("COMMIT");
    }
  }

  /**
   * Makes what was committed survive a loss of power, by one more commit that is synced and so takes all before it
   * along. To open the files here and sync them would do harm: closing them again lets go of every lock that this
   * process has on them, SQLite's too.
   */
  sync(): void {
    if (statSync(this.file, { throwIfNoEntry: false })?.ino !== this.#inode)
      throw sqliteErrors.fileNotInPlace(this.file);
    if (this.#durability === "at-once") return;
    this.#syncCommits("at-once");
    try {
      // The version stays the same. Writing it is the smallest change that SQLite does not leave out for changing
      // nothing.
      this.#handle.exec(`PRAGMA user_version = ${this.#version()}`);
    } finally {
      this.#syncCommits(this.#durability);
    }
  }

  #syncCommits(durability: Durability): void {
    this.#handle.exec(`PRAGMA synchronous = ${durability === "at-once" ? "FULL" : "NORMAL"}`);
  }

  /**
   * Before it is closed for long: brings everything into the one file, as far as readers let it, and makes it durable.
   */
  settle(): void {
    this.emptyLog();
    this.sync();
  }

  /** What the content takes, without what is still in the write-ahead log. */
  get usedBytes(): number {
    return this.#figure("page_count") * this.#figure("page_size") - this.unusedBytes;
  }

  /** Pages that hold nothing. */
  get unusedBytes(): number {
    return this.#figure("freelist_count") * this.#figure("page_size");
  }

  #figure(pragma: string): number {
    return Object.values(this.one<Record<string, number>>(`PRAGMA ${pragma}`) ?? {})[0] ?? 0;
  }

  /**
   * Gives pages that hold nothing back to the disk, some at a time: moved pages go through the write-ahead log. A file
   * from before it could do so in place is rewritten, once.
   */
  compact(): void {
    this.emptyLog();
    if (this.#figure("auto_vacuum") !== incrementalVacuum) {
      this.#handle.exec(`PRAGMA auto_vacuum = ${incrementalVacuum}; VACUUM`);
      this.emptyLog();
    }
    while (this.unusedBytes > 0) {
      this.#handle.exec(`PRAGMA incremental_vacuum(${pagesAtOnce})`);
      // A reader that holds on to the log ends it; the rest goes another time.
      if (!this.emptyLog()) return;
    }
  }

  /** Brings everything into the one file. Returns whether readers let it. */
  emptyLog(): boolean {
    this.#handle.exec(`PRAGMA busy_timeout = ${readersMs}`);
    try {
      return this.one<{ busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)")?.busy === 0;
    } finally {
      this.#handle.exec(`PRAGMA busy_timeout = ${busyMs}`);
    }
  }

  copyTo(file: string): void {
    this.run("VACUUM INTO ?", file);
    chmodSync(file, 0o600);
  }

  close(): void {
    this.#statements.clear();
    this.#handle.close();
  }
}

// SQLite's result codes: BUSY, LOCKED, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB.
const diskCodes = new Set([5, 6, 8, 10, 11, 13, 14, 26]);

/** Whether an error tells of the disk or of another writer, and not of what was to be written. */
export function isAboutTheDisk(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("errcode" in error && typeof error.errcode === "number") return diskCodes.has(error.errcode & 255);
  return (
    "code" in error && typeof error.code === "string" && /^(?:ENOSPC|EIO|EROFS|EDQUOT|EACCES|EMFILE)$/.test(error.code)
  );
}

/** SQLite's numbers for a file whose pages contradict each other, and for one that is no database at all. */
const damage: ReadonlySet<unknown> = new Set([11, 26]);

function isDamage(error: unknown): error is Error & { errstr: string } {
  return error instanceof Error && "errcode" in error && damage.has(error.errcode) && "errstr" in error;
}
