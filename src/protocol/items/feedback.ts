import { idOfDigest, readDigest } from "../digest.ts";
import { readEventId } from "../ids.ts";
import { type ProtocolLimits, protocolLimits } from "../limits.ts";
import { isObject, nonEmptyText, objectOf, present, type Reading } from "../loose-values.ts";
import { eventOf, type ReportedEvent } from "./event.ts";

/** A visitor's text, alone or about one event. */
export interface ReportedFeedback {
  readonly message: string;
  readonly name?: string;
  readonly email?: string;
  readonly url?: string;
  readonly source?: string;
  /** The event it is about; or, if the visitor only saw its digest, the substitute id (`idOfDigest`). */
  readonly aboutEventId?: string;
  /** The event that carried it: time, release, environment, user. Old clients send none. */
  readonly event?: ReportedEvent;
}

/** Reads the payload of a `feedback` item. */
export function readFeedback(value: unknown, limits: ProtocolLimits = protocolLimits): Reading<ReportedFeedback> {
  if (!isObject(value)) return { kind: "unreadable", why: "Feedback must be a JSON object." };
  const event = eventOf(value, limits);
  const feedback = objectOf(event.contexts.feedback);
  const message = nonEmptyText(feedback.message, limits.longText) ?? event.message?.text;
  if (message === undefined) return { kind: "unreadable", why: "Feedback must have contexts.feedback.message." };
  return {
    kind: "read",
    value: present({
      message,
      name: nonEmptyText(feedback.name, limits.shortText),
      email: nonEmptyText(feedback.contact_email, limits.shortText),
      url: nonEmptyText(feedback.url, limits.longText),
      source: nonEmptyText(feedback.source, limits.shortText),
      aboutEventId: readEventId(feedback.associated_event_id) ?? idNamedBy(feedback.digest),
      event,
    }),
  };
}

/** Notes of error pages name only the digest that the visitor saw. */
function idNamedBy(digest: unknown): string | undefined {
  const start = typeof digest === "string" ? readDigest(digest) : undefined;
  return start === undefined ? undefined : idOfDigest(start);
}

/** Reads the payload of a `user_report` item, the older form of feedback. */
export function readUserReport(value: unknown, limits: ProtocolLimits = protocolLimits): Reading<ReportedFeedback> {
  if (!isObject(value)) return { kind: "unreadable", why: "A user report must be a JSON object." };
  const message = nonEmptyText(value.comments, limits.longText);
  if (message === undefined) return { kind: "unreadable", why: "A user report must have comments." };
  return {
    kind: "read",
    value: present({
      message,
      name: nonEmptyText(value.name, limits.shortText),
      email: nonEmptyText(value.email, limits.shortText),
      aboutEventId: readEventId(value.event_id),
    }),
  };
}
