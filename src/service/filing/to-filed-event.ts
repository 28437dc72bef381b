import type { ReportedEvent, ReportedUser } from "#protocol";
import { groupEvent } from "../grouping/group-event.ts";
import { titleOf } from "../grouping/title.ts";
import type { OwnedFacts } from "../issues/ownership/matchers.ts";
import type { FiledChunk, FiledEvent, RowKey, RuleOwner, StoredJson } from "../stores/filed.ts";
import { searchTextOf, stackTextOf, tagsOfEvent } from "../stores/values/event-texts.ts";
import { addressOf, aliasesOf, sessionOf, visitorOf } from "../stores/values/visitor-hash.ts";
import { type ClientTime, happenedAt } from "./client-time.ts";
import { readOwnedFacts } from "./owned-facts.ts";
import { routeName } from "./route-name.ts";

export interface EventParts {
  /** Mapped, marked and scrubbed. */
  event: ReportedEvent & { eventId: string; otherId?: string | undefined };
  /** As reported, because the fields that identify a visitor may be scrubbed from the event. */
  user: ReportedUser | undefined;
  row: RowKey;
  time: ClientTime;
  chunks: readonly FiledChunk[];
  body: StoredJson;
  /** By the ownership rules of the project. Undefined if it has none. */
  ownerBy: OwnerByRules | undefined;
}

export type OwnerByRules = (facts: OwnedFacts) => RuleOwner | undefined;

/** Converts an event to the form of the store. */
export function toFiledEvent({ event, user, row, time, chunks, body, ownerBy }: EventParts): FiledEvent {
  const route = event.transaction === undefined ? undefined : routeName(event.transaction);
  const title = titleOf(event);
  const tags = tagsOfEvent(event, route);
  const factsOf = ownerBy && readOwnedFacts(event, { route, tags });
  return {
    kind: "event",
    ...row,
    receivedAt: Math.round(time.receivedAt),
    eventId: event.eventId,
    otherId: event.otherId,
    at: happenedAt(event.timestampMs, time),
    grouping: groupEvent(event),
    title,
    level: event.level,
    platform: event.platform,
    route,
    release: event.release,
    environment: event.environment,
    traceId: event.trace?.traceId,
    visitor: visitorOf(user),
    session: sessionOf(event.contexts),
    aliases: aliasesOf(user),
    address: addressOf(user),
    tags,
    searchText: searchTextOf(event, route),
    stackText: stackTextOf(event),
    owner: factsOf && (() => ownerBy?.(factsOf())),
    chunks,
    body,
  };
}
