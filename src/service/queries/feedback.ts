import { readDigest, readEventId } from "#protocol";
import type { AttachmentSummary, FeedbackRecord } from "../stores/records.ts";
import type { StoreReader } from "../stores/store.ts";
import type { QueryContext } from "./query-context.ts";
import { visitorsCalled } from "./search.ts";

export interface FeedbackQuestion {
  project: number;
  archived: boolean;
  before?: { at: number; id: number } | undefined;
  /** Only the entry with this id or digest. */
  only?: string | undefined;
}

/** A visitor's words, with the event they are about and the files that came with them. */
export interface FeedbackEntry extends FeedbackRecord {
  /** Undefined if they are about none, or it has not arrived. */
  event: { id: string; issue: number; title: string; visitor: number | undefined } | undefined;
  /** Who wrote it: the visitor of the event, or the one with this e-mail address. Undefined if none is known. */
  visitor: number | undefined;
  attachments: readonly AttachmentSummary[];
}

export interface FeedbackAnswer {
  entries: readonly FeedbackEntry[];
  /** Set if there are more. */
  next: { at: number; id: number } | undefined;
}

/** Each entry costs four reads of the store, and a person reads no more at once. */
const entriesPerPage = 30;

/** A visitor's words may name their event by the digest alone. */
const digestHexDigits = 15;

export async function feedbackPage({ store }: QueryContext, question: FeedbackQuestion): Promise<FeedbackAnswer> {
  const { project, archived, before, only } = question;
  const ownId = only === undefined ? undefined : (readEventId(only) ?? readDigest(only));
  if (only !== undefined)
    return {
      entries: ownId === undefined ? [] : await entriesOf(store, project, await store.feedback(project, { ownId })),
      next: undefined,
    };
  const records = await store.feedbackList({ project, archived, before, limit: entriesPerPage + 1 });
  const shown = records.slice(0, entriesPerPage);
  const last = shown.at(-1);
  return {
    entries: await entriesOf(store, project, shown),
    next: records.length > shown.length && last ? { at: last.at, id: last.id } : undefined,
  };
}

function entriesOf(
  store: StoreReader,
  project: number,
  records: readonly FeedbackRecord[],
): Promise<readonly FeedbackEntry[]> {
  return Promise.all(
    records.map(async (record) => {
      const event = record.eventId === undefined ? undefined : await eventOf(store, project, record.eventId);
      return {
        ...record,
        event,
        visitor: event?.visitor ?? (await visitorWith(store, project, record.email)),
        attachments: record.ownId === undefined ? [] : await store.attachmentsOf(project, record.ownId),
      };
    }),
  );
}

async function eventOf(store: StoreReader, project: number, eventId: string): Promise<FeedbackEntry["event"]> {
  const event = await store.event(project, eventId.slice(0, digestHexDigits));
  const issue = event && (await store.issue(project, { id: event.issue }));
  return issue && { id: event.eventId, issue: issue.number, title: issue.title, visitor: event.visitor };
}

/** Several may have one address, for example on two devices. The page of each shows it. */
async function visitorWith(
  store: StoreReader,
  project: number,
  email: string | undefined,
): Promise<number | undefined> {
  return email === undefined ? undefined : (await visitorsCalled(store, project, email))[0];
}
