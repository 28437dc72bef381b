import { readFilter } from "../stores/filter-language.ts";
import type { IssueRecord } from "../stores/records.ts";
import type { IssueSort } from "../stores/store-requests.ts";
import type { QueryContext } from "./query-context.ts";

export interface NeighboursQuestion {
  project: number;
  /** Visible number of the issue between them. */
  number: number;
  /** Of the list, in the filter language. */
  filter: string;
  sort: IssueSort;
  /** Where the issue was in the list when it was read. Without it, where it is now. */
  place?: string | undefined;
}

/** An issue beside another in a list, and its place there. */
export interface NeighbourIssue {
  number: number;
  place: string;
}

export interface NeighboursAnswer {
  previous: NeighbourIssue | undefined;
  next: NeighbourIssue | undefined;
}

/**
 * Finds the issues before and after one in a list by the sort value of its row, so that neither the list is read nor
 * the issue has to be in it: one that was just resolved still has neighbours. A busy issue moves to the top with every
 * event; by the place that it had, a reader goes on from there.
 */
export async function issueNeighbours(
  { store }: QueryContext,
  { project, number, filter, sort, place }: NeighboursQuestion,
): Promise<NeighboursAnswer> {
  const issue = await store.issue(project, { number });
  if (issue === undefined) return { previous: undefined, next: undefined };
  const cursor = { value: readPlace(place) ?? sortValueOf(issue, sort), id: issue.id };
  const query = { project, filter: readFilter(filter), sort };
  // The issue itself may have got a new value, and would be its own neighbour.
  const [before, after] = await Promise.all([
    store.issues({ ...query, before: cursor, limit: 2 }),
    store.issues({ ...query, after: cursor, limit: 2 }),
  ]);
  const other = ({ id }: IssueRecord): boolean => id !== issue.id;
  const shown = (found: IssueRecord | undefined): NeighbourIssue | undefined =>
    found && { number: found.number, place: writePlace(found, sort) };
  return { previous: shown(before.issues.findLast(other)), next: shown(after.issues.find(other)) };
}

export function writePlace(issue: IssueRecord, sort: IssueSort): string {
  return sortValueOf(issue, sort).toString(36);
}

/** Returns undefined for an invalid place. */
function readPlace(text: string | undefined): number | undefined {
  return text !== undefined && /^[0-9a-z]{1,11}$/.test(text) ? Number.parseInt(text, 36) : undefined;
}

function sortValueOf(issue: IssueRecord, sort: IssueSort): number {
  switch (sort) {
    case "stuck":
      // As the stores sort.
      return issue.stuck * 2_147_483_648 + Math.floor(issue.lastSeen / 1_000);
    case "last-seen":
      return issue.lastSeen;
    case "first-seen":
      return issue.firstSeen;
    case "events":
      return issue.events;
    case "visitors":
      return issue.visitors;
  }
}
