import { existsSync } from "node:fs";
import { join } from "node:path";
import { inspectJournal, type JournalFindings } from "./journal/inspect-journal.ts";
import { openReader } from "./open-reader.ts";
import { addressToRead } from "./stores/store-address.ts";
import type { CheckDepth, ShouldContinue } from "./stores/store-requests.ts";

export type StoreCheck =
  /** No service has filed anything in this folder yet. */
  | { kind: "absent" }
  | {
      kind: "checked";
      /** Problems, one sentence each. Empty if the folder is sound. */
      findings: readonly string[];
      /** Number of stored events, and how many of them were read: none in a quick check. */
      events: { read: number; of: number };
      /** Number of weekly files, and the total size of the store. */
      weeks: number;
      bytes: number;
      /** Accepted and not filed yet. The running service files it, or the next start does. */
      unfiledBytes: number;
    };

/**
 * Checks a data folder without changing it: files, counters against rows, and the journal. The service may run
 * meanwhile.
 */
export async function checkStore(
  dataFolder: string,
  depth: CheckDepth = "thorough",
  shouldContinue: ShouldContinue = () => true,
  address?: string,
): Promise<StoreCheck> {
  const isInFolder = addressToRead(dataFolder, address).kind === "folder";
  if (isInFolder && !existsSync(join(dataFolder, "store", "meta.db"))) return { kind: "absent" };
  const journal = inspectJournal(join(dataFolder, "journal"));
  const store = await openReader(dataFolder, address);
  try {
    const weeks = await store.partitions();
    const events = { read: 0, of: 0 };
    const findings = await store.check(depth, ({ events: read, of }) => {
      Object.assign(events, { read, of });
      return shouldContinue({ events: read, of });
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
