import type { Frame, ReportedEvent } from "#protocol";
import { exceptionChain, mainException } from "../../grouping/main-exception.ts";
import { sawTag } from "./page-counts.ts";

// Tags that an application typically sets. Of more, only the first are counted; all are in the event.
const mostTags = 40;
// Enough to find an error. The whole text is in the event.
const searchedText = 400;
const searchedExceptions = 5;
// Frames of the application that a search finds by file, module and name. More are a recursion or foreign code.
const searchedFrames = 100;
const searchedStack = 8_192;

/** What is counted of an event: its route, its client and its own tags. */
export function tagsOfEvent(event: ReportedEvent, route: string | undefined): [string, string][] {
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
export function searchTextOf(event: ReportedEvent, route: string | undefined): string {
  const chain = exceptionChain(event).slice(0, searchedExceptions);
  const parts = [
    ...chain.flatMap(({ type, value }) => [type, value?.slice(0, searchedText)]),
    event.message?.text.slice(0, searchedText),
    route,
  ];
  return parts.filter((part) => part !== undefined).join(" ");
}

/** Frames of the application from all exceptions, innermost first, without duplicates. */
export function stackTextOf(event: ReportedEvent): string {
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
