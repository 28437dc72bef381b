import { digestOf, idOfDigest, jsonItem, newEventId, readDigest, writeEnvelope } from "#protocol";
import type { Identity } from "../trace/identity.ts";
import type { Outbox } from "./outbox/outbox.ts";

export interface NoteDeps {
  outbox: Outbox;
  identity: Identity;
  now: () => number;
}

/** Stores a visitor's note about an error, with the digest that they saw. */
export async function keepNote(
  { outbox, identity, now }: NoteDeps,
  digest: string,
  note: string,
): Promise<"kept" | "no-digest" | "no-room"> {
  const start = readDigest(digest);
  if (start === undefined) return "no-digest";
  const eventId = newEventId();
  const named = digestOf(idOfDigest(start));
  const feedback = {
    event_id: eventId,
    timestamp: now() / 1000,
    platform: identity.platform,
    release: identity.release,
    environment: identity.environment,
    // Other services do not know digests; there the tag leads to the event.
    contexts: { feedback: { message: note, source: "error-page", digest: named } },
    tags: { digest: named },
  };
  const envelope = writeEnvelope({ eventId, sdk: identity.sdk }, [jsonItem("feedback", feedback)]);
  const result = outbox.keep("errors", "feedback", envelope);
  if (result.kind === "full") return "no-room";
  await result.durable;
  return "kept";
}
