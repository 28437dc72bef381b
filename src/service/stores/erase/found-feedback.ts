import { visitorHash } from "../values/visitor-hash.ts";
import { type ErasureMatcher, traceOfFacts } from "./matcher.ts";

/** A stored message of feedback. `text` is everything in it that may mention an address. */
export interface FeedbackTexts {
  readonly id: number;
  readonly eventId: string | null;
  readonly email: string | null;
  readonly facts: string | null;
  readonly text: string;
}

/** Feedback that the visitor wrote, that is about an erased event, or that mentions an address. */
export function foundFeedback(rows: readonly FeedbackTexts[], matcher: ErasureMatcher): readonly number[] {
  const events = new Set(matcher.match.eventIds);
  return rows.flatMap(({ id, eventId, email, facts, text }) => {
    const isAbout = eventId !== null && events.has(eventId);
    const isBy = email !== null && matcher.isVisitor(visitorHash(email));
    const isMeant = matcher.match.all || isAbout || isBy || matcher.text(text) || matcher.isTrace(traceOfFacts(facts));
    return isMeant ? [id] : [];
  });
}
