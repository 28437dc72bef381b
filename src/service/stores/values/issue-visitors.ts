import type { IssueVisitorRecord } from "../records.ts";
import type { IssueVisitorsQuery } from "../store-requests.ts";

/** An event of an issue, with its visitor. `id` is any id that the store finds it by. */
export interface SeenEvent<Id> {
  visitor: number;
  at: number;
  id: Id;
  release: string | undefined;
}

/** A visitor in some events. The id is that of the last one. */
export type SeenIssueVisitor<Id> = Omit<IssueVisitorRecord, "lastEventId"> & { id: Id };

/** Returns one page of the visitors in these events, and their number in all pages. */
export function issueVisitorsOf<Id>(
  newestFirst: readonly SeenEvent<Id>[],
  { sort, from, limit }: Pick<IssueVisitorsQuery, "sort" | "from" | "limit">,
): { visitors: readonly SeenIssueVisitor<Id>[]; total: number } {
  const found = new Map<number, SeenIssueVisitor<Id>>();
  for (const { visitor, at, id, release } of newestFirst) {
    const known = found.get(visitor);
    if (known === undefined) {
      found.set(visitor, { visitor, events: 1, firstAt: at, lastAt: at, id, release });
    } else {
      known.events += 1;
      known.firstAt = at;
    }
  }
  const visitors = [...found.values()].sort(orders[sort]).slice(from, from + limit);
  return { visitors, total: found.size };
}

type Times = Pick<IssueVisitorRecord, "events" | "firstAt" | "lastAt">;

const orders: Readonly<Record<IssueVisitorsQuery["sort"], (a: Times, b: Times) => number>> = {
  last: (a, b) => b.lastAt - a.lastAt,
  first: (a, b) => a.firstAt - b.firstAt,
  events: (a, b) => b.events - a.events || b.lastAt - a.lastAt,
};
