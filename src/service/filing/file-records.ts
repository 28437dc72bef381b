import type { JournalRecord } from "../journal/record.ts";
import type { CommitSummary, FiledItem } from "../stores/filed.ts";
import { StoreUnavailable, type StoreWriter } from "../stores/store.ts";
import { type RecordDeps, readFiledItems } from "./read-record.ts";

export interface FilingDeps extends RecordDeps {
  store: Pick<StoreWriter, "commit">;
  /**
   * A fault of our own, not of the store or the client. The record is stepped over so that it cannot stop all others.
   */
  onFault: (error: unknown, record: JournalRecord) => void;
}

/**
 * Files what was accepted: journal records in, issues out. Everything before `upTo` is in the records or was filed
 * before. Exact after any crash, because the store keeps the position with what it files.
 *
 * Throws `StoreUnavailable` when nothing can be written now; the same records are then due again.
 */
export async function fileRecords(
  filing: FilingDeps,
  records: readonly JournalRecord[],
  upTo: number,
): Promise<CommitSummary> {
  try {
    return await filing.store.commit({ upTo, items: readInTurn(filing, records) });
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    return fileOneByOne(filing, records, upTo, error);
  }
}

/**
 * Each record when the store comes to it: a thousand that were read beforehand would cost more to keep in memory than
 * to read.
 */
function* readInTurn(filing: FilingDeps, records: readonly JournalRecord[]): Generator<FiledItem> {
  for (const record of records) yield* readSafely(filing, record);
}

function readSafely(filing: FilingDeps, record: JournalRecord): FiledItem[] {
  try {
    return readFiledItems(record, filing);
  } catch (error) {
    filing.onFault(error, record);
    return [faultOf(record)];
  }
}

/** One record that the store cannot take must not hold up the thousand beside it. */
async function fileOneByOne(
  filing: FilingDeps,
  records: readonly JournalRecord[],
  upTo: number,
  error: unknown,
): Promise<CommitSummary> {
  const [only] = records;
  if (only === undefined) throw error;
  if (records.length === 1) {
    filing.onFault(error, only);
    return filing.store.commit({ upTo, items: [faultOf(only)] });
  }
  const half = records.slice(0, Math.ceil(records.length / 2));
  const rest = records.slice(half.length);
  const first = await fileRecords(filing, half, half.at(-1)?.next ?? upTo);
  const second = await fileRecords(filing, rest, upTo);
  return {
    events: first.events + second.events,
    duplicates: first.duplicates + second.duplicates,
    collected: first.collected + second.collected,
    newIssues: [...first.newIssues, ...second.newIssues],
    regressedIssues: [...first.regressedIssues, ...second.regressedIssues],
  };
}

function faultOf({ position, project, receivedMs }: JournalRecord): FiledItem {
  const at = Math.round(receivedMs);
  return {
    kind: "discards",
    rowId: position,
    project,
    receivedAt: at,
    discards: [{ reason: "filing-fault", category: "internal", at, n: 1 }],
  };
}
