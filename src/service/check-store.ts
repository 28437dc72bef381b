import { existsSync } from "node:fs";
import { join } from "node:path";
import { inspectJournal, type JournalFindings } from "./journal/inspect-journal.ts";
import { openReader } from "./open-reader.ts";
import type { CheckDepth } from "./stores/store.ts";

export type StoreCheck =
  /** No service has filed anything in this folder yet. */
  | { kind: "absent" }
  | {
      kind: "checked";
      /** What is wrong, in sentences; none is good news. */
      findings: readonly string[];
      /** Weekly files, and the bytes that all of them take. */
      weeks: number;
      bytes: number;
      /** What was accepted and is not filed yet. The next start files it, or the running service does. */
      unfiledBytes: number;
    };

/** Looks at what a data folder holds, while its service runs or not, and changes nothing: files, counters against rows, journal. */
export function checkStore(dataFolder: string, depth: CheckDepth = "thorough"): StoreCheck {
  if (!existsSync(join(dataFolder, "store", "meta.db"))) return { kind: "absent" };
  const journal = inspectJournal(join(dataFolder, "journal"));
  const store = openReader(dataFolder);
  try {
    const weeks = store.partitions();
    return {
      kind: "checked",
      findings: [...store.check(depth), ...sentencesAbout(journal)],
      weeks: weeks.length,
      bytes: weeks.reduce((sum, { bytes }) => sum + bytes, 0),
      unfiledBytes: Math.max(0, journal.end - store.countedUpTo()),
    };
  } finally {
    store.close();
  }
}

function sentencesAbout({ damaged }: JournalFindings): readonly string[] {
  return damaged.map(({ file, bytes }) => `${file}: ${bytes} bytes hold no undamaged record.`);
}
