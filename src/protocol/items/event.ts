import { readEventId, readSpanId, readTraceId } from "../ids.ts";
import { type ProtocolLimits, protocolLimits } from "../limits.ts";
import {
  booleanOf,
  isObject,
  type JsonObject,
  listOf,
  nonEmptyText,
  objectOf,
  objectsByName,
  present,
  type Reading,
  textOf,
  textsByName,
  timeOf,
} from "../loose-values.ts";
import { Trim } from "../trim.ts";
import { exceptionsOf, type ReportedException, withStack } from "./exceptions.ts";
import { type Frame, looseFrames } from "./frames.ts";
import { type EventLevel, readLevel } from "./level.ts";
import { type EventMessage, eventMessageOf } from "./message.ts";

/** An error or message that a client reported. Times are milliseconds, ids plain hexadecimal. */
export interface ReportedEvent {
  /** Absent if the client sent none; the service then creates one. */
  readonly eventId?: string;
  readonly timestampMs?: number;
  readonly level: EventLevel;
  readonly platform?: string;
  readonly logger?: string;
  /** The page, route or task in which it happened. */
  readonly transaction?: string;
  /** Location according to old clients: a function or a file, no route. */
  readonly culprit?: string;
  readonly serverName?: string;
  readonly release?: string;
  readonly dist?: string;
  readonly environment?: string;
  readonly message?: EventMessage;
  /** Causes first, the thrown error last, as clients send them. */
  readonly exceptions: readonly ReportedException[];
  /** Frames of an event without an exception: its own, or those of the reporting thread. */
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
  /** Parts of the report that were left out or unreadable, one sentence each. */
  readonly remarks?: readonly string[];
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
  readonly level?: EventLevel;
  readonly message?: string;
  readonly data?: JsonObject;
}

export interface DebugImage {
  readonly debugId: string;
  readonly codeFile?: string;
}

/** Position of an event in a trace. */
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

/** Reads the fields that events, transactions and feedback share. */
export function eventOf(value: JsonObject, limits: ProtocolLimits): ReportedEvent {
  const trim = new Trim(limits);
  const contexts = objectsByName(value.contexts);
  const loose = looseFrames(value, limits, trim);
  const exceptions = withStack(
    exceptionsOf(value.exception ?? value["sentry.interfaces.Exception"], limits, trim),
    loose,
  );
  const event = {
    eventId: readEventId(value.event_id),
    timestampMs: timeOf(value.timestamp),
    level: readLevel(value.level) ?? "error",
    platform: nonEmptyText(value.platform, limits.shortText),
    logger: nonEmptyText(value.logger, limits.shortText),
    transaction: nonEmptyText(value.transaction, limits.shortText),
    culprit: nonEmptyText(value.culprit, limits.shortText),
    serverName: nonEmptyText(value.server_name, limits.shortText),
    release: nonEmptyText(value.release, limits.shortText),
    dist: nonEmptyText(value.dist, limits.shortText),
    environment: nonEmptyText(value.environment, limits.shortText),
    message: eventMessageOf(value, limits),
    exceptions,
    frames: exceptions.some(({ frames }) => frames.length > 0) ? undefined : loose,
    fingerprint: fingerprintOf(value.fingerprint, limits),
    user: userOf(value.user ?? value["sentry.interfaces.User"], limits, trim),
    request: requestOf(value.request ?? value["sentry.interfaces.Http"], limits, trim),
    tags: namedTexts(value.tags, "tags", limits, trim),
    contexts: trimmedContexts(contexts, limits, trim),
    extra: trim.object(value.extra, "extra") ?? {},
    breadcrumbs: trim
      .newest(listOf(value.breadcrumbs), limits.breadcrumbs, "breadcrumbs")
      .map((crumb) => breadcrumbOf(crumb, limits, trim)),
    modules: namedTexts(value.modules, "modules", limits, trim),
    debugImages: debugImagesOf(value.debug_meta, limits),
    sdk: sdkOf(value.sdk, limits),
    trace: traceContextOf(contexts.trace, limits),
  };
  // Last, when all parts have been read.
  return present({ ...event, remarks: trim.remarks });
}

function trimmedContexts(
  contexts: Readonly<Record<string, JsonObject>>,
  limits: ProtocolLimits,
  trim: Trim,
): Readonly<Record<string, JsonObject>> {
  const all = Object.entries(contexts);
  trim.note("contexts", all.length - limits.tags);
  const kept = all.slice(0, limits.tags);
  return Object.fromEntries(kept.map(([name, context]) => [name, trim.object(context, `context ${name}`) ?? {}]));
}

function namedTexts(
  value: unknown,
  what: "tags" | "modules",
  limits: ProtocolLimits,
  trim: Trim,
): Readonly<Record<string, string>> {
  const atMost = limits[what];
  trim.note(what, (Array.isArray(value) ? value : Object.keys(objectOf(value))).length - atMost);
  return textsByName(value, atMost, limits.shortText);
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

function fingerprintOf(value: unknown, limits: ProtocolLimits): readonly string[] | undefined {
  const parts = (Array.isArray(value) ? value : [value])
    .map((part) => textOf(part, limits.shortText))
    .filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.slice(0, limits.tags);
}

export function userOf(
  value: unknown,
  limits: ProtocolLimits,
  trim: Trim = new Trim(limits),
): ReportedUser | undefined {
  if (!isObject(value)) return undefined;
  const user = present({
    id: nonEmptyText(value.id, limits.shortText),
    email: nonEmptyText(value.email, limits.shortText),
    username: nonEmptyText(value.username, limits.shortText),
    name: nonEmptyText(value.name, limits.shortText),
    ipAddress: nonEmptyText(value.ip_address, limits.shortText),
    data: trim.object(value.data, "user"),
  });
  return Object.keys(user).length === 0 ? undefined : user;
}

function requestOf(value: unknown, limits: ProtocolLimits, trim: Trim): ReportedRequest | undefined {
  if (!isObject(value)) return undefined;
  return present({
    method: nonEmptyText(value.method, limits.shortText),
    url: nonEmptyText(value.url, limits.longText),
    queryString: nonEmptyText(queryOf(value.query_string), limits.longText),
    headers: textsByName(value.headers, limits.tags, limits.longText),
    cookies: trim.free(value.cookies, "cookies") ?? undefined,
    data: trim.free(value.data, "the request's body") ?? undefined,
    env: trim.object(value.env, "the request's environment"),
  });
}

/** Returns the query of an address, which some clients send as names and values. */
function queryOf(value: unknown): unknown {
  const pairs = Array.isArray(value) ? value.filter(Array.isArray) : Object.entries(objectOf(value));
  if (pairs.length === 0) return isObject(value) || Array.isArray(value) ? undefined : value;
  const texts = pairs.map(([name, entry]) => [String(name), isObject(entry) ? JSON.stringify(entry) : String(entry)]);
  return new URLSearchParams(texts).toString();
}

function breadcrumbOf(value: unknown, limits: ProtocolLimits, trim: Trim): Breadcrumb {
  const crumb = objectOf(value);
  return present({
    timestampMs: timeOf(crumb.timestamp),
    type: nonEmptyText(crumb.type, limits.shortText),
    category: nonEmptyText(crumb.category, limits.shortText),
    level: readLevel(crumb.level),
    message: nonEmptyText(crumb.message, limits.longText),
    data: trim.object(crumb.data, "breadcrumbs"),
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
