import type { IssueVisitorRecord } from "../records.ts";

/** An event of an issue, with its visitor. */
export interface SeenEvent {
  visitor: number;
  at: number;
  eventId: string;
  release: string | undefined;
}

/** Returns the visitors in these events, the most recent first. */
export function issueVisitorsOf(newestFirst: readonly SeenEvent[]): readonly IssueVisitorRecord[] {
  const found = new Map<number, IssueVisitorRecord>();
  for (const { visitor, at, eventId, release } of newestFirst) {
    const known = found.get(visitor);
    if (known === undefined) {
      found.set(visitor, { visitor, events: 1, firstAt: at, lastAt: at, lastEventId: eventId, release });
    } else {
      known.events += 1;
      known.firstAt = at;
    }
  }
  return [...found.values()];
}
