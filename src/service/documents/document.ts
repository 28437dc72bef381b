import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** A small JSON document. Everyone reads its file; who changes it may have to change it for other machines too. */
export interface SharedDocument {
  readonly file: string;
  /**
   * Writes what `change` makes of the present value; `undefined` is a document that does not exist yet. Writes nothing
   * if it returns the same value. `change` runs again if another process was faster.
   */
  change(change: (before: unknown) => unknown): Promise<void>;
}

/** A document that only processes with the same data folder share. */
export function fileDocument(file: string): SharedDocument {
  return {
    file,
    async change(change) {
      const before = readDocument(file);
      const after = change(before);
      if (after !== before) replaceFile(file, documentText(after));
    },
  };
}

/** Returns undefined for a file that is absent or has no JSON in it. */
export function readDocument(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

export function documentText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/**
 * Written to a temporary file and renamed. A reader, also after a crash, sees a complete file: the old one or the new
 * one. The name is random, because several processes may write at the same time.
 */
export function replaceFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.${randomBytes(6).toString("hex")}.new`;
  const handle = openSync(fresh, "wx", 0o600);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(fresh, file);
}
