import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** What the files of a service take on its disk. */
export interface DiskUse {
  /** Weeks of events, spans and logs, and what outlives them: issues, counters, source maps. */
  readonly store: number;
  /** Of the store, what is in write-ahead logs. For a moment it is in its file as well. */
  readonly logs: number;
  /** Accepted and not filed yet, or filed a moment ago. */
  readonly journal: number;
  /** Everything else: accounts, the record of decisions, what could not be filed, and the reserve for a full disk. */
  readonly other: number;
}

/**
 * What the service and its console write into its folder. Something else may lie there too, such as a backup, and must
 * not make events go.
 */
const ownNames = [
  /^(?:store|journal|unfiled|uploads)$/,
  /^(?:ballast|address|seal-key|lock)\b/,
  /^(?:accounts\.db|audit\.jsonl|projects\.json|settings\.json)\b/,
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

/** A file may be deleted while it is looked at. */
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
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
