import { existsSync } from "node:fs";
import { join } from "node:path";
import { inspectJournal, type JournalFindings } from "./journal/inspect-journal.ts";
import { openReader } from "./open-reader.ts";
import type { CheckDepth, GoOn } from "./stores/store.ts";

export type StoreCheck =
  /** No service has filed anything in this folder yet. */
  | { kind: "absent" }
  | {
      kind: "checked";
      /** What is wrong, in sentences; none is good news. */
      findings: readonly string[];
      /** How many kept events there are, and how many of them were read; none with a quick check. */
      events: { looked: number; of: number };
      /** Weekly files, and the bytes that all of them take. */
      weeks: number;
      bytes: number;
      /** What was accepted and is not filed yet. The next start files it, or the running service does. */
      unfiledBytes: number;
    };

/**
 * Looks at what a data folder holds, while its service runs or not, and changes nothing: files, counters against rows,
 * journal.
 */
export async function checkStore(
  dataFolder: string,
  depth: CheckDepth = "thorough",
  goOn: GoOn = () => true,
): Promise<StoreCheck> {
  if (!existsSync(join(dataFolder, "store", "meta.db"))) return { kind: "absent" };
  const journal = inspectJournal(join(dataFolder, "journal"));
  const store = openReader(dataFolder);
  try {
    const weeks = await store.partitions();
    const events = { looked: 0, of: 0 };
    const findings = await store.check(depth, ({ events: looked, of }) => {
      Object.assign(events, { looked, of });
      return goOn({ events: looked, of });
    });
    return {
      kind: "checked",
      findings: [...findings, ...sentencesAbout(journal)],
      events,
      weeks: weeks.length,
      bytes: weeks.reduce((sum, { bytes }) => sum + bytes, 0),
      unfiledBytes: Math.max(0, journal.end - (await store.countedUpTo())),
    };
  } finally {
    store.close();
  }
}

function sentencesAbout({ damaged }: JournalFindings): readonly string[] {
  return damaged.map(({ file, bytes }) => `${file}: ${bytes} bytes hold no undamaged record.`);
}
