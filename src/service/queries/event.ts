import { digestOf, readDigest, readEventId } from "#protocol";
import { exceptionTree, type PlacedException } from "../grouping/main-exception.ts";
import { titleLine, titleOfEvent } from "../grouping/title.ts";
import type {
  AttachmentRecord,
  AttachmentSummary,
  EventRecord,
  FeedbackRecord,
  IssueRecord,
  Neighbours,
} from "../stores/records.ts";
import type { StoreReader } from "../stores/store.ts";
import { type EventFact, eventFacts } from "./event-facts.ts";
import type { QueryContext } from "./query-context.ts";
import { type VisitorStep, visitorPath } from "./visitor-path.ts";

export interface EventAnswer {
  event: EventRecord;
  /** The code that the visitor was shown. */
  digest: string;
  issue: IssueRecord;
  /**
   * Title of this event, for example `TypeError: cart is undefined`. If it was not stored whole, the title of its
   * issue.
   */
  title: string;
  /** What its visitor saw, how they came to the page, which builds met, on which device: as far as it was reported. */
  facts: readonly EventFact[];
  /** The thrown exception, then its descendants. */
  exceptions: readonly PlacedException[];
  neighbours: Neighbours;
  feedback: readonly FeedbackRecord[];
  attachments: readonly AttachmentSummary[];
  /** The commit that its release was built from, if that is known. */
  commit: string | undefined;
  /** Steps of the visitor before the event, on one clock. */
  path: readonly VisitorStep[];
}

/**
 * Finds an event by id, or by digest in any spelling: upper or lower case, with or without hyphens, O for 0, I or L for
 * 1.
 */
export async function eventByIdOrDigest(
  { store }: QueryContext,
  project: number,
  text: string,
): Promise<EventAnswer | undefined> {
  const idOrPrefix = readEventId(text) ?? readDigest(text);
  const event = idOrPrefix === undefined ? undefined : await store.event(project, idOrPrefix);
  const issue = event && (await store.issue(project, { id: event.issue }));
  if (event === undefined || issue === undefined) return undefined;
  const [neighbours, feedback, attachments, path, commit] = await Promise.all([
    store.neighbours(event),
    store.feedback(project, { eventIds: [event.eventId] }),
    store.attachmentsOf(project, event.eventId),
    visitorPath(store, event),
    commitOf(store, project, event.release),
  ]);
  return {
    event,
    digest: digestOf(event.eventId),
    issue,
    title: event.body.kind === "whole" ? titleOfEvent(event.body.event) : titleLine(issue.type, issue.title),
    facts: event.body.kind === "whole" ? eventFacts(event.body.event) : [],
    exceptions: event.body.kind === "whole" ? exceptionTree(event.body.event) : [],
    neighbours,
    feedback,
    attachments,
    commit,
    path,
  };
}

/** A file that came with an event, or undefined if it is not one of this project and event. */
export async function attachmentOfEvent(
  { store }: QueryContext,
  project: number,
  eventId: string,
  id: number,
): Promise<AttachmentRecord | undefined> {
  const event = readEventId(eventId);
  return event === undefined ? undefined : store.attachment(project, event, id);
}

/** A build without commits may still be named after one, also with what was added to it. */
async function commitOf(store: StoreReader, project: number, release: string | undefined): Promise<string | undefined> {
  if (release === undefined) return undefined;
  const [newest] = await store.commits(project, release);
  return newest?.hash ?? /^[0-9a-f]{40}(?=$|-)/.exec(release)?.[0];
}
