import { type Frame, type JsonObject, present, type ReportedEvent } from "#protocol";
import type { PlacedException, Relation } from "../grouping/main-exception.ts";
import { titleLine } from "../grouping/title.ts";
import type { EventAnswer } from "./event.ts";

/**
 * An event in its public form: `event/ID.json` of the console, and `holdfast event --json`. Fields are only ever added.
 * Unreported fields are absent. Times are ISO dates.
 */
export interface PublicEvent {
  readonly id: string;
  /** The code that the visitor was shown. */
  readonly digest: string;
  /** Its page in the console, if the console's address is known. */
  readonly link?: string;
  readonly project: number;
  readonly issue: { readonly number: number; readonly title: string; readonly state: string; readonly link?: string };
  readonly title: string;
  readonly at: string;
  readonly receivedAt: string;
  readonly level: string;
  /**
   * `damped`: only its row was stored, because very many of its kind arrived at once. `damaged`: the disk has corrupted
   * it.
   */
  readonly kept: "whole" | "damped" | "damaged";
  readonly route?: string;
  readonly release?: string;
  readonly environment?: string;
  readonly traceId?: string;
  readonly platform?: string;
  readonly logger?: string;
  readonly server?: string;
  readonly client?: { readonly name?: string; readonly version?: string };
  readonly message?: string;
  /** The thrown exception, then its descendants. */
  readonly exceptions?: readonly PublicException[];
  /** For an event without exceptions, innermost call first. */
  readonly frames?: readonly PublicFrame[];
  readonly user?: { readonly id?: string; readonly email?: string; readonly username?: string; readonly name?: string };
  readonly request?: JsonObject;
  readonly tags?: Readonly<Record<string, string>>;
  readonly breadcrumbs?: readonly JsonObject[];
  readonly contexts?: Readonly<Record<string, JsonObject>>;
  readonly extra?: JsonObject;
  readonly modules?: Readonly<Record<string, string>>;
  readonly fingerprint?: readonly string[];
  /** Notes of visitors. */
  readonly notes: readonly {
    readonly at: string;
    readonly message: string;
    readonly name?: string;
    readonly email?: string;
  }[];
  /** Parts of the report that were dropped or unreadable. */
  readonly remarks?: readonly string[];
}

export interface PublicException {
  readonly type?: string;
  readonly value?: string;
  readonly relation: Relation;
  /** Position in a collection of errors, from 1. */
  readonly member?: number;
  readonly depth: number;
  readonly handled?: boolean;
  /** Innermost call first. */
  readonly frames: readonly PublicFrame[];
}

export interface PublicFrame {
  readonly function?: string;
  readonly file?: string;
  readonly module?: string;
  readonly line?: number;
  readonly column?: number;
  readonly isApplication: boolean;
  readonly source?: { readonly before: readonly string[]; readonly line: string; readonly after: readonly string[] };
  readonly variables?: JsonObject;
}

/** `consoleAddress` is the root of the console, for example `https://shop.example/_holdfast`. */
export function publicEvent(answer: EventAnswer, consoleAddress: string | undefined): PublicEvent {
  const { event, digest, issue } = answer;
  const home = consoleAddress === undefined ? undefined : `${consoleAddress}/${event.project}`;
  return present({
    id: event.eventId,
    digest,
    link: home && `${home}/events/${event.eventId}`,
    project: event.project,
    issue: present({
      number: issue.number,
      title: titleLine(issue.type, issue.title),
      state: issue.state.kind,
      link: home && `${home}/issues/${issue.number}`,
    }),
    title: answer.title,
    at: isoDate(event.at),
    receivedAt: isoDate(event.receivedAt),
    level: event.level,
    kept: event.body.kind,
    route: event.route,
    release: event.release,
    environment: event.environment,
    traceId: event.traceId,
    ...(event.body.kind === "whole" && contentOf(event.body.event, answer.exceptions)),
    notes: answer.feedback.map(({ at, message, name, email }) => present({ at: isoDate(at), message, name, email })),
  });
}

function contentOf(event: ReportedEvent, exceptions: readonly PlacedException[]) {
  const { user, request } = event;
  return {
    platform: event.platform,
    logger: event.logger,
    server: event.serverName,
    client: event.sdk,
    message: event.message?.text,
    exceptions: exceptions.length === 0 ? undefined : exceptions.map(publicException),
    frames: event.frames?.toReversed().map(publicFrame),
    user: user && present({ id: user.id, email: user.email, username: user.username, name: user.name }),
    request: request && present({ ...request }),
    tags: event.tags,
    breadcrumbs: event.breadcrumbs.map(({ timestampMs, ...crumb }) =>
      present({ at: timestampMs === undefined ? undefined : isoDate(timestampMs), ...crumb }),
    ),
    contexts: event.contexts,
    extra: event.extra,
    modules: event.modules,
    fingerprint: event.fingerprint,
    remarks: event.remarks,
  };
}

function publicException({ exception, relation, member, depth }: PlacedException): PublicException {
  return present({
    type: exception.type,
    value: exception.value,
    relation,
    member,
    depth,
    handled: exception.mechanism?.handled,
    frames: exception.frames.toReversed().map(publicFrame),
  });
}

function publicFrame(frame: Frame): PublicFrame {
  const { contextLine, preContext = [], postContext = [] } = frame;
  return present({
    function: frame.function,
    file: frame.filename ?? frame.absPath,
    module: frame.module,
    line: frame.line,
    column: frame.column,
    isApplication: frame.inApp === true,
    source: contextLine === undefined ? undefined : { before: preContext, line: contextLine, after: postContext },
    variables: frame.vars,
  });
}

function isoDate(ms: number): string {
  return new Date(ms).toISOString();
}
