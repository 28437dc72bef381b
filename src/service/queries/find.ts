import { readDigest, readEventId, readTraceId } from "#protocol";
import type { StoreReader } from "../stores/store.ts";

/** Where the one box that takes anything leads. */
export type Finding =
  | { kind: "event"; eventId: string }
  | { kind: "trace"; traceId: string }
  | { kind: "issue"; number: number }
  /** Nothing was named; the list is filtered by this. */
  | { kind: "issues"; filter: string };

/** A digest, an event id, a trace id, an issue number, an e-mail address, a URL, a file name, or any text. */
export function find(store: StoreReader, project: number, typed: string): Finding {
  const text = typed.trim();
  const number = /^#?(\d{1,9})$/.exec(text)?.[1];
  if (number !== undefined && store.issue(project, { number: Number(number) }))
    return { kind: "issue", number: Number(number) };
  const eventId = readEventId(text) ?? readDigest(text);
  const event = eventId === undefined ? undefined : store.event(project, eventId);
  if (event) return { kind: "event", eventId: event.eventId };
  const traceId = readTraceId(text);
  if (traceId !== undefined && hasTrace(store, project, traceId)) return { kind: "trace", traceId };
  if (/^[^\s@:]+@[^\s@]+\.[^\s@]+$/.test(text)) return { kind: "issues", filter: `user:${text}` };
  return { kind: "issues", filter: isWebAddress(text) ? JSON.stringify(new URL(text).pathname) : text };
}

function hasTrace(store: StoreReader, project: number, traceId: string): boolean {
  const { spans, events, logs } = store.trace(project, traceId);
  return spans.length + events.length + logs.length > 0;
}

/** `is:muted` could be parsed as a URL too, and means a filter. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
