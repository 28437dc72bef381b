import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isObject } from "#protocol";
import { checkStore } from "../check-store.ts";
import { serviceErrors } from "../errors.ts";
import { checksumsName, isRestored } from "./layout.ts";
import { readTar, type TarEntry } from "./tar.ts";

/**
 * Restores a backup to a data folder, which must be new or empty. Afterwards the folder is complete and checked, or
 * does not exist.
 */
export async function restoreBackup(file: string, dataFolder: string): Promise<void> {
  if (!existsSync(file)) throw serviceErrors.noBackup(file, "there is no such file");
  if (existsSync(dataFolder) && readdirSync(dataFolder).length > 0) throw serviceErrors.folderNotEmpty(dataFolder);
  mkdirSync(dirname(resolve(dataFolder)), { recursive: true });
  const scratch = mkdtempSync(join(dirname(resolve(dataFolder)), ".holdfast-restore-"));
  try {
    unpack(file, scratch);
    const check = await checkStore(scratch, "quick");
    if (check.kind === "absent") throw serviceErrors.noBackup(file, "it holds no store");
    const [finding] = check.findings;
    if (finding !== undefined) throw serviceErrors.noBackup(file, finding);
    rmSync(dataFolder, { recursive: true, force: true });
    renameSync(scratch, dataFolder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function unpack(file: string, folder: string): void {
  const found = new Map<string, string>();
  let promised: Readonly<Record<string, unknown>> | undefined;
  for (const entry of readTar(file)) {
    if (entry.name === checksumsName) promised = readChecksums(entry);
    else if (isRestored(entry.name)) found.set(entry.name, writeOut(entry, join(folder, entry.name)));
    else throw serviceErrors.noBackup(file, `"${entry.name.slice(0, 80)}" does not belong into one`);
  }
  if (promised === undefined) throw serviceErrors.noBackup(file, "its end is missing");
  for (const [name, checksum] of Object.entries(promised)) {
    if (found.get(name) !== checksum) throw serviceErrors.noBackup(file, `${name} is damaged or missing`);
  }
}

/** Writes a file and returns its checksum. */
function writeOut(entry: TarEntry, path: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const handle = openSync(path, "wx", 0o600);
  try {
    const hash = createHash("sha256");
    for (const piece of entry.pieces()) {
      hash.update(piece);
      for (let at = 0; at < piece.length; ) at += writeSync(handle, piece, at);
    }
    fsyncSync(handle);
    return hash.digest("hex");
  } finally {
    closeSync(handle);
  }
}

function readChecksums(entry: TarEntry): Readonly<Record<string, unknown>> | undefined {
  try {
    const checksums: unknown = JSON.parse(Buffer.concat([...entry.pieces()]).toString("utf8"));
    return isObject(checksums) ? checksums : undefined;
  } catch {
    // Cut off in the middle: treated like missing.
    return undefined;
  }
}
