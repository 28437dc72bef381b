import type { SegmentKind } from "../filed.ts";
import type { VisitorRecord } from "../records.ts";

/** A view or an event, with its visitor. */
export interface SeenVisitor {
  visitor: number | null;
  at: number;
  kind: "event" | SegmentKind;
  route: string | undefined;
  release: string | undefined;
  failed: boolean;
  eventId: string | undefined;
}

/** Returns all visitors in these views and events, the most recent first. */
export function visitorRecords(seen: readonly SeenVisitor[]): readonly VisitorRecord[] {
  const newestFirst = seen.toSorted((a, b) => b.at - a.at);
  return [...Map.groupBy(newestFirst, ({ visitor }) => visitor)].flatMap(([visitor, steps]) =>
    visitor === null ? [] : recordOf(visitor, steps),
  );
}

/** Summarises the steps of one visitor, newest first. */
function recordOf(visitor: number, steps: readonly SeenVisitor[]): VisitorRecord[] {
  const [last] = steps;
  if (last === undefined) return [];
  return [
    {
      visitor,
      views: steps.filter(({ kind }) => kind === "pageload" || kind === "navigation").length,
      errors: steps.filter(({ failed }) => failed).length,
      route: last.route,
      release: steps.find(({ release }) => release !== undefined)?.release,
      last: { at: last.at, kind: last.kind },
      lastEventId: steps.find(({ eventId }) => eventId !== undefined)?.eventId,
    },
  ];
}
