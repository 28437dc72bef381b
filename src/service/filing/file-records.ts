import { readEventId } from "#protocol";
import type { JournalRecord } from "../journal/record.ts";
import type { ErasedMarks } from "../stores/erase/erased-marks.ts";
import type { CommitSummary, FiledItem } from "../stores/filed.ts";
import type { SourceMapName } from "../stores/records.ts";
import { type SourceMapReader, StoreUnavailable, type StoreWriter } from "../stores/store.ts";
import { readImportedItems } from "./read-imported.ts";
import { type RecordDeps, readFiledItems } from "./read-record.ts";
import { type ProjectStatement, statementsIn } from "./statements-in.ts";

export interface FilingDeps extends RecordDeps {
  store: Pick<StoreWriter, "commit">;
  /** Loads the maps that a batch names, for a store that cannot read them while the batch is parsed. */
  fetchSourceMaps?: SourceMapReader["fetchSourceMaps"] | undefined;
  /**
   * Writes what clients say about their own books. Before the events of a batch, so that a statement is never lost: one
   * that is written twice changes nothing.
   */
  takeStatements?: (statements: readonly ProjectStatement[]) => Promise<void>;
  /** Drops what was erased before it is filed. */
  erased?: ErasedMarks;
  /**
   * Called for a fault of the service itself, not of the store or the client. The record is skipped, so that it cannot
   * block the others.
   */
  onFault: (error: unknown, record: JournalRecord) => void;
}

/**
 * Files journal records. Everything before `upTo` is in `records` or was filed before. Exact after any crash, because
 * the store commits the position together with the items.
 *
 * Throws `StoreUnavailable` if nothing can be written now. The same records are then due again.
 */
export async function fileRecords(
  filing: FilingDeps,
  records: readonly JournalRecord[],
  upTo: number,
): Promise<CommitSummary> {
  try {
    const statements = filing.takeStatements ? statementsIn(records.filter(({ isImport }) => !isImport)) : [];
    if (statements.length > 0) await filing.takeStatements?.(statements);
    await filing.fetchSourceMaps?.(records.filter(({ isImport }) => !isImport).flatMap(namedMaps));
    return await filing.store.commit({ upTo, items: readInTurn(filing, records) });
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    return fileOneByOne(filing, records, upTo, error);
  }
}

const debugIds = /"debug_id"\s*:\s*"([0-9a-fA-F-]{32,36})"/g;

/** Finds the maps by their text: parsing a batch twice would double its cost. */
function namedMaps({ project, bytes }: JournalRecord): SourceMapName[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  const found = new Set<string>();
  for (const [, id = ""] of text.matchAll(debugIds)) {
    const debugId = readEventId(id);
    if (debugId !== undefined) found.add(debugId);
  }
  return [...found].map((debugId) => ({ project, debugId }));
}

/** Reads each record when the store needs it: parsing a thousand in advance would cost more memory than it saves. */
function* readInTurn(filing: FilingDeps, records: readonly JournalRecord[]): Generator<FiledItem> {
  for (const record of records) yield* readSafely(filing, record);
}

function readSafely(filing: FilingDeps, record: JournalRecord): FiledItem[] {
  try {
    const items = record.isImport ? readImportedItems(record, filing) : readFiledItems(record, filing);
    return filing.erased?.filter(items) ?? items;
  } catch (error) {
    filing.onFault(error, record);
    return [faultOf(record)];
  }
}

/** A record that the store cannot write must not block the others of its batch. */
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
