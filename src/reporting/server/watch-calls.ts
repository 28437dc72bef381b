import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { writeBaggage, writeSentryTrace, writeTraceparent } from "#protocol";
import { type Identity, traceFacts } from "../identity.ts";
import type { Scrub } from "../scrub.ts";
import { isTarget } from "../settings.ts";
import type { Span } from "../trace.ts";
import { type RequestContext, whereabouts } from "./request-context.ts";

export interface WatchCallsParts {
  identity: Identity;
  scrub: Scrub;
  now: () => number;
  /** Addresses whose requests carry the trace. */
  targets: readonly (string | RegExp)[];
}

/** What Node's `fetch` tells of a request; only what is used here. */
interface Call {
  origin: string;
  path: string;
  method: string;
  addHeader(name: string, value: string): void;
}

interface Watched {
  span: Span;
  request: RequestContext;
  what: string;
}

/** Sees the requests that the application makes with `fetch` while it answers one: as spans, as steps, and with the trace in their headers. */
export function watchCalls(parts: WatchCallsParts): () => void {
  const watched = new WeakMap<object, Watched>();
  const listeners: Readonly<Record<string, (message: unknown) => void>> = {
    "undici:request:create": (message) => begin(callOf(message), watched, parts),
    "undici:request:headers": (message) => end(watched.get(callOf(message)), statusOf(message), parts),
    "undici:request:error": (message) => end(watched.get(callOf(message)), 0, parts),
  };
  for (const [channel, listen] of Object.entries(listeners)) subscribe(channel, listen);
  return () => {
    for (const [channel, listen] of Object.entries(listeners)) unsubscribe(channel, listen);
  };
}

function begin(
  call: Call,
  watched: WeakMap<object, Watched>,
  { identity, scrub, now, targets }: WatchCallsParts,
): void {
  const where = whereabouts.getStore();
  if (!where) return;
  const { segment } = where.request;
  const [path = ""] = call.path.split("?", 1);
  const what = `${call.method} ${call.origin}${scrub.text(path)}`;
  const span = segment.begin(where.span, "http.client", what, now());
  watched.set(call, { span, request: where.request, what });
  if (!isTarget(call.origin + call.path, targets)) return;
  const parent = segment.parentFor(segment.sampled ? span : where.span);
  call.addHeader("sentry-trace", writeSentryTrace(parent));
  call.addHeader("traceparent", writeTraceparent(parent));
  call.addHeader("baggage", writeBaggage(traceFacts(identity, segment)));
}

function end(watched: Watched | undefined, status: number, { now }: WatchCallsParts): void {
  if (!watched || watched.span.endMs !== undefined) return;
  const { span, request, what } = watched;
  const failed = status === 0 || status >= 500;
  span.endMs = now();
  span.status = failed ? "internal_error" : "ok";
  span.data = { "http.response.status_code": status };
  request.steps.add({
    timestamp: span.endMs / 1000,
    category: "fetch",
    type: "http",
    message: `${what} ${status || "failed"}`,
    level: failed ? "error" : "info",
  });
}

/** These channels are documented to bring such messages (undici, diagnostics channel support). */
function callOf(message: unknown): Call {
  return (message as { request: Call }).request;
}

function statusOf(message: unknown): number {
  return (message as { response: { statusCode: number } }).response.statusCode;
}
