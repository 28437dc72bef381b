import { serviceErrors } from "../errors.ts";
import type { FiledLine, ImportRecord } from "../filing/read-imported.ts";
import type { AppendOutcome } from "../journal/acknowledge/append-outcome.ts";
import type { AcceptedEnvelope } from "../journal/record.ts";
import { isPackedSketches } from "../sketches/quantile-sketch.ts";
import { visitorRegisters } from "../sketches/visitor-count.ts";
import type { LastingTable, MovedRow, MovedValue } from "../stores/moved-rows.ts";
import type { ImportRequest, ImportStep } from "../stores/portable/add-imported.ts";
import type { AttachmentLine, EventLine, FeedbackLine, FiguresLine, PortableLine } from "../stores/portable/lines.ts";
import { figuresTable } from "../stores/portable/merge-rows.ts";
import type { FeedbackRecord } from "../stores/records.ts";
import type { StoreReader } from "../stores/store.ts";
import type { FeedbackChange } from "../stores/store-requests.ts";

/** What became of some lines. */
export interface ImportOutcome {
  /** Lines that changed something, and figures that may have. */
  readonly taken: number;
  /** Events, files and feedback that the project has already. */
  readonly present: number;
  /** Figures and states of issues that the project does not have. */
  readonly unknown: number;
}

export interface ImportDeps {
  readonly store: () => Promise<Pick<StoreReader, "filedEvents" | "attachmentsOf" | "attachment" | "feedbackList">>;
  readonly append: (record: AcceptedEnvelope) => Promise<AppendOutcome>;
  /** Resolves when everything in the journal is filed. */
  readonly drained: () => Promise<void>;
  readonly add: (request: ImportRequest) => Promise<number>;
  readonly changeFeedback: (change: FeedbackChange) => Promise<readonly number[]>;
  readonly now: () => number;
}

/**
 * Imports some checked lines into a project. They may come again, whole or in part, after a connection or a process has
 * ended: what is there already is counted as such.
 */
export async function importLines(
  deps: ImportDeps,
  project: number,
  lines: readonly PortableLine[],
  by: string,
): Promise<ImportOutcome> {
  const steps = lines.flatMap((line) => stepOf(line) ?? []);
  const filed = lines.filter(isFiled);
  // Lines of a request before this one may still be in the journal.
  await deps.drained();
  const news = await withoutPresent(deps, project, filed);
  if (news.length > 0) {
    const record: ImportRecord = { by, lines: news };
    const bytes = Buffer.from(JSON.stringify(record));
    const kept = await deps.append({ project, receivedMs: deps.now(), bytes, isImport: true });
    if (kept.kind !== "kept") throw serviceErrors.importRefused(kept.why);
    await deps.drained();
    await archive(deps, project, news);
  }
  const unknown = steps.length === 0 ? 0 : await deps.add({ project, steps });
  return { taken: lines.length - (filed.length - news.length) - unknown, present: filed.length - news.length, unknown };
}

function isFiled(line: PortableLine): line is FiledLine {
  return line.kind !== "figures" && line.kind !== "triage";
}

async function withoutPresent(
  { store }: ImportDeps,
  project: number,
  lines: readonly FiledLine[],
): Promise<readonly FiledLine[]> {
  if (lines.length === 0) return lines;
  const reader = await store();
  const events = lines.filter((line): line is EventLine => line.kind === "event");
  const starts = events.map(({ id }) => startOf(id));
  const known = new Set((await reader.filedEvents(project, starts)).map(({ start }) => start));
  const seen = new Set<string>();
  const written = await writtenBefore(reader, project, lines);
  const news: FiledLine[] = [];
  for (const line of lines) {
    if (line.kind === "event") {
      const start = startOf(line.id);
      if (known.has(start) || seen.has(start)) continue;
      seen.add(start);
    }
    if (line.kind === "feedback" && written.has(keyOfFeedback(line))) continue;
    if (line.kind === "attachment" && (await hasFile(reader, project, line))) continue;
    news.push(line);
  }
  return news;
}

/** A digest has so many characters of an id. */
function startOf(id: string): string {
  return id.slice(0, 15);
}

async function hasFile(
  store: Pick<StoreReader, "attachmentsOf" | "attachment">,
  project: number,
  { eventId, filename, base64 }: AttachmentLine,
): Promise<boolean> {
  const bytes = Buffer.from(base64, "base64");
  for (const { id, ...file } of await store.attachmentsOf(project, eventId)) {
    if (file.filename !== filename || file.size !== bytes.length) continue;
    const known = await store.attachment(project, eventId, id);
    if (known !== undefined && bytes.equals(known.bytes)) return true;
  }
  return false;
}

const feedbackAtOnce = 500;

async function writtenBefore(
  store: Pick<StoreReader, "feedbackList">,
  project: number,
  lines: readonly FiledLine[],
): Promise<ReadonlySet<string>> {
  if (!lines.some(({ kind }) => kind === "feedback")) return new Set();
  return new Set((await allFeedback(store, project)).map(keyOfFeedback));
}

async function allFeedback(store: Pick<StoreReader, "feedbackList">, project: number): Promise<FeedbackRecord[]> {
  const all: FeedbackRecord[] = [];
  for (const archived of [false, true])
    for (let before: FeedbackRecord | undefined; ; ) {
      const page = await store.feedbackList({ project, archived, before, limit: feedbackAtOnce });
      all.push(...page);
      before = page.at(-1);
      if (page.length < feedbackAtOnce) break;
    }
  return all;
}

function keyOfFeedback({ at, eventId, email, message }: FeedbackLine | FeedbackRecord): string {
  return JSON.stringify([at, eventId ?? null, email ?? null, message]);
}

/** Feedback is filed open, like a new one. */
async function archive(deps: ImportDeps, project: number, lines: readonly FiledLine[]): Promise<void> {
  const archived = lines.flatMap((line) =>
    line.kind === "feedback" && line.archivedAt !== undefined
      ? [{ key: keyOfFeedback(line), at: line.archivedAt }]
      : [],
  );
  if (archived.length === 0) return;
  const ids = new Map((await allFeedback(await deps.store(), project)).map((row) => [keyOfFeedback(row), row.id]));
  for (const { key, at } of archived) {
    const id = ids.get(key);
    if (id !== undefined) await deps.changeFeedback({ project, ids: [id], archived: true, at });
  }
}

/** Undefined for a line that is filed. */
function stepOf(line: PortableLine): ImportStep | undefined {
  if (line.kind === "triage") return { kind: "triage", line };
  if (line.kind !== "figures") return undefined;
  const table = figuresTable(line.of);
  if (table === undefined) throw serviceErrors.wrongFigures(line.of, "This version does not know them");
  if ((table.owner[0] === "project") !== (line.group === undefined))
    throw serviceErrors.wrongFigures(line.of, line.group === undefined ? "They name no group" : "They name a group");
  return { kind: "figures", table, group: line.group, rows: line.rows.map((row) => readRow(table, row)) };
}

type PortableRow = FiguresLine["rows"][number];

/** Columns that the store sets itself. */
const setHere: ReadonlySet<string> = new Set(["project", "grp", "id", "issue", "version", "rule", "parts"]);

function readRow(table: LastingTable, row: PortableRow): MovedRow {
  const read: Record<string, MovedValue> = {};
  for (const [column, kind] of Object.entries(table.columns)) {
    if (setHere.has(column)) continue;
    const given = row[column] ?? null;
    const value = kind === "bytes" ? bytesIn(table, given) : given;
    const isNeeded = table.owner.includes(column);
    if (value === undefined || !isOfKind(kind, value) || (isNeeded && value === null))
      throw serviceErrors.wrongFigures(table.name, `${JSON.stringify(given)} is no value of ${column}`);
    read[column] = value;
  }
  return read;
}

function isOfKind(kind: string, value: MovedValue): boolean {
  if (value === null) return true;
  if (kind === "number") return Number.isSafeInteger(value);
  if (kind === "real") return Number.isFinite(value);
  if (kind === "id" || kind === "hex") return typeof value === "string" && /^(?:[0-9a-f]{2})*$/.test(value);
  return kind === "bytes" ? value instanceof Uint8Array : typeof value === "string";
}

/** Undefined for bytes that could not be read later: registers have one size, and sketches a form. */
function bytesIn({ name }: LastingTable, value: PortableRow[string]): MovedValue | undefined {
  if (typeof value !== "string") return value === null ? null : undefined;
  const bytes = new Uint8Array(Buffer.from(value, "base64"));
  if (!name.startsWith("sketch_")) return bytes.length === visitorRegisters ? bytes : undefined;
  return isPackedSketches(bytes) ? bytes : undefined;
}
