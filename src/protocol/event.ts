import { readEventId, readSpanId, readTraceId } from "./ids.ts";
import { type ProtocolLimits, protocolLimits } from "./limits.ts";
import {
  booleanOf,
  isObject,
  type JsonObject,
  listOf,
  nonEmptyText,
  numberOf,
  objectOf,
  objectsByName,
  present,
  type Reading,
  textOf,
  textsByName,
  timeOf,
} from "./loose-values.ts";

export type Level = "fatal" | "error" | "warning" | "info" | "debug";

/** What a client reported of one error or message. Times are milliseconds, ids plain hexadecimal. */
export interface ReportedEvent {
  /** Absent when the client gave none; whoever accepts the event gives it one then. */
  readonly eventId?: string;
  readonly timestampMs?: number;
  readonly level: Level;
  readonly platform?: string;
  readonly logger?: string;
  /** The page, route or task in which it happened. */
  readonly transaction?: string;
  readonly serverName?: string;
  readonly release?: string;
  readonly dist?: string;
  readonly environment?: string;
  readonly message?: EventMessage;
  /** Causes first, the error that was thrown last, as clients send them. */
  readonly exceptions: readonly ReportedException[];
  /** Frames of an event without exception: its own, or those of the thread that reported it. */
  readonly frames?: readonly Frame[];
  readonly fingerprint?: readonly string[];
  readonly user?: ReportedUser;
  readonly request?: ReportedRequest;
  readonly tags: Readonly<Record<string, string>>;
  /** Oldest first. */
  readonly breadcrumbs: readonly Breadcrumb[];
  readonly contexts: Readonly<Record<string, JsonObject>>;
  readonly extra: JsonObject;
  readonly modules: Readonly<Record<string, string>>;
  readonly debugImages: readonly DebugImage[];
  readonly sdk?: { readonly name?: string; readonly version?: string };
  readonly trace?: TraceContext;
}

export interface EventMessage {
  /** What a person reads. */
  readonly text: string;
  /** The text before its parameters were filled in; alike for all occurrences. */
  readonly template?: string;
  readonly params?: readonly string[];
}

export interface ReportedException {
  readonly type?: string;
  readonly value?: string;
  readonly module?: string;
  readonly mechanism?: Mechanism;
  /** Oldest call first, as clients send them. */
  readonly frames: readonly Frame[];
}

export interface Mechanism {
  readonly type?: string;
  readonly handled?: boolean;
  /** Made by the client to have a stack; its type and value say nothing. */
  readonly synthetic: boolean;
  readonly exceptionId?: number;
  readonly parentId?: number;
  readonly source?: string;
  readonly data?: JsonObject;
}

export interface Frame {
  readonly filename?: string;
  readonly absPath?: string;
  readonly function?: string;
  readonly module?: string;
  readonly line?: number;
  readonly column?: number;
  readonly inApp?: boolean;
  readonly contextLine?: string;
  readonly preContext?: readonly string[];
  readonly postContext?: readonly string[];
  readonly vars?: JsonObject;
  readonly debugId?: string;
}

export interface ReportedUser {
  readonly id?: string;
  readonly email?: string;
  readonly username?: string;
  readonly name?: string;
  readonly ipAddress?: string;
  readonly data?: JsonObject;
}

export interface ReportedRequest {
  readonly method?: string;
  readonly url?: string;
  readonly queryString?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies?: unknown;
  readonly data?: unknown;
  readonly env?: JsonObject;
}

export interface Breadcrumb {
  readonly timestampMs?: number;
  readonly type?: string;
  readonly category?: string;
  readonly level?: Level;
  readonly message?: string;
  readonly data?: JsonObject;
}

export interface DebugImage {
  readonly debugId: string;
  readonly codeFile?: string;
}

/** Where in a trace something happened. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId?: string;
  readonly parentSpanId?: string;
  readonly op?: string;
  readonly status?: string;
  readonly origin?: string;
  readonly sampled?: boolean;
  readonly data: JsonObject;
}

/** Reads the payload of an `event` item, or the body of the old store endpoint. */
export function readEvent(value: unknown, limits: ProtocolLimits = protocolLimits): Reading<ReportedEvent> {
  if (!isObject(value)) return { kind: "unreadable", why: "An event must be a JSON object." };
  return { kind: "read", value: eventOf(value, limits) };
}

/** The fields that events, transactions and feedback have in common. */
export function eventOf(value: JsonObject, limits: ProtocolLimits): ReportedEvent {
  const contexts = objectsByName(value.contexts);
  return present({
    eventId: readEventId(value.event_id),
    timestampMs: timeOf(value.timestamp),
    level: readLevel(value.level) ?? "error",
    platform: nonEmptyText(value.platform, limits.shortText),
    logger: nonEmptyText(value.logger, limits.shortText),
    transaction: nonEmptyText(value.transaction ?? value.culprit, limits.shortText),
    serverName: nonEmptyText(value.server_name, limits.shortText),
    release: nonEmptyText(value.release, limits.shortText),
    dist: nonEmptyText(value.dist, limits.shortText),
    environment: nonEmptyText(value.environment, limits.shortText),
    message: messageOf(value, limits),
    exceptions: exceptionsOf(value.exception, limits),
    frames: looseFrames(value, limits),
    fingerprint: fingerprintOf(value.fingerprint, limits),
    user: userOf(value.user, limits),
    request: requestOf(value.request, limits),
    tags: textsByName(value.tags, limits.tags, limits.shortText),
    breadcrumbs: listOf(value.breadcrumbs)
      .slice(-limits.breadcrumbs)
      .map((crumb) => breadcrumbOf(crumb, limits)),
    contexts,
    extra: objectOf(value.extra),
    modules: textsByName(value.modules, 2_000, limits.shortText),
    debugImages: debugImagesOf(value.debug_meta, limits),
    sdk: sdkOf(value.sdk, limits),
    trace: traceContextOf(contexts.trace, limits),
  });
}

/** Levels by their name, the names other languages give them, or the numbers of old clients. */
export function readLevel(value: unknown): Level | undefined {
  switch (typeof value === "string" ? value.toLowerCase() : value) {
    case "fatal":
    case "critical":
    case 50:
      return "fatal";
    case "error":
    case 40:
      return "error";
    case "warning":
    case "warn":
    case 30:
      return "warning";
    case "info":
    case "log":
    case 20:
      return "info";
    case "debug":
    case "trace":
    case 10:
      return "debug";
    default:
      return undefined;
  }
}

export function traceContextOf(value: unknown, limits: ProtocolLimits): TraceContext | undefined {
  if (!isObject(value)) return undefined;
  const traceId = readTraceId(value.trace_id);
  if (traceId === undefined) return undefined;
  return present({
    traceId,
    spanId: readSpanId(value.span_id),
    parentSpanId: readSpanId(value.parent_span_id),
    op: nonEmptyText(value.op, limits.shortText),
    status: nonEmptyText(value.status, limits.shortText),
    origin: nonEmptyText(value.origin, limits.shortText),
    sampled: booleanOf(value.sampled),
    data: objectOf(value.data),
  });
}

function messageOf(value: JsonObject, limits: ProtocolLimits): EventMessage | undefined {
  const entry = value.logentry ?? value["sentry.interfaces.Message"] ?? value.message;
  if (!isObject(entry)) {
    const text = nonEmptyText(entry, limits.longText);
    return text === undefined ? undefined : { text };
  }
  const template = nonEmptyText(entry.message, limits.longText);
  const given = Array.isArray(entry.params) ? entry.params : Object.values(objectOf(entry.params));
  const params = given.slice(0, limits.tags).map((param) => textOf(param, limits.shortText) ?? "");
  const text =
    nonEmptyText(entry.formatted, limits.longText) ??
    (template === undefined ? undefined : filledIn(template, params).slice(0, limits.longText)) ??
    nonEmptyText(value.message, limits.longText);
  if (text === undefined) return undefined;
  return present({ text, template, params: params.length === 0 ? undefined : params });
}

/** Clients such as Python's leave it to the service to put `%s` and its values together. What has no value stays as written. */
function filledIn(template: string, params: readonly string[]): string {
  let next = 0;
  return template.replace(/%[sdifr]/g, (place) => params[next++] ?? place);
}

function exceptionsOf(value: unknown, limits: ProtocolLimits): readonly ReportedException[] {
  return listOf(value)
    .filter(isObject)
    .slice(-limits.exceptions)
    .map((exception) =>
      present({
        type: nonEmptyText(exception.type, limits.shortText),
        value: nonEmptyText(
          isObject(exception.value) ? JSON.stringify(exception.value) : exception.value,
          limits.longText,
        ),
        module: nonEmptyText(exception.module, limits.shortText),
        mechanism: mechanismOf(exception.mechanism, limits),
        frames: framesOf(exception.stacktrace ?? exception.raw_stacktrace, limits),
      }),
    );
}

function mechanismOf(value: unknown, limits: ProtocolLimits): Mechanism | undefined {
  if (!isObject(value)) return undefined;
  return present({
    type: nonEmptyText(value.type, limits.shortText),
    handled: booleanOf(value.handled),
    synthetic: booleanOf(value.synthetic) ?? false,
    exceptionId: numberOf(value.exception_id),
    parentId: numberOf(value.parent_id),
    source: nonEmptyText(value.source, limits.shortText),
    data: isObject(value.data) ? value.data : undefined,
  });
}

function looseFrames(value: JsonObject, limits: ProtocolLimits): readonly Frame[] | undefined {
  const threads = listOf(value.threads).filter(isObject);
  const thread =
    threads.find((entry) => entry.crashed === true) ?? threads.find((entry) => entry.current === true) ?? threads[0];
  const frames = framesOf(value.stacktrace ?? value["sentry.interfaces.Stacktrace"] ?? thread?.stacktrace, limits);
  return frames.length === 0 ? undefined : frames;
}

/** Of an endless recursion the outermost and the innermost calls tell the story; the middle goes. */
function framesOf(stacktrace: unknown, limits: ProtocolLimits): readonly Frame[] {
  const all = listOf(objectOf(stacktrace).frames).filter(isObject);
  const half = Math.floor(limits.frames / 2);
  const kept = all.length > limits.frames ? [...all.slice(0, half), ...all.slice(half - limits.frames)] : all;
  return kept.map((frame) => frameOf(frame, limits));
}

function frameOf(frame: JsonObject, limits: ProtocolLimits): Frame {
  return present({
    filename: nonEmptyText(frame.filename, limits.longText),
    absPath: nonEmptyText(frame.abs_path, limits.longText),
    function: nonEmptyText(frame.function ?? frame.raw_function, limits.shortText),
    module: nonEmptyText(frame.module, limits.shortText),
    line: numberOf(frame.lineno),
    column: numberOf(frame.colno),
    inApp: booleanOf(frame.in_app),
    contextLine: textOf(frame.context_line, limits.longText),
    preContext: linesOf(frame.pre_context, limits),
    postContext: linesOf(frame.post_context, limits),
    vars: isObject(frame.vars) ? frame.vars : undefined,
    debugId: readEventId(frame.debug_id),
  });
}

function linesOf(value: unknown, limits: ProtocolLimits): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || limits.contextLines === 0) return undefined;
  return value.slice(0, limits.contextLines).map((line) => textOf(line, limits.longText) ?? "");
}

function fingerprintOf(value: unknown, limits: ProtocolLimits): readonly string[] | undefined {
  const parts = (Array.isArray(value) ? value : [value])
    .map((part) => textOf(part, limits.shortText))
    .filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.slice(0, limits.tags);
}

function userOf(value: unknown, limits: ProtocolLimits): ReportedUser | undefined {
  if (!isObject(value)) return undefined;
  const user = present({
    id: nonEmptyText(value.id, limits.shortText),
    email: nonEmptyText(value.email, limits.shortText),
    username: nonEmptyText(value.username, limits.shortText),
    name: nonEmptyText(value.name, limits.shortText),
    ipAddress: nonEmptyText(value.ip_address, limits.shortText),
    data: isObject(value.data) ? value.data : undefined,
  });
  return Object.keys(user).length === 0 ? undefined : user;
}

function requestOf(value: unknown, limits: ProtocolLimits): ReportedRequest | undefined {
  if (!isObject(value)) return undefined;
  const query =
    isObject(value.query_string) || Array.isArray(value.query_string)
      ? JSON.stringify(value.query_string)
      : value.query_string;
  return present({
    method: nonEmptyText(value.method, limits.shortText),
    url: nonEmptyText(value.url, limits.longText),
    queryString: nonEmptyText(query, limits.longText),
    headers: textsByName(value.headers, limits.tags, limits.longText),
    cookies: value.cookies ?? undefined,
    data: value.data ?? undefined,
    env: isObject(value.env) ? value.env : undefined,
  });
}

function breadcrumbOf(value: unknown, limits: ProtocolLimits): Breadcrumb {
  const crumb = objectOf(value);
  return present({
    timestampMs: timeOf(crumb.timestamp),
    type: nonEmptyText(crumb.type, limits.shortText),
    category: nonEmptyText(crumb.category, limits.shortText),
    level: readLevel(crumb.level),
    message: nonEmptyText(crumb.message, limits.longText),
    data: isObject(crumb.data) ? crumb.data : undefined,
  });
}

function debugImagesOf(value: unknown, limits: ProtocolLimits): readonly DebugImage[] {
  const images: DebugImage[] = [];
  for (const image of listOf(objectOf(value).images).filter(isObject)) {
    const debugId = readEventId(image.debug_id);
    if (debugId !== undefined)
      images.push(present({ debugId, codeFile: nonEmptyText(image.code_file, limits.longText) }));
  }
  return images;
}

function sdkOf(value: unknown, limits: ProtocolLimits): { name?: string; version?: string } | undefined {
  if (!isObject(value)) return undefined;
  return present({
    name: nonEmptyText(value.name, limits.shortText),
    version: nonEmptyText(value.version, limits.shortText),
  });
}
