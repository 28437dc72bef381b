import { readSentryTrace, readTraceparent, type TraceParent, writeBaggage, writeSentryTrace } from "#protocol";
import {
  bypassName,
  type CacheDecision,
  endHit,
  type HitFacts,
  type RequestFacts,
  type RequestOutcome,
  type RequestSignals,
  type StepKind,
  type Variant,
} from "#signals";
import { judgeRequest } from "../filters/judge-trace.ts";
import type { ReportingLimits } from "../limits.ts";
import type { LossCounter } from "../loss-counter.ts";
import type { Scrub } from "../scrub/scrub.ts";
import type { Identity } from "../trace/identity.ts";
import { reportTrace } from "../trace/report-trace.ts";
import { type Span, TraceSegment } from "../trace/trace.ts";
import { whenSettled } from "../when-settled.ts";
import { pooledId } from "./pooled-ids.ts";
import { newTraceContext, type RequestTraceContext, requestScope } from "./request-context.ts";
import type { Sampling } from "./sampling.ts";

export interface TraceDeps {
  sampling: Sampling;
  identity: Identity;
  limits: ReportingLimits;
  scrub: Scrub;
  losses: LossCounter;
  now: () => number;
  /** Queues a finished trace. */
  send: (envelope: Uint8Array) => void;
  /** Counts what the cache of pages did, for every request of this route. */
  cached?: (route: string, decision: CacheDecision) => void;
}

/** Runs a request inside its own context, and sends its trace at the end. */
export function traceRequest<T>(facts: RequestFacts, run: (signals: RequestSignals) => T, deps: TraceDeps): T {
  const request = openRequest(facts, arrivalOf(facts, deps), deps);
  return requestScope.run({ request, span: undefined }, run, new TracedRequest(request, deps));
}

/** Counts a request that a stored page answers, and traces it if it is sampled. Returns the text for the page. */
export function traceHit(facts: RequestFacts, hit: HitFacts, deps: TraceDeps): string {
  const arrival = arrivalOf(facts, deps);
  if (arrival.sampled) return endHit(new TracedRequest(openRequest(facts, arrival, deps), deps), hit);
  deps.cached?.(hit.route, hit.decision);
  if (hit.variant === "data") return "";
  const { sampled, rate: sampleRate, parent } = arrival;
  const traceId = parent?.traceId ?? pooledId(32);
  return writeHandOver({ traceId, spanId: pooledId(16), sampled, sampleRate }, deps.identity);
}

/** What is known of a request before its route. */
interface Arrival {
  parent: TraceParent | undefined;
  path: string;
  startMs: number;
  sampled: boolean;
  rate: number;
}

function arrivalOf(facts: RequestFacts, { now, sampling }: TraceDeps): Arrival {
  const parent = parentOf(facts);
  const question = facts.target.indexOf("?");
  const path = question < 0 ? facts.target : facts.target.slice(0, question);
  const startMs = now();
  const { sampled, rate } = sampling(parent, facts, path, startMs);
  return { parent, path, startMs, sampled, rate };
}

function openRequest(
  facts: RequestFacts,
  { parent, path, startMs, sampled, rate }: Arrival,
  deps: TraceDeps,
): RequestTraceContext {
  const segment = new TraceSegment(
    { parent, sampled, sampleRate: rate, op: "http.server", name: `${facts.method} ${path}`, startMs },
    deps.limits.spans,
  );
  const request = newTraceContext("request", facts, segment, deps.limits.steps);
  request.release = deps.identity.release;
  return request;
}

function parentOf(facts: RequestFacts): TraceParent | undefined {
  const sentry = facts.header("sentry-trace");
  if (sentry !== undefined) return readSentryTrace(sentry);
  const w3c = facts.header("traceparent");
  return w3c === undefined ? undefined : readTraceparent(w3c);
}

class TracedRequest implements RequestSignals {
  readonly #request: RequestTraceContext;
  readonly #deps: TraceDeps;

  constructor(request: RequestTraceContext, deps: TraceDeps) {
    this.#request = request;
    this.#deps = deps;
  }

  get handOver(): string {
    return handOverOf(this.#request.segment, this.#deps.identity);
  }

  matched(
    route: string,
    params: Readonly<Record<string, string>>,
    variant: Variant,
    budget?: Readonly<Record<string, number>>,
  ): void {
    const request = this.#request;
    request.route = route;
    request.params = params;
    request.variant = variant;
    request.budget = budget;
    const { segment } = request;
    segment.root.name = `${request.facts.method} ${route}`;
    segment.nameSource = "route";
    // Only the route matching has run so far.
    if (segment.sampled) segment.begin(undefined, ops.match, route, segment.root.startMs).endMs = this.#deps.now();
  }

  step<T>(kind: StepKind, name: string, run: () => T): T {
    const request = this.#request;
    if (!request.segment.sampled) return run();
    const { now } = this.#deps;
    const span = request.segment.begin(requestScope.getStore()?.span, ops[kind], name, now());
    return runInSpan({ request, span }, run, now);
  }

  after(run: () => Promise<void>): Promise<void> {
    const { now, losses } = this.#deps;
    const { segment } = this.#request;
    if (!segment.sampled) return run();
    // The trace of the request has been sent, so this is another segment below it.
    const work = openAfter(this.#request, this.#deps);
    return whenSettled(requestScope.run({ request: work, span: undefined }, run), (failed) => {
      work.segment.root.status = failed ? "internal_error" : "ok";
      try {
        this.#deps.send(reportTrace(work.segment, { endMs: now() }, this.#deps.identity));
      } catch {
        losses.add("internal_sdk_error", "transaction");
      }
    });
  }

  cached(decision: CacheDecision): void {
    this.#request.cached = decision;
    this.#deps.cached?.(this.#request.route ?? "", decision);
  }

  ended(outcome: RequestOutcome): void {
    try {
      endRequest(this.#request, outcome, this.#deps);
    } catch {
      // For example an attribute that JSON cannot represent. The page is sent; only its trace is missing, and counted.
      this.#deps.losses.add("internal_sdk_error", "transaction");
    }
  }
}

function openAfter(request: RequestTraceContext, { limits, now }: TraceDeps): RequestTraceContext {
  const { root, sampled, sampleRate, nameSource } = request.segment;
  const parent = request.segment.parentFor(undefined);
  const name = `after ${root.name}`;
  const segment = new TraceSegment(
    { parent, sampled, sampleRate, op: "task.after", name, startMs: now() },
    limits.spans,
  );
  segment.nameSource = nameSource;
  return { ...request, segment };
}

/**
 * Sent as `Server-Timing`, which the browser reads from the document's timing entry, so that the HTML is the same for
 * all visitors.
 */
function handOverOf(segment: TraceSegment, identity: Identity): string {
  const { traceId, sampled, sampleRate, root } = segment;
  return writeHandOver({ traceId, spanId: root.spanId, sampled, sampleRate }, identity);
}

interface HandedOver {
  traceId: string;
  spanId: string;
  sampled: boolean;
  sampleRate: number;
}

function writeHandOver({ traceId, spanId, sampled, sampleRate }: HandedOver, identity: Identity): string {
  const trace = writeSentryTrace({ traceId, spanId, sampled });
  const baggage = `sentry-trace_id=${traceId},sentry-sampled=${sampled},sentry-sample_rate=${sampleRate}${constantBaggage(identity)}`;
  return `sentry-trace;desc="${trace}", baggage;desc="${baggage}"`;
}

const baggages = new WeakMap<Identity, string>();

/** The part that is equal for every request, written once. */
function constantBaggage(identity: Identity): string {
  let text = baggages.get(identity);
  if (text === undefined) {
    const { publicKey, release, environment } = identity;
    const members = { ...(publicKey && { public_key: publicKey }), ...(release && { release }), environment };
    text = `,${writeBaggage(members)}`;
    baggages.set(identity, text);
  }
  return text;
}

const ops: Readonly<Record<StepKind, string>> = {
  match: "function.match",
  hook: "function.hook",
  guard: "function.guard",
  load: "function.load",
  action: "function.action",
  api: "function.api",
  render: "ui.render",
};

/** Runs work inside its span; the span ends with the work, synchronous or not. */
export function runInSpan<T>(where: { request: RequestTraceContext; span: Span }, run: () => T, now: () => number): T {
  const { span } = where;
  const end = (failed: boolean): void => {
    if (failed) span.status = "internal_error";
    span.endMs = now();
  };
  try {
    return whenSettled(requestScope.run(where, run), end);
  } catch (thrown) {
    end(true);
    throw thrown;
  }
}

/** What the cache of pages did, in the words of `Server-Timing`. */
function cacheData(decision: CacheDecision): Record<string, unknown> {
  const { kind } = decision;
  const data = { "holdfast.cache": kind };
  if (kind === "bypass") return { ...data, "holdfast.cache_reason": bypassName(decision.reason) };
  if (kind === "miss") return { ...data, "holdfast.cache_shared": decision.isShared };
  return { ...data, "holdfast.cache_age_ms": decision.ageMs, "holdfast.cache_saved_ms": decision.savedMs };
}

/** Writes `lcpMs=2500 inpMs=200`. */
function writeBudget(budget: Readonly<Record<string, number>>): string {
  return Object.entries(budget)
    .map(([measure, limit]) => `${measure}=${limit}`)
    .join(" ");
}

function endRequest(request: RequestTraceContext, outcome: RequestOutcome, deps: TraceDeps): void {
  const { segment, facts } = request;
  if (!segment.sampled) return;
  const rule = judgeRequest(request.route, outcome);
  if (rule !== undefined) return deps.losses.add(`filter:${rule}`, "transaction");
  const { root } = segment;
  root.status = outcome.kind === "aborted" ? "cancelled" : outcome.status >= 500 ? "internal_error" : "ok";
  root.data = {
    "http.request.method": facts.method,
    "http.response.status_code": outcome.status,
    "url.template": request.route,
    "holdfast.variant": request.variant,
    // In every trace, so that any service can compare the page's measurements with it.
    ...(request.budget && { "holdfast.budget": writeBudget(request.budget) }),
    ...(request.cached && cacheData(request.cached)),
    ...(segment.left > 0 && { "holdfast.spans_left_out": segment.left }),
  };
  deps.send(
    reportTrace(
      segment,
      {
        endMs: deps.now(),
        request: { method: facts.method, url: deps.scrub.text(facts.target) },
        user: request.user && deps.scrub.person({ ...request.user }),
      },
      deps.identity,
    ),
  );
}
