import type { BodyDamping } from "../../bodies/body-damping.ts";
import type { FiledEvent, FiledItem, FiledSession, FiledSpans } from "../../filed.ts";
import type { Connections } from "../connect/connections.ts";
import type { Grouped, Groups } from "../groups.ts";
import type { NameNumbers, Names } from "../names.ts";
import type { Parts } from "../parts.ts";
import type { References } from "../references.ts";
import type { RowIds } from "../row-ids.ts";

export interface BatchDeps {
  readonly connections: Connections;
  readonly names: Names;
  readonly ids: RowIds;
  readonly groups: Groups;
  readonly parts: Parts;
  readonly references: References;
  readonly damping: BodyDamping;
}

/** The items of a batch, each delivery once, with everything that is committed before the batch itself. */
export interface PreparedBatch {
  readonly items: readonly FiledItem[];
  readonly grouped: ReadonlyMap<FiledEvent, Grouped>;
  readonly withBody: ReadonlySet<FiledEvent>;
  readonly duplicates: number;
  readonly names: NameNumbers;
}

export async function prepareBatch(deps: BatchDeps, filed: readonly FiledItem[]): Promise<PreparedBatch> {
  const { parts, names, groups, ids, damping } = deps;
  await parts.prepare(filed.map(partMoment));
  const { items, duplicates } = eachOnce(parts, filed);
  const numbers = await names.make(namesIn(items));
  const events = items.filter((item) => item.kind === "event");
  await groups.addImported(items.filter((item) => item.kind === "issue"));
  const grouped = await groups.of(events);
  // An item has its own id, and may bring a block and a reference.
  await ids.reserve(items.length * 3 + 1);
  const withBody = new Set(
    events.filter((event) => event.storesBody ?? damping.storesBody(grouped.get(event)?.group ?? 0, event.receivedAt)),
  );
  return { items, grouped, withBody, duplicates, names: numbers };
}

// What a client says about the past must not open weeks long gone.
const longestSessionMs = 86_400_000;

/** The moment that decides the part. All updates of a session lie where it began, or each week would count it again. */
export function partMoment(item: FiledItem): number {
  return item.kind === "session" ? sessionMoment(item) : item.receivedAt;
}

function sessionMoment({ startedAt, receivedAt }: FiledSession): number {
  return Math.min(Math.max(startedAt, receivedAt - longestSessionMs), receivedAt);
}

export function keyOfEvent({ project, eventId }: Pick<FiledEvent, "project" | "eventId">): string {
  return `${project} ${eventId}`;
}

export function keyOfSpans({ project, traceId, key }: Pick<FiledSpans, "project" | "traceId" | "key">): string {
  return `${project} ${traceId} ${key}`;
}

/** Leaves out the files that came with these second deliveries. */
export function withoutFilesOf(repeated: ReadonlySet<number>, items: readonly FiledItem[]): readonly FiledItem[] {
  if (repeated.size === 0) return items;
  return items.filter(
    (item) => item.kind !== "attachment" || item.eventRow === undefined || !repeated.has(item.eventRow),
  );
}

/** Events and spans may be delivered twice in one batch too. Only second events are counted. */
function eachOnce(parts: Parts, filed: readonly FiledItem[]): { items: readonly FiledItem[]; duplicates: number } {
  const seen = new Set<string>();
  const isFirst = (key: string): boolean => seen.size < seen.add(key).size;
  const repeated = new Set<number>();
  const items = filed.filter((item) => {
    if (item.kind === "spans") return isFirst(`${parts.at(item.receivedAt).id} ${keyOfSpans(item)}`);
    if (item.kind !== "event" || isFirst(keyOfEvent(item))) return true;
    repeated.add(item.rowId);
    return false;
  });
  return { items: withoutFilesOf(repeated, items), duplicates: repeated.size };
}

/** What rows refer to by number. Counters have names of their own, which the fold makes. */
function namesIn(items: readonly FiledItem[]): Set<string> {
  const texts = new Set<string>();
  const add = (text: string | undefined): void => {
    if (text !== undefined) texts.add(text);
  };
  for (const item of items) {
    const rows = item.kind === "event" ? [item] : item.kind === "spans" ? item.segments : [];
    for (const { route, release, environment } of rows) [route, release, environment].forEach(add);
    if (item.kind === "spans") for (const { status } of item.segments) add(status);
  }
  return texts;
}
