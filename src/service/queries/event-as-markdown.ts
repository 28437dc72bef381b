import type { Breadcrumb, Frame, ReportedEvent, ReportedUser } from "#protocol";
import { type PlacedException, relationText } from "../grouping/main-exception.ts";
import { titleOfEvent } from "../grouping/title.ts";
import type { EventAnswer } from "./event.ts";

/**
 * Formats an event as Markdown, for a ticket, a colleague or a terminal. All of its text is untrusted, so it is escaped
 * or in code: none of it becomes a heading, a link, HTML or a mention.
 */
export function eventAsMarkdown(answer: EventAnswer, consoleAddress: string | undefined): string {
  return [`# ${escaped(answer.title)}`, facts(answer, consoleAddress), ...notes(answer), ...bodyOf(answer)].join(
    "\n\n",
  );
}

function facts({ event, digest, issue, facts }: EventAnswer, consoleAddress: string | undefined): string {
  const home = consoleAddress === undefined ? undefined : `${consoleAddress}/${event.project}`;
  const whole = event.body.kind === "whole" ? event.body.event : undefined;
  const lines: readonly (readonly [string, string | undefined])[] = [
    ["digest", linked(digest, home && `${home}/events/${event.eventId}`)],
    ["issue", linked(`#${issue.number}`, home && `${home}/issues/${issue.number}`)],
    ["event", code(event.eventId)],
    ["time", code(new Date(event.at).toISOString())],
    ["project", code(String(event.project))],
    ["level", code(event.level)],
    ["route", code(event.route)],
    ["release", code(event.release)],
    ["environment", code(event.environment)],
    ["trace", code(event.traceId)],
    ["user", userText(whole?.user)],
    ["request", code(requestText(whole))],
    ...facts.map(([name, text]) => [name, code(text)] as const),
  ];
  return listOf(lines);
}

function userText(user: ReportedUser | undefined): string | undefined {
  if (user === undefined) return undefined;
  const names: readonly (readonly [string, string | undefined])[] = [
    ["id", user.id],
    ["e-mail", user.email],
    ["name", user.username],
    ["name", user.name],
  ];
  const texts = names.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${code(value)}`]));
  return texts.length === 0 ? undefined : texts.join(", ");
}

function requestText(event: ReportedEvent | undefined): string | undefined {
  const { method = "GET", url } = event?.request ?? {};
  return url === undefined ? undefined : `${method} ${url}`;
}

/** Notes of visitors. */
function notes({ feedback }: EventAnswer): readonly string[] {
  return feedback.map(({ name, email, message }) => {
    const from = [name, email].filter((one) => one !== undefined).map((one) => code(one));
    return `## Note of ${from.length === 0 ? "the visitor" : from.join(", ")}\n\n${block(message)}`;
  });
}

function bodyOf({ event: { body }, exceptions }: EventAnswer): readonly string[] {
  if (body.kind === "damped") return ["Only its row was kept, because very many of its kind arrived in that minute."];
  if (body.kind === "damaged") return ["Its content is damaged on the disk and cannot be shown."];
  const { event } = body;
  return [
    ...(event.remarks ?? []).map((remark) => `_${escaped(remark)}_`),
    ...messageText(event),
    ...exceptions.map(exceptionText),
    ...(event.frames === undefined ? [] : [`## Stack\n\n${block(stackText(event.frames))}`]),
    ...tagsText(event),
    ...breadcrumbsText(event),
  ];
}

/** The message, unless the title already contains all of it. */
function messageText(event: ReportedEvent): readonly string[] {
  const text = event.message?.text;
  const isInTitle =
    text === undefined || text === titleOfEvent(event) || event.exceptions.some(({ value }) => value === text);
  return isInTitle ? [] : [`## Message\n\n${block(text)}`];
}

/** Collected errors are one heading level below their parent, as far as Markdown has levels. */
function exceptionText(placed: PlacedException): string {
  const { exception, depth } = placed;
  const marks = "#".repeat(Math.min(2 + depth, 6));
  const parts = [`${marks} ${escaped(`${relationText(placed)}${exception.type ?? "Error"}`)}`];
  if (exception.value !== undefined) parts.push(block(exception.value));
  if (exception.frames.length > 0) parts.push(block(stackText(exception.frames)));
  return parts.join("\n\n");
}

/** For a stack without frames of the application. The rest is in the console. */
const mostLibraryFrames = 20;

/**
 * Formats a stack, newest call first. Shows the application's frames, the first with its source context. Frames of
 * libraries are counted, and shown if there are no others.
 */
function stackText(frames: readonly Frame[]): string {
  const newestFirst = frames.toReversed();
  if (!frames.some(({ inApp }) => inApp !== false)) return libraryStack(newestFirst);
  const lines: string[] = [];
  let hasSource = false;
  let libraries = 0;
  const tellLibraries = (): void => {
    if (libraries > 0) lines.push(`(${libraries} of libraries)`);
    libraries = 0;
  };
  for (const frame of newestFirst) {
    if (frame.inApp === false) {
      libraries += 1;
      continue;
    }
    tellLibraries();
    lines.push(frameText(frame));
    if (frame.contextLine === undefined) continue;
    lines.push(...(hasSource ? [`      ${frame.contextLine.trim()}`] : sourceText(frame)));
    hasSource = true;
  }
  tellLibraries();
  return lines.join("\n");
}

function libraryStack(newestFirst: readonly Frame[]): string {
  const more = newestFirst.length - mostLibraryFrames;
  const texts = newestFirst.slice(0, mostLibraryFrames).map(frameText);
  return [...texts, ...(more > 0 ? [`(${more} more)`] : [])].join("\n");
}

function frameText({ function: name = "?", filename, absPath, module, line, column }: Frame): string {
  const location = [filename ?? absPath ?? module ?? "?", line, column].filter((part) => part !== undefined).join(":");
  return `${name} (${location})`;
}

function sourceText({ contextLine = "", preContext = [], postContext = [], line = 0 }: Frame): string[] {
  const first = line - preContext.length;
  return [...preContext, contextLine, ...postContext].map(
    (text, index) => `    ${first + index === line ? ">" : " "} ${String(first + index).padStart(5)}  ${text}`,
  );
}

function tagsText(event: ReportedEvent): readonly string[] {
  const tags = Object.entries(event.tags);
  return tags.length === 0 ? [] : [`## Tags\n\n${listOf(tags.map(([key, value]) => [escaped(key), code(value)]))}`];
}

/** Earlier steps rarely explain anything, and each line costs the reader's attention. */
const mostSteps = 10;

function breadcrumbsText({ breadcrumbs, timestampMs = Number.POSITIVE_INFINITY }: ReportedEvent): readonly string[] {
  const before = breadcrumbs.filter((crumb) => (crumb.timestampMs ?? 0) <= timestampMs);
  if (before.length === 0) return [];
  return [`## What happened before\n\n${block(before.slice(-mostSteps).map(stepText).join("\n"))}`];
}

function stepText({ timestampMs, category, type, message, data }: Breadcrumb): string {
  const time = timestampMs === undefined ? "" : `${new Date(timestampMs).toISOString().slice(11, 23)} `;
  return `${time}${category ?? type ?? ""}: ${message ?? JSON.stringify(data ?? {})}`.replaceAll("\n", " ");
}

function listOf(lines: readonly (readonly [string, string | undefined])[]): string {
  return lines.flatMap(([name, value]) => (value === undefined ? [] : [`- ${name}: ${value}`])).join("\n");
}

function linked(text: string, address: string | undefined): string {
  return address === undefined ? code(text) : `[${escaped(text)}](<${address}>)`;
}

/** Escapes text in a line. A zero-width space prevents that URLs become links and that at signs notify people. */
function escaped(text: string): string {
  return oneLine(text)
    .replace(/[\\`*_[\]<>&~|#$]/g, "\\$&")
    .replace(/@(?=\w)|:(?=\/\/)|\bwww(?=\.)/gi, "$&\u200b");
}

function code(text: string): string;
function code(text: string | undefined): string | undefined;
function code(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const fence = longerThan(text, 0);
  const line = oneLine(text);
  // Spaces keep a backtick at either end from joining the fence.
  const padding = /^`|`$|^ .* $/.test(line) ? " " : "";
  return line.trim() === "" ? "" : fence + padding + line + padding + fence;
}

/** Formats lines unchanged, in a fence that nothing in them can close. */
function block(text: string): string {
  const fence = longerThan(text, 2);
  return `${fence}text\n${visible(text)}\n${fence}`;
}

function longerThan(text: string, atLeast: number): string {
  const longest = Math.max(atLeast, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  return "`".repeat(longest + 1);
}

function oneLine(text: string): string {
  return visible(text.replace(/\s+/g, " ").trim());
}

/** Escapes control characters, which could move the cursor of a terminal or colour later output. */
function visible(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g,
    (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}
