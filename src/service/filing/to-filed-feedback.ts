import { present, type ReportedEvent, type ReportedFeedback } from "#protocol";
import type { FeedbackFacts, FiledFeedback, RowKey } from "../stores/filed.ts";
import { type ClientTime, happenedAt } from "./client-time.ts";

/** The last steps are enough to understand a sentence, and a step is one line. */
const mostSteps = 20;
const longestStep = 200;

/** Converts a visitor's words, without secrets. Alone they are no error, so no issue is made of them. */
export function toFiledFeedback(
  { message, name, email, url, aboutEventId, source, event }: ReportedFeedback,
  ownId: string | undefined,
  row: RowKey & { receivedAt: number },
  time: ClientTime,
): FiledFeedback {
  return {
    kind: "feedback",
    ...row,
    at: happenedAt(event?.timestampMs, time),
    eventId: aboutEventId,
    name,
    email,
    url: url ?? event?.request?.url,
    message,
    ownId,
    facts: present({ source, ...(event && factsOfEvent(event)) }),
  };
}

function factsOfEvent({ transaction, release, environment, trace, breadcrumbs }: ReportedEvent): FeedbackFacts {
  const steps = breadcrumbs
    .slice(-mostSteps)
    .flatMap(({ timestampMs, category, message }) =>
      message === undefined ? [] : [present({ at: timestampMs, kind: category, text: message.slice(0, longestStep) })],
    );
  return present({
    route: transaction,
    release,
    environment,
    traceId: trace?.traceId,
    steps: steps.length === 0 ? undefined : steps,
  });
}
