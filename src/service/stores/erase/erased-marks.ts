import type { FiledEvent, FiledItem } from "../filed.ts";
import { visitorHash } from "../values/visitor-hash.ts";
import { type ErasureMark, matchesNothing } from "./erasure.ts";
import { ErasureMatcher, eventMark } from "./matcher.ts";

/** Hash of a fingerprint, 32 hexadecimal characters, for its mark. */
export function groupMark(fingerprint: string): number {
  return Number.parseInt(fingerprint.slice(0, 13), 16);
}

type Times = ReadonlyMap<string, number>;

/** Drops items that were erased before they could be filed: late, from the journal, or sent a second time. */
export class ErasedMarks {
  readonly #times: Times;
  readonly #mentions: ReadonlyMap<number, readonly ErasureMark[]>;

  constructor(marks: readonly ErasureMark[]) {
    const times = new Map<string, number>();
    for (const mark of marks) times.set(keyOf(mark), Math.max(mark.at, times.get(keyOf(mark)) ?? 0));
    this.#times = times;
    const mentions = marks.filter(({ kind }) => kind === "mention");
    this.#mentions = Map.groupBy(mentions, ({ project }) => project);
  }

  /** What is left of the items of one envelope. Dropped ones are counted as discarded. */
  filter(items: FiledItem[]): FiledItem[] {
    if (this.#times.size === 0) return items;
    const events = new Set<string>();
    for (const item of items)
      if (item.kind === "event" && this.#dropsEvent(item)) {
        events.add(item.eventId);
        if (item.otherId !== undefined) events.add(item.otherId);
      }
    return items.map((item) => this.#kept(item, events));
  }

  #kept(item: FiledItem, events: ReadonlySet<string>): FiledItem {
    if (item.kind === "logs" && !this.#has(item.project, "project", 0, item.receivedAt)) {
      const lines = item.lines.filter(
        (line) => !this.#matcher(item.project, line.at).line(line) && !this.#names(item.project, line.at, line),
      );
      return lines.length === item.lines.length ? item : { ...item, lines };
    }
    return this.#drops(item, events) ? droppedOf(item) : item;
  }

  #drops(item: FiledItem, events: ReadonlySet<string>): boolean {
    const { project } = item;
    if (item.kind === "discards") return false;
    if (this.#has(project, "project", 0, item.receivedAt)) return true;
    switch (item.kind) {
      case "event":
        return events.has(item.eventId);
      case "attachment":
        return events.has(item.eventId) || this.#has(project, "event", eventMark(item.eventId));
      case "spans": {
        const isVisitor = item.segments.some(({ visitor, session, at }) =>
          this.#isVisitor(project, at, visitor, session),
        );
        return isVisitor || this.#matcher(project, item.at).body(item.body);
      }
      case "feedback": {
        const { at, email, eventId } = item;
        if (email !== undefined && this.#isVisitor(project, at, visitorHash(email))) return true;
        if (eventId !== undefined && this.#has(project, "event", eventMark(eventId))) return true;
        return this.#matcher(project, at).text([item.name, email, item.url, item.message].join(" "));
      }
      default:
        return false;
    }
  }

  #dropsEvent(event: FiledEvent): boolean {
    const { project, at, visitor, session, aliases, address, grouping } = event;
    if (this.#has(project, "event", eventMark(event.eventId))) return true;
    if (event.otherId !== undefined && this.#has(project, "event", eventMark(event.otherId))) return true;
    if (this.#isVisitor(project, at, visitor, session, address, ...aliases)) return true;
    if (grouping.some(({ hash }) => this.#has(project, "group", groupMark(hash), at))) return true;
    return this.#matcher(project, at).body(event.body);
  }

  #isVisitor(project: number, at: number, ...hashes: readonly (number | undefined)[]): boolean {
    return hashes.some((hash) => hash !== undefined && this.#has(project, "visitor", hash, at));
  }

  /** Whether a log line has an attribute that names an erased visitor. */
  #names(project: number, at: number, { attributes }: { attributes: Readonly<Record<string, unknown>> }): boolean {
    return Object.values(attributes).some(
      (value) => typeof value === "string" && this.#isVisitor(project, at, visitorHash(value)),
    );
  }

  #matcher(project: number, at: number): ErasureMatcher {
    const marks = this.#mentions.get(project) ?? [];
    const mentions = marks.flatMap((mark) => (at <= mark.at ? [mark.hash] : []));
    return new ErasureMatcher({ ...matchesNothing, mentions });
  }

  #has(project: number, kind: ErasureMark["kind"], hash: number, at = 0): boolean {
    const erasedAt = this.#times.get(keyOf({ project, kind, hash }));
    return erasedAt !== undefined && at <= erasedAt;
  }
}

function keyOf({ project, kind, hash }: Pick<ErasureMark, "project" | "kind" | "hash">): string {
  return `${project} ${kind} ${hash}`;
}

const categories: Partial<Record<FiledItem["kind"], string>> = { event: "error", spans: "transaction" };

function droppedOf({ kind, rowId, project, receivedAt }: FiledItem): FiledItem {
  const category = categories[kind] ?? kind;
  return {
    kind: "discards",
    rowId,
    project,
    receivedAt,
    discards: [{ reason: "erased", category, at: receivedAt, n: 1 }],
  };
}
