import { hash } from "node:crypto";
import { isObject, type JsonObject, type ReportedEvent, readEvent, readEventId } from "#protocol";

/** An event of Sentry's API in the form in which a client has sent it, as far as the API shows that. */
export interface SentryEvent {
  readonly id: string;
  readonly at: number;
  readonly receivedAt: number;
  readonly event: ReportedEvent;
}

/** Undefined for something else than an event. */
export function readSentryEvent(value: JsonObject, now: number): SentryEvent | undefined {
  const given = sentryText(value.eventID) ?? sentryText(value.id);
  if (given === undefined) return undefined;
  const id = readEventId(given) ?? hash("sha1", `sentry event ${given}`).slice(0, 32);
  const receivedAt = Math.min(sentryTime(value.dateReceived) ?? sentryTime(value.dateCreated) ?? now, now);
  const at = Math.min(sentryTime(value.dateCreated) ?? receivedAt, receivedAt);
  const reading = readEvent({ ...wireOf(value), event_id: id, timestamp: at / 1_000 });
  return reading.kind === "read" ? { id, at, receivedAt, event: { ...reading.value, eventId: id } } : undefined;
}

function wireOf(value: JsonObject): JsonObject {
  const tags = tagsOf(value.tags);
  const entries = new Map(
    listOf(value.entries)
      .filter(isObject)
      .map(({ type, data }) => [type, isObject(data) ? data : {}]),
  );
  const message = entries.get("message");
  return {
    level: tags.level,
    platform: value.platform,
    transaction: tags.transaction,
    culprit: value.culprit,
    server_name: tags.server_name,
    release: isObject(value.release) ? value.release.version : (value.release ?? tags.release),
    dist: value.dist,
    environment: tags.environment,
    logentry: message ?? (sentryText(value.message) ? { formatted: value.message } : undefined),
    exception: { values: listOf(entries.get("exception")?.values).filter(isObject).map(exceptionOf) },
    threads: { values: listOf(entries.get("threads")?.values).filter(isObject).map(withStack) },
    breadcrumbs: { values: entries.get("breadcrumbs")?.values },
    request: requestOf(entries.get("request")),
    user: value.user,
    tags,
    contexts: value.contexts,
    extra: value.context,
    modules: value.packages,
    sdk: value.sdk,
    // `fingerprints` are hashes of Sentry's groups, and no fingerprint that a client has set.
  };
}

function tagsOf(value: unknown): Readonly<Record<string, string>> {
  const pairs = listOf(value)
    .filter(isObject)
    .flatMap(({ key, value: text }) => (sentryText(key) && typeof text === "string" ? [[key, text]] : []));
  return Object.fromEntries(pairs);
}

function exceptionOf(value: JsonObject): JsonObject {
  return withStack({ ...value, stacktrace: value.stacktrace ?? value.rawStacktrace });
}

function withStack(value: JsonObject): JsonObject {
  const stack = isObject(value.stacktrace) ? value.stacktrace : undefined;
  return stack === undefined
    ? value
    : { ...value, stacktrace: { frames: listOf(stack.frames).filter(isObject).map(frameOf) } };
}

function frameOf(frame: JsonObject): JsonObject {
  const lines = listOf(frame.context).flatMap((entry) =>
    Array.isArray(entry) ? [{ line: Number(entry[0]), text: String(entry[1] ?? "") }] : [],
  );
  const own = Number(frame.lineNo);
  const textsOf = (isWanted: (line: number) => boolean): string[] =>
    lines.filter(({ line }) => isWanted(line)).map(({ text }) => text);
  return {
    filename: frame.filename,
    abs_path: frame.absPath,
    module: frame.module,
    function: frame.function,
    lineno: frame.lineNo,
    colno: frame.colNo,
    in_app: frame.inApp,
    vars: frame.vars,
    context_line: textsOf((line) => line === own)[0],
    pre_context: textsOf((line) => line < own),
    post_context: textsOf((line) => line > own),
  };
}

/** Headers and the search are lists of pairs. */
function requestOf(request: JsonObject | undefined): JsonObject | undefined {
  if (request === undefined) return undefined;
  const { method, url, query, headers, cookies, data, env } = request;
  return { method, url, query_string: query, headers: Object.fromEntries(pairsOf(headers)), cookies, data, env };
}

function pairsOf(value: unknown): readonly (readonly [string, unknown])[] {
  return listOf(value).flatMap((pair) => (Array.isArray(pair) ? [[String(pair[0]), pair[1]] as const] : []));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function sentryText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Milliseconds of a time like `2026-11-18T12:00:00.123456Z`. */
export function sentryTime(value: unknown): number | undefined {
  const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isFinite(at) && at >= 0 ? at : undefined;
}
