import type { ErasureMatch } from "../stores/erase/erasure.ts";
import { ErasureMatcher } from "../stores/erase/matcher.ts";
import { planErasure } from "../stores/erase/run-erasure.ts";
import { everyIssue } from "../stores/filter-language.ts";
import type { FeedbackRecord } from "../stores/records.ts";
import type { StoreReader } from "../stores/store.ts";
import type { LogCursor } from "../stores/store-requests.ts";
import { visitorHash } from "../stores/values/visitor-hash.ts";

/** One line of the export: `{"kind":"event",…}`. */
export type ExportedLine =
  | { readonly kind: "event" | "feedback" | "log"; readonly [field: string]: unknown }
  | { readonly kind: "attachment"; readonly eventId: string; readonly filename: string; readonly base64: string }
  | { readonly kind: "trace"; readonly traceId: string; readonly spans: readonly unknown[] };

/** Records that are read at once: a few megabytes. */
const atOnce = 50;
/** Lines of a page. */
const linesAtOnce = 5_000;

/** Yields everything that is stored of a visitor, the same that an erasure deletes, as lines of JSON. */
export async function* exportMatched(
  store: StoreReader,
  project: number,
  wanted: ErasureMatch,
): AsyncGenerator<string> {
  const { match } = await planErasure({ store }, project, wanted);
  for await (const line of linesOf(store, project, match)) yield `${JSON.stringify(line)}\n`;
}

async function* linesOf(store: StoreReader, project: number, match: ErasureMatch): AsyncGenerator<ExportedLine> {
  const matcher = new ErasureMatcher(match);
  yield* events(store, project, match.eventIds);
  for (const some of chunksOf(match.traces))
    for (const [traceId, spans] of await store.spansOf(project, some)) yield { kind: "trace", traceId, spans };
  for await (const record of feedback(store, project)) if (isOf(record, matcher)) yield { ...record, kind: "feedback" };
  yield* logs(store, project, matcher);
}

async function* events(store: StoreReader, project: number, ids: readonly string[]): AsyncGenerator<ExportedLine> {
  for (const some of chunksOf(ids))
    for (const { body, ...event } of await store.eventsById(project, some)) {
      yield { ...event, kind: "event", event: body.kind === "whole" ? body.event : undefined };
      for (const { id, filename } of await store.attachmentsOf(project, event.eventId)) {
        const file = await store.attachment(project, event.eventId, id);
        const base64 = Buffer.from(file?.bytes ?? []).toString("base64");
        yield { kind: "attachment", eventId: event.eventId, filename, base64 };
      }
    }
}

async function* feedback(store: StoreReader, project: number): AsyncGenerator<FeedbackRecord> {
  for (const archived of [false, true]) {
    let before: { at: number; id: number } | undefined;
    for (;;) {
      const page = await store.feedbackList({ project, archived, before, limit: atOnce });
      yield* page;
      before = page.at(-1);
      if (before === undefined || page.length < atOnce) break;
    }
  }
}

function isOf({ eventId, email, name, url, message, facts }: FeedbackRecord, matcher: ErasureMatcher): boolean {
  if (eventId !== undefined && matcher.match.eventIds.includes(eventId)) return true;
  if (email !== undefined && matcher.isVisitor(visitorHash(email))) return true;
  return matcher.isTrace(facts.traceId) || matcher.text([name, email, url, message].join(" "));
}

/** Lines have no index by visitor, so all are read, page by page. */
async function* logs(store: StoreReader, project: number, matcher: ErasureMatcher): AsyncGenerator<ExportedLine> {
  const query = { project, from: 0, to: Number.MAX_SAFE_INTEGER, filter: everyIssue };
  let after: LogCursor | undefined;
  do {
    const page = await store.logs({ ...query, after, limit: linesAtOnce, mostLines: linesAtOnce });
    for (const { place: _, ...line } of page.lines) if (matcher.line(line)) yield { ...line, kind: "log" };
    after = page.next;
  } while (after !== undefined);
}

function* chunksOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += atOnce) yield all.slice(from, from + atOnce);
}
