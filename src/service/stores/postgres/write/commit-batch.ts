import type { CommitSummary, FiledItem, FilingBatch } from "../../filed.ts";
import { StoreUnavailable } from "../../store.ts";
import { columnTypes, columnValues } from "../batch-columns.ts";
import type { HealthRecord } from "../connect/health.ts";
import { codeOf, DatabaseAway, isUnavailable, storeProblemOf } from "../connect/problems.ts";
import type { Folds } from "../fold/folds.ts";
import { type BuiltBatch, buildRows } from "./build-rows.ts";
import type { FilingPause } from "./filing-pause.ts";
import {
  type BatchDeps,
  keyOfEvent,
  keyOfSpans,
  type PreparedBatch,
  prepareBatch,
  withoutFilesOf,
} from "./prepare-batch.ts";
import type { Writer } from "./writer.ts";

export interface AppendDeps extends BatchDeps {
  readonly writer: Writer;
  readonly folds: Folds;
  readonly pause: FilingPause;
  readonly health: HealthRecord;
}

// Each try answers one of the reasons below; more than these means that another process files from the same folder.
const mostTries = 5;

const types = ["int", "bigint", "bigint", "int[]", ...columnTypes()];
const call = `SELECT holdfast.file_batch_4(${types.map((type, n) => `$${n + 1}::${type}`).join(", ")})`;

/** Files a batch exactly once: its rows, its sums for the next fold, and the writer's position, or nothing of it. */
export async function commitBatch(deps: AppendDeps, batch: FilingBatch): Promise<CommitSummary> {
  deps.pause.requireOver();
  try {
    const { prepared, built } = await fileBatch(deps, batch.upTo, [...batch.items]);
    deps.pause.end();
    deps.health.written();
    const folded = await deps.folds.after(built?.projects ?? []);
    const collected = built === undefined ? 0 : [...prepared.grouped.values()].filter((one) => one.isCollected).length;
    return { events: built?.events ?? 0, duplicates: prepared.duplicates, collected, ...folded };
  } catch (error) {
    forgetAll(deps);
    deps.pause.after(error);
    throw isUnavailable(error) ? new StoreUnavailable(error) : error;
  }
}

interface FiledBatch {
  readonly prepared: PreparedBatch;
  readonly built: BuiltBatch | undefined;
}

async function fileBatch(deps: AppendDeps, upTo: number, items: readonly FiledItem[]): Promise<FiledBatch> {
  let prepared = await prepareBatch(deps, await dueOf(deps, items));
  for (let tries = 0; ; tries += 1) {
    const { id, position } = await deps.writer.current();
    if (position >= upTo) return { prepared, built: undefined };
    const built = await buildRows(deps, prepared);
    const refusal = await write(deps, { id, from: position, upTo }, built);
    if (refusal === undefined) {
      finish(deps, upTo, built);
      return { prepared, built };
    }
    if (tries >= mostTries) throw tooManyTries(refusal, tries);
    prepared = await prepareAgain(refusal, deps, items, prepared);
  }
}

/** Transactions that keep colliding do so less in a second; the other reasons are a fault. */
function tooManyTries(refusal: Refusal, tries: number): Error {
  const message = `A batch was refused ${tries} times, at last with ${refusal}.`;
  return refusal === "collision" ? new DatabaseAway("collision", message) : new Error(message);
}

/** What is not filed yet. */
async function dueOf({ writer }: AppendDeps, items: readonly FiledItem[]): Promise<readonly FiledItem[]> {
  const { position } = await writer.current();
  return items.filter(({ rowId }) => rowId >= position);
}

/** Why the database took nothing of a batch. */
type Refusal = "HF001" | "HF002" | "HF003" | "HF004" | "collision";

async function write(
  { connections, parts }: AppendDeps,
  { id, from, upTo }: { id: number; from: number; upTo: number },
  { rows }: BuiltBatch,
): Promise<Refusal | undefined> {
  const written = new Set(rows.event.map(({ received_at }) => parts.at(Number(received_at))));
  try {
    await connections.filing.run(call, id, from, upTo, parts.around(written), ...columnValues(rows));
    return undefined;
  } catch (error) {
    const code = codeOf(error);
    if (code === "HF001" || code === "HF002" || code === "HF003" || code === "HF004") return code;
    if (storeProblemOf(error) === "collision") return "collision";
    throw error;
  }
}

async function prepareAgain(
  refusal: Refusal,
  deps: AppendDeps,
  items: readonly FiledItem[],
  prepared: PreparedBatch,
): Promise<PreparedBatch> {
  switch (refusal) {
    case "HF001":
    case "collision":
      deps.writer.doubt();
      return prepareBatch(deps, await dueOf(deps, items));
    case "HF002":
      return withoutKnown(deps, prepared);
    case "HF003":
    case "HF004":
      forgetAll(deps);
      return prepareBatch(deps, await dueOf(deps, items));
  }
}

/** Leaves out the events and spans that are there already, whichever process filed them. */
async function withoutKnown(deps: AppendDeps, prepared: PreparedBatch): Promise<PreparedBatch> {
  await deps.parts.refresh();
  const [events, spans] = await Promise.all([knownEvents(deps, prepared.items), knownSpans(deps, prepared.items)]);
  const repeated = new Set<number>();
  const left = prepared.items.filter((item) => {
    if (item.kind === "spans") return !spans.has(`${deps.parts.at(item.receivedAt).id} ${keyOfSpans(item)}`);
    if (item.kind !== "event" || !events.has(keyOfEvent(item))) return true;
    repeated.add(item.rowId);
    return false;
  });
  const items = withoutFilesOf(repeated, left);
  await deps.ids.reserve(items.length * 3 + 1);
  return { ...prepared, items, duplicates: prepared.duplicates + repeated.size };
}

async function knownEvents(
  { connections, parts }: AppendDeps,
  items: readonly FiledItem[],
): Promise<ReadonlySet<string>> {
  const events = items.filter((item) => item.kind === "event");
  const rows = await connections.preparing.all<{ project: number; eventId: string }>(
    `SELECT e.project, e.event_id AS "eventId" FROM unnest($1::uuid[], $2::int[]) AS u (event_id, project)
     JOIN holdfast.event e ON e.event_id = u.event_id AND e.project = u.project AND e.part = ANY ($3::int[])`,
    events.map(({ eventId }) => eventId),
    events.map(({ project }) => project),
    parts.around(events.map(({ receivedAt }) => parts.at(receivedAt))),
  );
  return new Set(rows.map(keyOfEvent));
}

async function knownSpans(
  { connections, parts }: AppendDeps,
  items: readonly FiledItem[],
): Promise<ReadonlySet<string>> {
  const spans = items.filter((item) => item.kind === "spans");
  const rows = await connections.preparing.all<{ project: number; traceId: string; key: number; part: number }>(
    `SELECT s.project, s.trace_id AS "traceId", s.key, s.part
     FROM unnest($1::uuid[], $2::int[], $3::bigint[], $4::int[]) AS u (trace_id, project, key, part)
     JOIN holdfast.span_block s
       ON s.trace_id = u.trace_id AND s.project = u.project AND s.key = u.key AND s.part = u.part`,
    spans.map(({ traceId }) => traceId),
    spans.map(({ project }) => project),
    spans.map(({ key }) => key),
    spans.map(({ receivedAt }) => parts.at(receivedAt).id),
  );
  return new Set(rows.map((row) => `${row.part} ${keyOfSpans(row)}`));
}

function finish({ writer, references }: AppendDeps, upTo: number, { newReferences }: BuiltBatch): void {
  writer.movedTo(upTo);
  for (const { part, group, reference } of newReferences) references.keep(part, group, reference);
}

/** What is kept in memory may be wrong after an error: it is read again. */
function forgetAll({ writer, groups, names, parts, references }: AppendDeps): void {
  writer.doubt();
  for (const cache of [groups, names, parts, references]) cache.forget();
}
