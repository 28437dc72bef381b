import {
  readBaggage,
  readSentryTrace,
  readTraceparent,
  type TraceParent,
  writeBaggage,
  writeSentryTrace,
} from "#protocol";
import type { RequestFacts, RequestOutcome, RequestSignals, StepKind } from "#signals";
import { judgeRequest } from "../filters/judge-trace.ts";
import type { Identity } from "../identity.ts";
import type { ReportingLimits } from "../limits.ts";
import { reportTrace } from "../report-trace.ts";
import type { Scrub } from "../scrub.ts";
import { type ReportSettings, sampleRateOf } from "../settings.ts";
import { Steps } from "../steps.ts";
import type { Tally } from "../tally.ts";
import { Segment, type Span } from "../trace.ts";
import { type RequestContext, whereabouts } from "./request-context.ts";

export interface TraceParts {
  settings: ReportSettings;
  identity: Identity;
  limits: ReportingLimits;
  scrub: Scrub;
  tally: Tally;
  now: () => number;
  /** Takes a finished trace to the outbox. */
  send: (envelope: Uint8Array) => void;
}

/** Runs a request inside its own context, and sends its trace when it has ended. */
export function traceRequest<T>(facts: RequestFacts, run: (signals: RequestSignals) => T, parts: TraceParts): T {
  const request = openRequest(facts, parts);
  return whereabouts.run({ request, span: undefined }, () => run(signalsOf(request, parts)));
}

function openRequest(facts: RequestFacts, parts: TraceParts): RequestContext {
  const parent = parentOf(facts);
  const path = facts.target.split("?", 1)[0] ?? "/";
  const { sampled, rate } = decideSampling(parent, facts, path, parts.settings);
  const segment = new Segment(
    { parent, sampled, sampleRate: rate, op: "http.server", name: `${facts.method} ${path}`, startMs: parts.now() },
    parts.limits.spans,
  );
  return { facts, segment, steps: new Steps(parts.limits.steps) };
}

function parentOf(facts: RequestFacts): TraceParent | undefined {
  const sentry = facts.header("sentry-trace");
  if (sentry !== undefined) return readSentryTrace(sentry);
  const w3c = facts.header("traceparent");
  return w3c === undefined ? undefined : readTraceparent(w3c);
}

/**
 * Decided once for a whole trace. The decision of a caller counts only when it is a page of our own: anyone else could make us trace
 * everything.
 */
function decideSampling(
  parent: TraceParent | undefined,
  facts: RequestFacts,
  path: string,
  settings: ReportSettings,
): { sampled: boolean; rate: number } {
  if (parent?.sampled !== undefined && facts.header("sec-fetch-site") === "same-origin") {
    const told = Number(readBaggage(facts.header("baggage") ?? "").sample_rate);
    return { sampled: parent.sampled, rate: told > 0 && told <= 1 ? told : 1 };
  }
  const rate = sampleRateOf(settings, { kind: facts.method, path });
  return { sampled: rate >= 1 || Math.random() < rate, rate };
}

function signalsOf(request: RequestContext, parts: TraceParts): RequestSignals {
  const { segment } = request;
  return {
    get handOver() {
      return handOverOf(segment, parts.identity);
    },
    matched: (route, params, variant) => {
      request.route = route;
      request.params = params;
      request.variant = variant;
      segment.root.name = `${request.facts.method} ${route}`;
      segment.nameSource = "route";
    },
    step: (kind, name, run) => (segment.sampled ? runStep(request, kind, name, run, parts.now) : run()),
    ended: (outcome) => {
      try {
        endRequest(request, outcome, parts);
      } catch {
        // An attribute that no JSON can hold, for example. The page is out; only its trace is missing, and counted.
        parts.tally.add("internal_sdk_error", "transaction");
      }
    },
  };
}

/** The browser reads it from the document's timing entry, so the HTML itself stays the same for everyone. */
function handOverOf(segment: Segment, identity: Identity): string {
  const trace = writeSentryTrace(segment.parentFor(undefined));
  const { traceId, sampled, sampleRate } = segment;
  const baggage = `sentry-trace_id=${traceId},sentry-sampled=${sampled},sentry-sample_rate=${sampleRate}${constantBaggage(identity)}`;
  return `sentry-trace;desc="${trace}", baggage;desc="${baggage}"`;
}

const baggages = new WeakMap<Identity, string>();

/** What is the same for every request, written once. */
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

function runStep<T>(request: RequestContext, kind: StepKind, name: string, run: () => T, now: () => number): T {
  const parent = whereabouts.getStore()?.span;
  const span = request.segment.begin(parent, ops[kind], name, now());
  return runInSpan({ request, span }, run, now);
}

/** Runs work inside its span; the span ends with the work, whether that is a promise or not. */
export function runInSpan<T>(where: { request: RequestContext; span: Span }, run: () => T, now: () => number): T {
  const { span } = where;
  const end = (): void => {
    span.endMs = now();
  };
  const fail = (): void => {
    span.status = "internal_error";
    end();
  };
  try {
    const result = whereabouts.run(where, run);
    if (result instanceof Promise) result.then(end, fail);
    else end();
    return result;
  } catch (thrown) {
    fail();
    throw thrown;
  }
}

function endRequest(request: RequestContext, outcome: RequestOutcome, parts: TraceParts): void {
  const { segment, facts } = request;
  if (!segment.sampled) return;
  const rule = judgeRequest(request.route, outcome);
  if (rule !== undefined) return parts.tally.add(`filter:${rule}`, "transaction");
  const { root } = segment;
  root.status = outcome.kind === "aborted" ? "cancelled" : outcome.status >= 500 ? "internal_error" : "ok";
  root.data = {
    "http.request.method": facts.method,
    "http.response.status_code": outcome.status,
    "url.template": request.route,
    "holdfast.variant": request.variant,
    ...(segment.left > 0 && { "holdfast.spans_left_out": segment.left }),
  };
  parts.send(
    reportTrace(
      segment,
      {
        endMs: parts.now(),
        request: { method: facts.method, url: parts.scrub.text(facts.target) },
        user: userOf(request),
      },
      parts.identity,
    ),
  );
}

function userOf({ user }: RequestContext): Readonly<Record<string, unknown>> | undefined {
  return user && { ...user };
}
