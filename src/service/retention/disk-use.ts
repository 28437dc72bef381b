import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "#errors";

/** Disk use of a service's files, in bytes. */
export interface DiskUse {
  /** Weeks of events, spans and logs, and the long-lived data: issues, counters, source maps. */
  readonly store: number;
  /** Part of the store in write-ahead logs. During a checkpoint it is in the main file as well. */
  readonly logs: number;
  /** Accepted and not filed yet, or filed recently. */
  readonly journal: number;
  /** Everything else: accounts, the audit log, records that could not be filed, and the reserve file. */
  readonly other: number;
}

/**
 * Files that the service and its console create in the folder. Foreign files, such as a backup, must not cause the
 * deletion of events.
 */
const ownNames = [
  /^(?:store|journal|unfiled|uploads)$/,
  /^(?:ballast|address|seal-key|lock)\b/,
  /^(?:accounts\.db|balance\.db|audit\.jsonl|projects\.json|settings\.json)\b/,
];

export function isOwnName(name: string): boolean {
  return ownNames.some((pattern) => pattern.test(name));
}

export function diskUseOf(dataFolder: string): DiskUse {
  const use = { store: 0, logs: bytesOf(join(dataFolder, "store"), "-wal"), journal: 0, other: 0 };
  for (const name of namesIn(dataFolder).filter(isOwnName))
    use[name === "store" || name === "journal" ? name : "other"] += bytesOf(join(dataFolder, name));
  return use;
}

/** A file may be deleted during the measurement. */
function bytesOf(path: string, ending = ""): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  if (!found.isDirectory()) return path.endsWith(ending) ? found.size : 0;
  return namesIn(path).reduce((sum, name) => sum + bytesOf(join(path, name), ending), 0);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}
