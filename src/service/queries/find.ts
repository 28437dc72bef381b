import { readDigest, readEventId, readTraceId } from "#protocol";
import type { StoreReader } from "../stores/store.ts";
import type { QueryContext } from "./query-context.ts";

/** Where the one box that takes anything leads. */
export type FindResult =
  | { kind: "event"; eventId: string }
  | { kind: "trace"; traceId: string }
  | { kind: "issue"; number: number }
  | { kind: "release"; name: string }
  /** Nothing was named; the list is filtered by this. */
  | { kind: "issues"; filter: string };

/**
 * A digest, an event id, a trace id, an issue number, a release or the beginning of its commit, an e-mail address, a
 * URL, a file name, or any text.
 */
export async function find({ store }: QueryContext, project: number, typed: string): Promise<FindResult> {
  const text = typed.trim();
  const number = /^#?(\d{1,9})$/.exec(text)?.[1];
  if (number !== undefined && (await store.issue(project, { number: Number(number) })))
    return { kind: "issue", number: Number(number) };
  const eventId = readEventId(text) ?? readDigest(text);
  const event = eventId === undefined ? undefined : await store.event(project, eventId);
  if (event) return { kind: "event", eventId: event.eventId };
  const traceId = readTraceId(text);
  if (traceId !== undefined && (await hasTrace(store, project, traceId))) return { kind: "trace", traceId };
  const release = await releaseNamed(store, project, text);
  if (release !== undefined) return { kind: "release", name: release };
  if (/^[^\s@:]+@[^\s@]+\.[^\s@]+$/.test(text)) return { kind: "issues", filter: `user:${text}` };
  return { kind: "issues", filter: isWebAddress(text) ? JSON.stringify(new URL(text).pathname) : text };
}

/** By its whole name, or as git shortens a commit. Asked before e-mail addresses: `shop@2.4.1` looks like one. */
async function releaseNamed(store: StoreReader, project: number, text: string): Promise<string | undefined> {
  if (text === "") return undefined;
  const isCommit = /^[0-9a-f]{7,40}$/.test(text);
  const names = await store.releaseNames(project);
  return names.find((name) => name === text || (isCommit && name.length === 40 && name.startsWith(text)));
}

async function hasTrace(store: StoreReader, project: number, traceId: string): Promise<boolean> {
  const { spans, events, logs } = await store.trace(project, traceId);
  return spans.length + events.length + logs.length > 0;
}

/** `is:muted` could be parsed as a URL too, and means a filter. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
