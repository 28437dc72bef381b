import type { EventLevel } from "#protocol";
import type { SegmentKind } from "../filed.ts";
import type { VisitorRecord } from "../records.ts";

/** A view or an event, with its visitor. `Id` is the form in which the store has ids of events. */
export interface SeenVisitor<Id> {
  visitor: number | null;
  at: number;
  kind: "event" | SegmentKind;
  route: string | undefined;
  release: string | undefined;
  /** Of an event. */
  level: EventLevel | undefined;
  eventId: Id | undefined;
}

/** Returns all visitors in these views and events, the most recent first. */
export function visitorRecords<Id>(
  seen: readonly SeenVisitor<Id>[],
  hexOfId: (id: Id) => string,
): readonly VisitorRecord[] {
  const newestFirst = seen.toSorted((a, b) => b.at - a.at);
  return [...Map.groupBy(newestFirst, ({ visitor }) => visitor)].flatMap(([visitor, steps]) =>
    visitor === null ? [] : recordOf(visitor, steps, hexOfId),
  );
}

/** Summarises the steps of one visitor, newest first. */
function recordOf<Id>(
  visitor: number,
  steps: readonly SeenVisitor<Id>[],
  hexOfId: (id: Id) => string,
): VisitorRecord[] {
  const [last] = steps;
  const eventId = steps.find((step) => step.eventId !== undefined)?.eventId;
  if (last === undefined) return [];
  return [
    {
      visitor,
      views: steps.filter(({ kind }) => kind === "pageload" || kind === "navigation").length,
      errors: steps.filter(({ level }) => level === "error" || level === "fatal").length,
      route: last.route,
      release: steps.find(({ release }) => release !== undefined)?.release,
      last: { at: last.at, kind: last.kind, level: last.level },
      lastEventId: eventId === undefined ? undefined : hexOfId(eventId),
    },
  ];
}
