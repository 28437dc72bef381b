import { digestOf, readDigest, readEventId } from "#protocol";
import { exceptionTree, type PlacedException } from "../grouping/main-exception.ts";
import { titleLine, titleOfEvent } from "../grouping/title.ts";
import type { AttachmentRecord, EventRecord, FeedbackRecord, IssueRecord, Neighbours } from "../stores/store.ts";
import type { QueryContext } from "./query-context.ts";
import { type VisitorStep, visitorPath } from "./visitor-path.ts";

export interface EventAnswer {
  event: EventRecord;
  /** The code the visitor was shown. */
  digest: string;
  issue: IssueRecord;
  /** What this very event says, `TypeError: cart is undefined`; of one that was not kept whole, what its issue says. */
  title: string;
  /** What was thrown, then all that hangs on it. */
  exceptions: readonly PlacedException[];
  neighbours: Neighbours;
  feedback: readonly FeedbackRecord[];
  attachments: readonly AttachmentRecord[];
  /** What the visitor did before, on one clock. */
  path: readonly VisitorStep[];
}

/** By event id, or by the digest however it was typed: in any case, with or without hyphens, O for 0, I or L for 1. */
export async function eventByIdOrDigest(
  { store }: QueryContext,
  project: number,
  text: string,
): Promise<EventAnswer | undefined> {
  const idOrPrefix = readEventId(text) ?? readDigest(text);
  const event = idOrPrefix === undefined ? undefined : await store.event(project, idOrPrefix);
  const issue = event && (await store.issue(project, { id: event.issue }));
  if (event === undefined || issue === undefined) return undefined;
  const [neighbours, feedback, attachments, path] = await Promise.all([
    store.neighbours(event),
    store.feedback(project, { eventId: event.eventId }),
    store.attachmentsOf(project, event.eventId),
    visitorPath(store, event),
  ]);
  return {
    event,
    digest: digestOf(event.eventId),
    issue,
    title: event.body.kind === "whole" ? titleOfEvent(event.body.event) : titleLine(issue.type, issue.title),
    exceptions: event.body.kind === "whole" ? exceptionTree(event.body.event) : [],
    neighbours,
    feedback,
    attachments,
    path,
  };
}
