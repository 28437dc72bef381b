import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import type { ErrorPlace } from "#signals";
import type { Breadcrumbs } from "./breadcrumbs.ts";
import type { ClientLimits } from "./client-limits.ts";
import { debugImagesOf } from "./describe/debug-images.ts";
import { describeThrown } from "./describe/describe-thrown.ts";
import { readStack } from "./describe/read-stack.ts";
import { judgeEvent, type ScriptOwners } from "./filters/judge-event.ts";
import type { LossCounter } from "./loss-counter.ts";
import type { Scrub } from "./scrub/scrub.ts";
import { type Identity, traceFacts } from "./trace/identity.ts";
import type { Span, TraceSegment } from "./trace/trace.ts";
import type { WireEvent, WireException, WireFrame, WireMechanism, WireRequest } from "./wire.ts";

/** Dependencies of every report of one side. */
export interface ReporterDeps {
  identity: Identity;
  limits: ClientLimits;
  scrub: Omit<Scrub, "learnRoutes">;
  losses: LossCounter;
  /** Only browsers run scripts of others. */
  owners?: ScriptOwners;
  /**
   * Describes a thrown object better than the names of its keys. Server only: in a minified script, classes have no
   * names.
   */
  describeObject?: (thrown: object) => string | undefined;
  /**
   * Recognizes the framework's own code, which is never the cause that a developer looks for. In a browser it is part
   * of the application's chunks.
   */
  isFrameworkFile?: (file: string) => boolean;
}

/** Facts about the time and place of an error. */
export interface ErrorContext {
  timeMs: number;
  /** By the same clock as `timeMs`. The receiver computes the error of that clock from it. */
  sentAtMs?: number;
  /** Default `error`. */
  level?: WireEvent["level"];
  /**
   * Event id whose digest was already given out. Such an event is never left out, because a visitor may have seen the
   * digest.
   */
  promisedId?: string | undefined;
  /** Position in a script, for errors without a stack. */
  script?: { file: string; line?: number | undefined; column?: number | undefined } | undefined;
  /** Stack of the reporting call, for values without a stack. */
  callStack?: string | undefined;
  segment?: TraceSegment | undefined;
  span?: Span | undefined;
  steps?: Breadcrumbs | undefined;
  user?: Readonly<Record<string, unknown>> | undefined;
  /** Route of the page or request. If the error was caught, its place is more precise. */
  route?: string | undefined;
  request?: WireRequest | undefined;
  /** Further facts that only the framework knows. */
  facts?: Readonly<Record<string, unknown>>;
  tags?: Readonly<Record<string, string>> | undefined;
  extra?: Readonly<Record<string, unknown>> | undefined;
}

/** Services accept an event of up to 1 MiB. */
const eventBytes = 1_000_000;

export type Report = { kind: "report"; eventId: string; envelope: Uint8Array } | { kind: "left-out" };

/** How and where an error was caught. */
export interface Caught {
  mechanism: Pick<WireMechanism, "type" | "handled">;
  place?: ErrorPlace | undefined;
  context: ErrorContext;
}

/** Turns any thrown value into an envelope, or leaves it out and counts it. */
export function reportError(thrown: unknown, { mechanism, place, context }: Caught, deps: ReporterDeps): Report {
  const { exceptions, serialized } = describeThrown(thrown, mechanism, deps.limits, deps.describeObject);
  const event = eventOf(place, context, deps);
  const thrownLast = exceptions.at(-1);
  if (thrownLast && !thrownLast.stacktrace) {
    thrownLast.stacktrace = stackOf(context, deps);
    if (context.callStack) thrownLast.mechanism.synthetic = true;
  }
  addExceptions(event, exceptions, deps);
  if (serialized !== undefined) event.extra = { ...event.extra, __serialized__: serialized };
  return sendEvent(event, context, deps);
}

export function reportMessage(
  text: string,
  level: WireEvent["level"],
  context: ErrorContext,
  deps: ReporterDeps,
): Report {
  const event = eventOf(undefined, context, deps);
  event.message = text;
  event.level = level;
  const stacktrace = stackOf(context, deps);
  // As the official clients do: receivers recognize by it that there is a position but no error.
  const mechanism = { type: "generic", handled: true, synthetic: true };
  if (stacktrace) addExceptions(event, [{ value: text, mechanism, stacktrace }], deps);
  return sendEvent(event, context, deps);
}

function addExceptions(event: WireEvent, exceptions: WireException[], { isFrameworkFile }: ReporterDeps): void {
  for (const { stacktrace } of exceptions)
    for (const frame of stacktrace?.frames ?? []) if (isFrameworkFile?.(frame.filename)) frame.in_app = false;
  event.exception = { values: exceptions };
  event.debug_meta = debugImagesOf(exceptions);
}

/** Filters, scrubs and writes an event. */
export function sendEvent(event: WireEvent, errorContext: ErrorContext, deps: ReporterDeps): Report {
  const verdict = judgeEvent(event, deps.owners);
  if (verdict.kind === "leave-out" && errorContext.promisedId === undefined) {
    deps.losses.add(`filter:${verdict.rule}`, "error");
    return { kind: "left-out" };
  }
  if (verdict.kind === "warn") {
    event.tags = { ...event.tags, ...verdict.tags };
    event.level = "warning";
  }
  const { identity } = deps;
  const header = {
    eventId: event.event_id,
    ...(errorContext.sentAtMs !== undefined && { sentAtMs: errorContext.sentAtMs }),
    sdk: identity.sdk,
    ...(errorContext.segment && { trace: traceFacts(identity, errorContext.segment) }),
  };
  const { user, ...rest } = event;
  const clean = { ...(deps.scrub.value(rest) as object), user: deps.scrub.person(user) };
  const whole = writeEnvelope(header, [jsonItem("event", clean)]);
  // Services refuse a larger event. Only the application's own additions can be that large.
  const tooLarge = { ...clean, breadcrumbs: [], extra: { left_out: `${whole.length} bytes were too many` } };
  const envelope = whole.length > eventBytes ? writeEnvelope(header, [jsonItem("event", tooLarge)]) : whole;
  return { kind: "report", eventId: event.event_id, envelope };
}

function eventOf(place: ErrorPlace | undefined, errorContext: ErrorContext, { identity }: ReporterDeps): WireEvent {
  const { segment, span } = errorContext;
  const url = errorContext.request?.url ?? place?.url;
  const tags = { ...placeTags(place), ...errorContext.tags };
  return {
    event_id: errorContext.promisedId ?? newEventId(),
    timestamp: errorContext.timeMs / 1000,
    platform: identity.platform,
    level: errorContext.level ?? "error",
    transaction: place?.route ?? errorContext.route ?? segment?.root.name,
    server_name: identity.serverName,
    release: place?.release ?? identity.release,
    environment: identity.environment,
    fingerprint: place?.groupedBy === undefined ? undefined : [place.groupedBy],
    request: url === undefined && !errorContext.request ? undefined : { ...errorContext.request, url },
    user: errorContext.user,
    tags: Object.keys(tags).length > 0 ? tags : undefined,
    extra: errorContext.extra,
    breadcrumbs: errorContext.steps?.all,
    contexts: {
      ...identity.contexts,
      trace: segment && {
        trace_id: segment.traceId,
        span_id: (span ?? segment.root).spanId,
        parent_span_id: span ? span.parentId : segment.root.parentId,
      },
      holdfast: (place || errorContext.facts) && {
        route: errorContext.route,
        ...errorContext.facts,
        ...(place && placeFacts(place)),
      },
    },
    sdk: identity.sdk,
  };
}

/**
 * Returns the position of the script, or the stack of the reporting call without its innermost frame, which is the API
 * itself.
 */
function stackOf({ script, callStack }: ErrorContext, { limits }: ReporterDeps): WireException["stacktrace"] {
  const frames = script ? [frameOf(script)] : readStack(callStack ?? "", limits.frames).slice(0, -1);
  return frames.length > 0 ? { frames } : undefined;
}

function frameOf({ file, line, column }: NonNullable<ErrorContext["script"]>): WireFrame {
  return { filename: file, function: "?", in_app: true, lineno: line, colno: column };
}

function placeTags(place: ErrorPlace | undefined): Record<string, string> {
  if (!place) return {};
  const tags: Record<string, string> = { side: place.side, during: place.during };
  if (place.variant) tags.variant = place.variant;
  return tags;
}

function placeFacts({ route, params, during, boundary, visitorSaw, componentStack }: ErrorPlace): object {
  return {
    ...(route !== undefined && { route }),
    ...(params && { params }),
    during,
    boundary,
    visitor_saw: visitorSaw,
    component_stack: componentStack,
  };
}
