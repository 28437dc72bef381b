import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JournalRecord } from "../journal/record.ts";

/** Enough to find the cause. An attacker who finds a record that cannot be filed may send it a million times. */
const mostFiles = 1_000;
const mostBytes = 67_108_864;
export interface QuarantineLimits {
  files: number;
  bytes: number;
}

export const quarantineLimits: QuarantineLimits = { files: mostFiles, bytes: mostBytes };

/** Stores records that cannot be filed, up to a limit: they were acknowledged, and may be read by hand. */
export function createQuarantine(
  folder: string,
  limits: QuarantineLimits = quarantineLimits,
): (record: JournalRecord) => "stored" | "no-room" {
  let left: QuarantineLimits | undefined;
  return ({ project, position, bytes }: JournalRecord): "stored" | "no-room" => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    left ??= roomIn(folder, limits);
    if (left.files < 1 || left.bytes < bytes.length) return "no-room";
    writeFileSync(join(folder, `${project}-${position}.envelope`), bytes, { mode: 0o600 });
    left = { files: left.files - 1, bytes: left.bytes - bytes.length };
    return "stored";
  };
}

function roomIn(folder: string, { files, bytes }: { files: number; bytes: number }): { files: number; bytes: number } {
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  return { files: files - sizes.length, bytes: bytes - sizes.reduce((sum, size) => sum + size, 0) };
}
