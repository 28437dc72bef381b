import { digestOf, type Frame, type ReportedEvent, type ReportedException } from "#protocol";
import { titleLine, titleOf } from "../grouping/title.ts";
import type { EventRecord } from "../stores/store.ts";

/** An event as a page of text: for a terminal, a ticket, or a letter to whoever can repair it. */
export function eventAsMarkdown(record: EventRecord): string {
  return [heading(record), facts(record), ...bodyOf(record)].join("\n\n");
}

function heading({ body, eventId }: EventRecord): string {
  if (body.kind !== "whole") return `# Event ${eventId}`;
  const { type, text } = titleOf(body.event);
  return `# ${titleLine(type, text)}`;
}

function facts(record: EventRecord): string {
  const lines: readonly (readonly [string, string | undefined])[] = [
    ["digest", digestOf(record.eventId)],
    ["event", record.eventId],
    ["time", new Date(record.at).toISOString()],
    ["project", String(record.project)],
    ["level", record.level],
    ["route", record.route],
    ["release", record.release],
    ["environment", record.environment],
    ["trace", record.traceId],
  ];
  return lines
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `- ${name}: ${value}`)
    .join("\n");
}

function bodyOf({ body }: EventRecord): readonly string[] {
  if (body.kind === "damped") return ["Only its row was kept, because very many of its kind arrived in that minute."];
  if (body.kind === "damaged") return ["Its content is damaged on the disk and cannot be shown."];
  const { event } = body;
  return [
    ...messageText(event),
    ...event.exceptions.toReversed().map((exception, index) => exceptionText(exception, index > 0)),
    ...(event.frames === undefined ? [] : [`## Stack\n\n${stackText(event.frames)}`]),
    ...(event.request?.url === undefined
      ? []
      : [`## Request\n\n${event.request.method ?? "GET"} ${event.request.url}`]),
    ...tagsText(event),
    ...breadcrumbsText(event),
  ];
}

/** What was written when it happened, where the heading does not say all of it. */
function messageText(event: ReportedEvent): readonly string[] {
  const text = event.message?.text;
  const isTold =
    text === undefined || text === titleOf(event).text || event.exceptions.some(({ value }) => value === text);
  return isTold ? [] : [`## Message\n\n${text}`];
}

function exceptionText(exception: ReportedException, isCause: boolean): string {
  const title = `## ${isCause ? "Caused by " : ""}${exception.type ?? "Error"}\n\n${exception.value ?? ""}`;
  return exception.frames.length === 0 ? title : `${title}\n\n${stackText(exception.frames)}`;
}

/** Newest call first, as one reads a stack. The application's own frames, the first with the lines around it; those of libraries are counted. */
function stackText(frames: readonly Frame[]): string {
  const lines: string[] = [];
  let hasSource = false;
  let libraries = 0;
  const tellLibraries = (): void => {
    if (libraries > 0) lines.push(`- (${libraries} of libraries)`);
    libraries = 0;
  };
  for (const frame of frames.toReversed()) {
    if (frame.inApp === false) {
      libraries += 1;
      continue;
    }
    tellLibraries();
    lines.push(`- ${frame.function ?? "?"} (${placeOf(frame)})`);
    if (frame.contextLine === undefined) continue;
    lines.push(...(hasSource ? [`      ${frame.contextLine.trim()}`] : sourceText(frame)));
    hasSource = true;
  }
  tellLibraries();
  return lines.join("\n");
}

function placeOf({ filename, absPath, module, line, column }: Frame): string {
  return [filename ?? absPath ?? module ?? "?", line, column].filter((part) => part !== undefined).join(":");
}

/** Indented, so that nothing in a stranger's source can end it. */
function sourceText({ contextLine = "", preContext = [], postContext = [], line = 0 }: Frame): string[] {
  const first = line - preContext.length;
  return [...preContext, contextLine, ...postContext].map(
    (text, index) => `    ${first + index === line ? ">" : " "} ${String(first + index).padStart(5)}  ${text}`,
  );
}

function tagsText(event: ReportedEvent): readonly string[] {
  const tags = Object.entries(event.tags);
  return tags.length === 0 ? [] : [`## Tags\n\n${tags.map(([key, value]) => `- ${key}: ${value}`).join("\n")}`];
}

/** What came earlier seldom explains anything, and who reads it pays for every line. */
const stepsTold = 10;

function breadcrumbsText(event: ReportedEvent): readonly string[] {
  if (event.breadcrumbs.length === 0) return [];
  const lines = event.breadcrumbs.slice(-stepsTold).map((crumb) => {
    const time = crumb.timestampMs === undefined ? "" : `${new Date(crumb.timestampMs).toISOString().slice(11, 23)} `;
    return `- ${time}${crumb.category ?? crumb.type ?? ""}: ${crumb.message ?? JSON.stringify(crumb.data ?? {})}`;
  });
  return [`## What happened before\n\n${lines.join("\n")}`];
}
