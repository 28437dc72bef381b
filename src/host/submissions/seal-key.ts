import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { hasCode } from "#errors";
import { readEarlierSecrets, readSecret } from "#service";

const keyBytes = 32;

/**
 * Returns the key that seals data which visitors send back. It is stored in the data folder, so that all processes of a
 * machine share it and it survives a restart. Several machines share it through `HOLDFAST_SECRET`.
 */
export function sealKeyOf(dataFolder: string, env: NodeJS.ProcessEnv = process.env): Uint8Array {
  const secret = readSecret(env);
  if (secret !== undefined) return keyOf(secret);
  const file = path.join(dataFolder, "seal-key");
  const stored = readKey(file);
  if (stored) return stored;
  mkdirSync(dataFolder, { recursive: true });
  const temporary = `${file}.${process.pid}`;
  // What it seals is synced, and without it could never be read.
  writeFileSync(temporary, randomBytes(keyBytes), { mode: 0o600, flush: true });
  try {
    // If several processes start at once, the first key wins, and none reads a partial file.
    linkSync(temporary, file);
  } catch (error) {
    // On file systems without hard links, the last key wins.
    if (!hasCode(error, "EEXIST")) renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
  syncFolder(dataFolder);
  return readKey(file) ?? randomBytes(keyBytes);
}

function keyOf(secret: string): Uint8Array {
  return createHash("sha256").update(secret).digest();
}

/**
 * Keys that sealed earlier and still open what is kept: those of `HOLDFAST_SECRET_BEFORE`, and the one in the data
 * folder of a machine that has got a secret since.
 */
export function earlierKeysOf(dataFolder: string, env: NodeJS.ProcessEnv = process.env): Uint8Array[] {
  const stored = readSecret(env) === undefined ? undefined : readKey(path.join(dataFolder, "seal-key"));
  return [...readEarlierSecrets(env).map(keyOf), ...(stored ? [stored] : [])];
}

/** The key of this machine and those before it. */
export function sealKeysOf(dataFolder: string): Uint8Array[] {
  return [sealKeyOf(dataFolder), ...earlierKeysOf(dataFolder)];
}

function syncFolder(folder: string): void {
  try {
    const fd = openSync(folder, "r");
    fsyncSync(fd);
    closeSync(fd);
  } catch {
    // Windows opens no folders, and syncs their entries itself.
  }
}

function readKey(file: string): Uint8Array | undefined {
  try {
    const bytes = readFileSync(file);
    return bytes.length === keyBytes ? bytes : undefined;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}
