import { appendFileSync, closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "#errors";
import { isObject } from "#protocol";
import type { RowQueries } from "../rows/rows.ts";

/** A decision of an owner, or a person who joined. */
export interface AuditEntry {
  readonly at: number;
  readonly by: string;
  /** Undefined for entries that concern all projects. */
  readonly project?: number | undefined;
  /** A predicate for `by`, for example `invited max@example.org as viewer`. */
  readonly what: string;
}

/** What owners have decided. Entries are only ever added. */
export interface AuditLog {
  add(entry: AuditEntry): Promise<void>;
  /** Returns the entries of a project and those that concern all, newest first. */
  recent(project: number, limit: number): Promise<readonly AuditEntry[]>;
}

/** Bytes read from the end of the file: about two thousand entries. */
const readBytes = 262_144;

/** In a file, one line of JSON per entry. Several processes may write: a short line is appended atomically. */
export class FileAuditLog implements AuditLog {
  readonly #file: string;

  constructor(folder: string) {
    this.#file = join(folder, "audit.jsonl");
  }

  async add(entry: AuditEntry): Promise<void> {
    appendFileSync(this.#file, `${JSON.stringify(entry)}\n`, { mode: 0o600, flush: true });
  }

  async recent(project: number, limit: number): Promise<readonly AuditEntry[]> {
    return this.#end()
      .split("\n")
      .flatMap((line) => readEntry(line) ?? [])
      .filter((entry) => entry.project === undefined || entry.project === project)
      .slice(-limit)
      .reverse();
  }

  #end(): string {
    let handle: number;
    try {
      handle = openSync(this.#file, "r");
    } catch (error) {
      if (hasCode(error, "ENOENT")) return "";
      throw error;
    }
    try {
      const { size } = fstatSync(handle);
      const piece = Buffer.alloc(Math.min(size, readBytes));
      readSync(handle, piece, 0, piece.length, size - piece.length);
      return piece.toString("utf8");
    } finally {
      closeSync(handle);
    }
  }
}

/** In the database that all processes share. */
export class RowAuditLog implements AuditLog {
  readonly #rows: RowQueries;

  constructor(rows: RowQueries) {
    this.#rows = rows;
  }

  async add({ at, by, project, what }: AuditEntry): Promise<void> {
    await this.#rows.run(
      "INSERT INTO holdfast.audit (at, by, project, what) VALUES ($1, $2, $3, $4)",
      at,
      by,
      project ?? null,
      what,
    );
  }

  async recent(project: number, limit: number): Promise<readonly AuditEntry[]> {
    const rows = await this.#rows.all<{ at: number; by: string; project: number | null; what: string }>(
      "SELECT at, by, project, what FROM holdfast.audit WHERE project = $1 OR project IS NULL ORDER BY id DESC LIMIT $2",
      project,
      limit,
    );
    return rows.map(({ project: of, ...entry }) => ({ ...entry, ...(of !== null && { project: of }) }));
  }
}

/** Returns undefined for half a line, which may be the first one that was read. */
function readEntry(line: string): AuditEntry | undefined {
  let read: unknown;
  try {
    read = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(read)) return undefined;
  const { at, by, project, what } = read;
  if (typeof at !== "number" || typeof by !== "string" || typeof what !== "string") return undefined;
  return { at, by, what, ...(typeof project === "number" && { project }) };
}
