import { createHash, randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { hostErrors } from "./errors.ts";

const keyBytes = 32;
const fewestCharacters = 32;

/**
 * The key under which the framework gives visitors something to bring back. It is kept with the data, so that all
 * processes on a machine have it and a restart does not change it; several machines are given the same by
 * `HOLDFAST_SECRET`.
 */
export function sealKeyOf(dataFolder: string, secret: string | undefined): Uint8Array {
  if (secret !== undefined) {
    if (secret.length < fewestCharacters) throw hostErrors.secretTooShort(secret.length, fewestCharacters);
    return createHash("sha256").update(secret).digest();
  }
  const file = path.join(dataFolder, "seal-key");
  const kept = readKey(file);
  if (kept) return kept;
  mkdirSync(dataFolder, { recursive: true });
  const own = `${file}.${process.pid}`;
  writeFileSync(own, randomBytes(keyBytes), { mode: 0o600 });
  try {
    // Of several processes that begin at once the first one's stays, and none sees half of it.
    linkSync(own, file);
  } catch (error) {
    // Not every file system has links; there the last one's stays.
    if (!isCode(error, "EEXIST")) renameSync(own, file);
  } finally {
    rmSync(own, { force: true });
  }
  return readKey(file) ?? randomBytes(keyBytes);
}

function readKey(file: string): Uint8Array | undefined {
  try {
    const bytes = readFileSync(file);
    return bytes.length === keyBytes ? bytes : undefined;
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
