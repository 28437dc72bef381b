import { chmodSync, existsSync, statSync } from "node:fs";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { writeAhead } from "../../rows/sqlite-file.ts";
import { sqliteErrors } from "./errors.ts";

export type Mode = "write" | "read";

/** When a commit survives a power loss: at once, or with the next `sync`. */
export type Durability = "at-once" | "when-synced";

/** SQLite's default size of the write-ahead log before a checkpoint, with pages of 8 KiB. */
const mostLogBytes = 8_388_608;

/** How long a writer waits for another. */
const busyMs = 5_000;
/** How long a checkpoint waits for readers. A page of the console reads for less, a backup for minutes. */
const readersMs = 200;
/** SQLite's code for incremental vacuum. */
const incrementalVacuum = 2;
/** Marks a file in which deleted content was overwritten from its beginning. Any number will do. */
const overwritten = 1;
/** A quarter of the largest log. */
const pagesAtOnce = 256;

/** The store itself uses about eighty per file. Filters of users add others, and each takes about 10 KB. */
const mostStatements = 200;

/**
 * SQLite reads the value of `LIMIT ?` when it compiles a statement, and therefore compiles it again whenever a value is
 * bound: two thirds of the time of a short query. It does not read an expression.
 */
const boundLimit = /LIMIT \?\d*/g;

/** A SQLite file with its prepared statements. The only class that uses the driver. */
export class Database {
  readonly file: string;
  readonly #handle: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** Identifies the file, even if another one gets its name later. */
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
    // Pages of 8 KiB hold most compressed bodies without overflow pages. Incremental vacuum frees disk space without
    // rewriting the file.
    this.#handle.exec("PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL;");
    writeAhead(this.#handle, busyMs);
    // Without a limit, the write-ahead log of a large batch would keep its size.
    this.#handle.exec(`PRAGMA journal_size_limit = ${mostLogBytes};`);
    this.#syncCommits(this.#durability);
    // Overwrites deleted content in pages that are written anyway, so that an erasure has no remains to look for.
    this.#handle.exec("PRAGMA secure_delete = FAST;");
    // Twice the cache size brings no measurable gain: the system's file cache holds the rest. Up to five files are
    // open.
    this.#handle.exec("PRAGMA cache_size = -12288; PRAGMA temp_store = MEMORY;");
    const version = this.#version();
    if (version > migrations.length) throw sqliteErrors.fileFromTheFuture(this.file, version, migrations.length);
    // A reader meets a new file without tables or with all of them.
    if (version === 0) {
      this.#handle.exec(`PRAGMA application_id = ${overwritten}`);
      this.#migrate(migrations.join(";"), migrations.length);
    } else for (const [step, sql] of migrations.entries()) if (step >= version) this.#migrate(sql, step + 1);
  }

  /** A killed migration leaves the old version or the new one, never a mixture. */
  #migrate(sql: string, version: number): void {
    this.transaction(() => this.#handle.exec(`${sql}; PRAGMA user_version = ${version};`));
  }

  #expectVersion(expected: number): void {
    const version = this.#version();
    if (version > expected) throw sqliteErrors.fileFromTheFuture(this.file, version, expected);
    if (version === 0 && expected > 0) throw sqliteErrors.nothingFiledYet(this.file);
    if (version < expected) throw sqliteErrors.fileFromThePast(this.file, version, expected);
  }

  #version(): number {
    return this.one<{ user_version: number }>("PRAGMA user_version")?.user_version ?? 0;
  }

  run(sql: string, ...values: SQLInputValue[]): { changes: number } {
    return { changes: Number(this.#statement(sql).run(...values).changes) };
  }

  /** The caller names the columns of its own SQL, which the driver does not know. */
  one<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined;
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#statement(sql).all(...values) as Row[];
  }

  /** Rows as arrays, in the order of the columns: half the time of `all` where rows are many and short. */
  tuples<Row extends readonly unknown[]>(sql: string, ...values: SQLInputValue[]): Row[] {
    // A statement returns rows in one form. The comment makes it another one.
    const statement = this.#statement(`${sql} -- as arrays`);
    statement.setReturnArrays(true);
    // Its type knows only rows as objects.
    return statement.all(...values) as unknown as Row[];
  }

  iterate<Row>(sql: string, ...values: SQLInputValue[]): IterableIterator<Row> {
    return this.#statement(sql).iterate(...values) as IterableIterator<Row>;
  }

  /** Number of cached prepared statements. */
  get statements(): number {
    return this.#statements.size;
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const made = this.#handle.prepare(sql.replaceAll(boundLimit, "$& + 0"));
    // Evicts the oldest. A frequent one is prepared again and is then the newest.
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
    // A full disk may already have ended the transaction.
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

  /** All reads inside see the same moment. */
  reading<T>(work: () => T): T {
    this.#handle.exec("BEGIN");
    try {
      return work();
    } finally {
      this.#handle.exec("COMMIT");
    }
  }

  /**
   * Makes all commits survive a power loss, by one more commit that is synced and includes those before it. Opening and
   * syncing the files here would be harmful: closing them would release all POSIX locks of this process on them,
   * including SQLite's.
   */
  sync(): void {
    if (statSync(this.file, { throwIfNoEntry: false })?.ino !== this.#inode)
      throw sqliteErrors.fileNotInPlace(this.file);
    if (this.#durability === "at-once") return;
    this.#syncCommits("at-once");
    try {
      // Writes the same version, the smallest change that SQLite does not optimise away.
      this.#handle.exec(`PRAGMA user_version = ${this.#version()}`);
    } finally {
      this.#syncCommits(this.#durability);
    }
  }

  #syncCommits(durability: Durability): void {
    this.#handle.exec(`PRAGMA synchronous = ${durability === "at-once" ? "FULL" : "NORMAL"}`);
  }

  /** Before a longer close: moves everything into the main file, as far as readers allow it, and makes it durable. */
  settle(): void {
    this.emptyLog();
    this.sync();
  }

  /** Size of the content, without the write-ahead log. */
  get usedBytes(): number {
    return this.#figure("page_count") * this.#figure("page_size") - this.unusedBytes;
  }

  /** Size of free pages. */
  get unusedBytes(): number {
    return this.#figure("freelist_count") * this.#figure("page_size");
  }

  #figure(pragma: string): number {
    return Object.values(this.one<Record<string, number>>(`PRAGMA ${pragma}`) ?? {})[0] ?? 0;
  }

  /**
   * Returns free pages to the disk, some at a time, because moved pages go through the write-ahead log. A file from
   * before incremental vacuum is rewritten, once.
   */
  compact(): void {
    this.emptyLog();
    if (this.#figure("auto_vacuum") !== incrementalVacuum) {
      this.#handle.exec(`PRAGMA auto_vacuum = ${incrementalVacuum}; VACUUM`);
      this.emptyLog();
    }
    while (this.unusedBytes > 0) {
      this.#handle.exec(`PRAGMA incremental_vacuum(${pagesAtOnce})`);
      // Stops if a reader blocks the checkpoint. The rest follows another time.
      if (!this.emptyLog()) return;
    }
  }

  /**
   * Removes what deleted rows have left behind: free pages, and the log. A file from before deleted content was
   * overwritten is rewritten, once. Returns whether readers allowed it.
   */
  removeRemains(): boolean {
    if (this.#figure("application_id") !== overwritten) {
      this.#handle.exec(`VACUUM; PRAGMA application_id = ${overwritten}`);
    }
    this.compact();
    return this.unusedBytes === 0 && this.emptyLog();
  }

  /** Moves everything into the main file. Returns whether readers allowed it. */
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

/** Whether an error concerns the disk or another writer, and not the written data. */
export function isAboutTheDisk(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("errcode" in error && typeof error.errcode === "number") return diskCodes.has(error.errcode & 255);
  return (
    "code" in error && typeof error.code === "string" && /^(?:ENOSPC|EIO|EROFS|EDQUOT|EACCES|EMFILE)$/.test(error.code)
  );
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const damage: ReadonlySet<unknown> = new Set([11, 26]);

function isDamage(error: unknown): error is Error & { errstr: string } {
  return error instanceof Error && "errcode" in error && damage.has(error.errcode) && "errstr" in error;
}
