import { appendFileSync, closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "#protocol";

/** Something that an owner decided, or somebody who came in. */
export interface AuditEntry {
  readonly at: number;
  readonly by: string;
  /** Absent for what concerns all projects. */
  readonly project?: number | undefined;
  /** A sentence about `by`: `invited max@example.org as viewer`. */
  readonly what: string;
}

/** As much of the end as is read: some two thousand entries. */
const readBytes = 262_144;

/**
 * Who decided what, one line of JSON each, only ever added to. Several processes may write: a short line is appended
 * whole.
 */
export class AuditLog {
  readonly #file: string;

  constructor(folder: string) {
    this.#file = join(folder, "audit.jsonl");
  }

  add(entry: AuditEntry): void {
    appendFileSync(this.#file, `${JSON.stringify(entry)}\n`, { mode: 0o600, flush: true });
  }

  /** Of a project, and what concerns all; newest first. */
  recent(project: number, limit: number): readonly AuditEntry[] {
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
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
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

/** Nothing for half a line, as the beginning of the piece that was read has it. */
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
