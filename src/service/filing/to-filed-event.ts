import type { Frame, ReportedEvent, ReportedUser } from "#protocol";
import { groupEvent } from "../grouping/group-event.ts";
import { exceptionChain, mainException } from "../grouping/main-exception.ts";
import { titleOf } from "../grouping/title.ts";
import type { FiledChunk, FiledEvent, RowKey, StoredJson } from "../stores/filed.ts";
import { sawTag } from "../stores/values/page-counts.ts";
import { aliasesOf, sessionOf, visitorOf } from "../stores/values/visitor-hash.ts";
import { type ClientTime, happenedAt } from "./client-time.ts";
import { routeName } from "./route-name.ts";

// Tags that an application typically sets. Of more, only the first are counted; all are in the event.
const mostTags = 40;
// Enough to find an error. The whole text is in the event.
const searchedText = 400;
const searchedExceptions = 5;
// Frames of the application that a search finds by file, module and name. More are a recursion or foreign code.
const searchedFrames = 100;
const searchedStack = 8_192;

export interface EventParts {
  /** Mapped, marked and scrubbed. */
  event: ReportedEvent & { eventId: string; otherId?: string | undefined };
  /** As reported, because the fields that identify a visitor may be scrubbed from the event. */
  user: ReportedUser | undefined;
  row: RowKey;
  time: ClientTime;
  chunks: readonly FiledChunk[];
  body: StoredJson;
}

/** Converts an event to the form of the store. */
export function toFiledEvent({ event, user, row, time, chunks, body }: EventParts): FiledEvent {
  const route = event.transaction === undefined ? undefined : routeName(event.transaction);
  const title = titleOf(event);
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
    tags: tagsOf(event, route),
    searchText: searchTextOf(event, route),
    stackText: stackTextOf(event),
    chunks,
    body,
  };
}

function tagsOf(event: ReportedEvent, route: string | undefined): [string, string][] {
  const tags = new Map<string, string>();
  const add = (key: string, value: unknown): void => {
    if (typeof value === "string" && value !== "" && !tags.has(key) && tags.size < mostTags) tags.set(key, value);
  };
  const { browser, os, runtime, device, holdfast } = event.contexts;
  const handled = mainException(event)?.mechanism?.handled;
  add("route", route);
  add("environment", event.environment);
  add("browser", browser?.name);
  add("os", os?.name);
  add("runtime", runtime?.name);
  add("device", device?.family ?? device?.model);
  add("server", event.serverName);
  add(sawTag, holdfast?.visitor_saw);
  if (handled !== undefined) add("handled", handled ? "yes" : "no");
  for (const key in event.tags) add(key, event.tags[key]);
  return [...tags];
}

/** Searchable text: exceptions, causes and the route. */
function searchTextOf(event: ReportedEvent, route: string | undefined): string {
  const chain = exceptionChain(event).slice(0, searchedExceptions);
  const parts = [
    ...chain.flatMap(({ type, value }) => [type, value?.slice(0, searchedText)]),
    event.message?.text.slice(0, searchedText),
    route,
  ];
  return parts.filter((part) => part !== undefined).join(" ");
}

/** Frames of the application from all exceptions, innermost first, without duplicates. */
function stackTextOf(event: ReportedEvent): string {
  const texts = new Set<string>();
  for (const frames of [...exceptionChain(event).map(({ frames }) => frames), event.frames ?? []]) {
    for (const frame of frames.toReversed()) {
      if (texts.size === searchedFrames) break;
      if (frame.inApp === true) texts.add(frameText(frame));
    }
  }
  return [...texts].join(" ").slice(0, searchedStack);
}

function frameText({ filename, absPath, module, function: name }: Frame): string {
  return [filename ?? absPath, module, name].filter((part) => part !== undefined).join(" ");
}
