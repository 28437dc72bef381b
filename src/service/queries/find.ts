import { readDigest, readEventId, readTraceId } from "#protocol";
import type { StoreReader } from "../stores/store.ts";
import type { QueryContext } from "./query-context.ts";
import { emailAddress, visitorsCalled } from "./search.ts";

/** Target of the search box that accepts anything. */
export type FindResult =
  | { kind: "event"; eventId: string }
  | { kind: "feedback"; id: string }
  | { kind: "trace"; traceId: string }
  | { kind: "issue"; number: number }
  | { kind: "release"; name: string }
  | { kind: "visitor"; visitor: number }
  /** No exact match: filter the list by this text. */
  | { kind: "issues"; filter: string };

/**
 * Accepts a digest, an id of an event or of feedback, a trace id, an issue number, a release or the start of its
 * commit, an identity of a visitor, a URL, a file name, or any text.
 */
export async function find({ store }: QueryContext, project: number, typed: string): Promise<FindResult> {
  const text = typed.trim();
  const number = /^#?(\d{1,9})$/.exec(text)?.[1];
  if (number !== undefined && (await store.issue(project, { number: Number(number) })))
    return { kind: "issue", number: Number(number) };
  const eventId = readEventId(text) ?? readDigest(text);
  const event = eventId === undefined ? undefined : await store.event(project, eventId);
  if (event) return { kind: "event", eventId: event.eventId };
  const [feedback] = eventId === undefined ? [] : await store.feedback(project, { ownId: eventId });
  if (feedback?.ownId !== undefined) return { kind: "feedback", id: feedback.ownId };
  const traceId = readTraceId(text);
  if (traceId !== undefined && (await hasTrace(store, project, traceId))) return { kind: "trace", traceId };
  const release = await releaseNamed(store, project, text);
  if (release !== undefined) return { kind: "release", name: release };
  const [visitor, ...others] = text === "" ? [] : await visitorsCalled(store, project, text);
  if (visitor !== undefined && others.length === 0) return { kind: "visitor", visitor };
  if (emailAddress.test(text)) return { kind: "issues", filter: `user:${text}` };
  return { kind: "issues", filter: isWebAddress(text) ? JSON.stringify(new URL(text).pathname) : text };
}

/**
 * Matches the whole name, or a commit shortened as git does. Checked before e-mail addresses, because `shop@2.4.1`
 * looks like one.
 */
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

/** `is:muted` would also parse as a URL, but means a filter. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
