import { consoleApi, type EventAnswer, type Frame, type ReportedEvent, type VisitorStep } from "holdfast/service";

import { mayBePicture } from "./attached-file.ts";
import { colourLines, type Token } from "./colour-source.ts";
import { visitorId } from "./live-visitors.ts";

/** An event for its page: parsed from untrusted input, cut to a readable size, all of it text. */
export interface ShownEvent {
  eventId: string;
  digest: string;
  at: number;
  level: string;
  route: string | undefined;
  release: string | undefined;
  environment: string | undefined;
  traceId: string | undefined;
  title: string;
  body:
    | {
        kind: "whole";
        /** The thrown exception, then its causes. */
        chain: ShownException[];
        /** Whether frames of the application are in a built file, which is unreadable. */
        isUnmapped: boolean;
        /** Parts of the report that were dropped or unreadable. */
        remarks: readonly string[];
        facts: Pair[];
        groups: { name: string; pairs: Pair[] }[];
        tags: Pair[];
        url: string | undefined;
      }
    | { kind: "damped" }
    | { kind: "damaged" };
  steps: readonly ShownStep[];
  /** Id in addresses. */
  visitor: string | undefined;
  feedback: { at: number; from: string | undefined; message: string }[];
  attachments: ShownFile[];
  neighbours: EventAnswer["neighbours"];
}

/** A file that came with the event. */
export interface ShownFile {
  id: number;
  filename: string;
  /** As its client said. */
  contentType: string | undefined;
  /** Undefined if its bytes have changed on disk. */
  size: number | undefined;
  hasPreview: boolean;
}

/** A step of the visitor. Its link is below the project. */
export interface ShownStep extends Pick<VisitorStep, "at" | "kind" | "text"> {
  /** From it to the event. */
  distance: string;
  fails: boolean;
  leads: string | undefined;
}

export type Pair = readonly [name: string, value: string];

export interface ShownException {
  /** `Caused by`, `While handling`, `1 of the group`. Empty for the thrown exception. */
  relation: string;
  /** Number of enclosing groups of errors. */
  depth: number;
  type: string;
  message: string;
  handled: boolean | undefined;
  /** Newest call first. */
  frames: ShownFrame[];
}

export interface ShownFrame {
  function: string;
  file: string;
  line: number | undefined;
  column: number | undefined;
  isApplication: boolean;
  /** Its line in the repository. */
  link: string | undefined;
  source: { number: number; tokens: readonly Token[]; fails: boolean }[];
  locals: Pair[];
}

// Longer values are in the raw event.
const longestValue = 2_000;
const mostPairs = 60;
// A name and a version each. Few applications have more.
const mostModules = 500;

export function showEvent(answer: EventAnswer): ShownEvent {
  const { event, digest, neighbours, feedback, attachments, path } = answer;
  return {
    eventId: event.eventId,
    digest,
    at: event.at,
    level: event.level,
    route: event.route,
    release: event.release,
    environment: event.environment,
    traceId: event.traceId,
    title: answer.title,
    body: event.body.kind === "whole" ? showBody(event.body.event, answer, linksOf(answer)) : { kind: event.body.kind },
    steps: path.map((step) => showStep(step, event.at)),
    visitor: event.visitor === undefined ? undefined : visitorId(event.visitor),
    feedback: feedback.map(({ at, name, email, message }) => ({ at, from: name ?? email, message })),
    attachments: attachments.map((file) => ({ ...file, hasPreview: mayBePicture(file.contentType, file.size) })),
    neighbours,
  };
}

function showStep({ at, kind, text, fails = false, traceId, eventId }: VisitorStep, eventAt: number): ShownStep {
  const leads = eventId ? `events/${eventId}` : traceId && `traces/${traceId}`;
  return { at, distance: distance(at - eventAt), kind, text, fails, leads };
}

/** From a step to the event. */
function distance(ms: number): string {
  const seconds = Math.abs(ms) / 1_000;
  const text = seconds < 100 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds / 60)} min`;
  if (ms === 0) return text;
  return ms > 0 ? `+${text}` : `−${text}`;
}

/** Returns the address of a frame in the repository, if the project has a template and the release a commit. */
type LinkOf = (frame: Frame) => string | undefined;

function linksOf({ event: { project }, commit }: EventAnswer): LinkOf {
  const { administration } = consoleApi();
  return ({ inApp, filename, line }) =>
    commit === undefined || inApp !== true || filename === undefined
      ? undefined
      : administration.linkToSource(project, { commit, file: filename, line });
}

function showBody(event: ReportedEvent, { exceptions, facts }: EventAnswer, linkOf: LinkOf): ShownEvent["body"] {
  const { user, request, contexts } = event;
  return {
    kind: "whole",
    chain: showChain(event, exceptions, linkOf),
    isUnmapped: event.exceptions.some(({ frames }) => frames.some(isUnmapped)),
    remarks: event.remarks ?? [],
    facts: pairsOf({
      message: messageBeside(event),
      ...Object.fromEntries(facts),
      "user id": user?.id,
      "e-mail": user?.email,
      user: [user?.username, user?.name].filter((name) => name !== undefined).join(", "),
      server: event.serverName,
      client: event.sdk && [event.sdk.name, event.sdk.version].filter(Boolean).join(" "),
      platform: event.platform,
      logger: event.logger,
      fingerprint: event.fingerprint?.join(" · "),
    }),
    groups: [
      ...(request
        ? [
            {
              name: "Request",
              pairs: pairsOf({
                method: request.method,
                query: request.queryString,
                ...request.headers,
                body: request.data,
              }),
            },
          ]
        : []),
      ...Object.entries(contexts).map(([name, context]) => ({
        name: contextNames.get(name) ?? name,
        pairs: pairsOf(context),
      })),
      { name: "Extra", pairs: pairsOf(event.extra) },
      { name: "Modules", pairs: pairsOf(event.modules, mostModules) },
    ].filter(({ pairs }) => pairs.length > 0),
    tags: pairsOf(event.tags),
    url: request?.url,
  };
}

/** Headings of well-known contexts. Others have the name that their client gave them. */
const contextNames: ReadonlyMap<string, string> = new Map([
  ["browser", "Browser"],
  ["device", "Device"],
  ["holdfast", "Page and navigation"],
  ["os", "Operating system"],
  ["runtime", "Runtime"],
  ["submission", "Submission"],
  ["trace", "Trace"],
]);

/** The message that was logged together with an exception. */
function messageBeside({ message, exceptions }: ReportedEvent): string | undefined {
  return exceptions.length === 0 || exceptions.some(({ value }) => value === message?.text) ? undefined : message?.text;
}

const builtFile = /^https?:\/\/[^?#]+\.[cm]?js(?:[?#]|$)/;

function isUnmapped({ inApp, contextLine, filename, absPath }: Frame): boolean {
  return inApp === true && contextLine === undefined && builtFile.test(filename ?? absPath ?? "");
}

function showChain(event: ReportedEvent, exceptions: EventAnswer["exceptions"], linkOf: LinkOf): ShownException[] {
  if (exceptions.length > 0) return exceptions.map((each) => showException(each, linkOf));
  const frames = (event.frames ?? []).toReversed().map((frame) => showFrame(frame, linkOf));
  return [{ relation: "", depth: 0, type: "Message", message: event.message?.text ?? "", handled: undefined, frames }];
}

function showException(
  { exception, relation, member, depth }: EventAnswer["exceptions"][number],
  linkOf: LinkOf,
): ShownException {
  const { type, value, mechanism, frames } = exception;
  return {
    relation: relation === "member" ? `${member} of the group:` : relations[relation],
    depth,
    type: type ?? "Error",
    message: value ?? "",
    handled: mechanism?.handled,
    frames: frames.toReversed().map((frame) => showFrame(frame, linkOf)),
  };
}

const relations = { thrown: "", cause: "Caused by", context: "While handling" } as const;

function showFrame(frame: Frame, linkOf: LinkOf): ShownFrame {
  return {
    function: frame.function ?? "(anonymous)",
    file: frame.filename ?? frame.absPath ?? frame.module ?? "(unknown file)",
    line: frame.line,
    column: frame.column,
    isApplication: frame.inApp === true,
    link: linkOf(frame),
    source: sourceOf(frame),
    locals: pairsOf(frame.vars ?? {}),
  };
}

function sourceOf({ line, contextLine, preContext = [], postContext = [] }: Frame): ShownFrame["source"] {
  if (contextLine === undefined || line === undefined) return [];
  const first = line - preContext.length;
  return colourLines([...preContext, contextLine, ...postContext]).map((tokens, index) => ({
    number: first + index,
    tokens,
    fails: first + index === line,
  }));
}

/** Skips empty values, and writes other values than strings as JSON. */
export function pairsOf(values: Readonly<Record<string, unknown>>, atMost = mostPairs): Pair[] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== null && value !== "")
    .slice(0, atMost)
    .map(([name, value]) => [name, shorten(typeof value === "string" ? value : (JSON.stringify(value) ?? ""))]);
}

function shorten(text: string): string {
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}
