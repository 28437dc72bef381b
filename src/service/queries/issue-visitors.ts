import type { IssueRecord, IssueVisitorRecord } from "../stores/records.ts";
import { deviceOf } from "./device.ts";
import { issueIdOf } from "./issue.ts";
import type { QueryContext } from "./query-context.ts";
import { identityIn, nameOfVisitor } from "./visitor.ts";

export interface IssueVisitorsQuestion {
  project: number;
  /** Visible number of the issue. */
  number: number;
  sort: "last" | "first" | "events";
  /** From 1. */
  page: number;
}

export interface IssueVisitorsAnswer {
  issue: IssueRecord;
  visitors: readonly (IssueVisitorRecord & {
    /** Undefined for an anonymous visit. */
    name: string | undefined;
    device: string | undefined;
  })[];
  /** In all pages. */
  total: number;
  hasNext: boolean;
  /** Number of events that were counted. If the issue has more, older ones were not. */
  counted: number;
}

/** An issue may have millions of events; so many take 10 ms. */
const newestEvents = 5_000;
const perPage = 50;

/** Lists who met an issue. Undefined for an unknown one. */
export async function visitorsOfIssue(
  { store }: QueryContext,
  { project, number, sort, page }: IssueVisitorsQuestion,
): Promise<IssueVisitorsAnswer | undefined> {
  const id = await issueIdOf(store, project, number);
  const issue = id === undefined ? undefined : await store.issue(project, { id });
  if (issue === undefined) return undefined;
  const { visitors: shown, total } = await store.issueVisitors({
    project,
    issue: issue.id,
    among: newestEvents,
    sort,
    from: (page - 1) * perPage,
    limit: perPage,
  });
  const events = await store.eventsById(
    project,
    shown.map(({ lastEventId }) => lastEventId),
  );
  const byId = new Map(events.map((event) => [event.eventId, event]));
  return {
    issue,
    visitors: shown.map((visitor) => {
      const event = byId.get(visitor.lastEventId);
      return {
        ...visitor,
        name: event && nameOfVisitor(identityIn([event])),
        device: event?.body.kind === "whole" ? deviceOf(event.body.event) : undefined,
      };
    }),
    total,
    hasNext: total > page * perPage,
    counted: Math.min(issue.events, newestEvents),
  };
}
