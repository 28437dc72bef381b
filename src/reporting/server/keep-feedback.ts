import { isObject, jsonItem, newEventId, present, readJson, readSpanId, readTraceId, writeEnvelope } from "#protocol";
import type { LossCounter } from "../loss-counter.ts";
import type { Scrub } from "../scrub/scrub.ts";
import type { Identity } from "../trace/identity.ts";
import type { Outbox } from "./outbox/outbox.ts";

export interface FeedbackDeps {
  outbox: Outbox;
  identity: Identity;
  losses: LossCounter;
  now: () => number;
  scrub: Scrub;
  /** Keeps mail addresses: a visitor who writes one wants a reply. */
  scrubWords: Scrub;
}

/** A posted form of `<Feedback />`. Nothing of it is checked yet. */
export interface PostedFeedback {
  message: string;
  name: string;
  email: string;
  /** The page that it was sent from. */
  url: string | undefined;
  /** A field that people do not see. A client that fills it in is a program. */
  trap: string;
  /** JSON of the page's reporter. Empty without script. */
  facts: string;
}

/** Longer texts are cut. */
const longestMessage = 4_000;
const longestField = 200;
const mostSteps = 20;

/** Stores what a visitor wrote on a page that is not broken. */
export async function keepFeedback(
  deps: FeedbackDeps,
  posted: PostedFeedback,
): Promise<"kept" | "no-text" | "no-room"> {
  const message = posted.message.trim().slice(0, longestMessage);
  if (message === "") return "no-text";
  if (posted.trap !== "") {
    // Answered like any other, so that the program learns nothing.
    deps.losses.add("filter:spam-trap", "feedback");
    return "kept";
  }
  const eventId = newEventId();
  const envelope = writeEnvelope({ eventId, sdk: deps.identity.sdk }, [
    jsonItem("feedback", eventOf(deps, { ...posted, message }, eventId)),
  ]);
  const result = deps.outbox.keep("errors", "feedback", envelope);
  if (result.kind === "full") return "no-room";
  await result.durable;
  return "kept";
}

function eventOf({ identity, now, scrub, scrubWords }: FeedbackDeps, posted: PostedFeedback, eventId: string): object {
  const words = (text: string): string | undefined => scrubWords.text(text.trim().slice(0, longestField)) || undefined;
  const { route, trace, steps, user } = readFacts(posted.facts);
  const url = posted.url === undefined ? undefined : scrub.text(posted.url);
  return present({
    event_id: eventId,
    timestamp: now() / 1000,
    platform: "javascript",
    release: identity.release,
    environment: identity.environment,
    transaction: route,
    request: url === undefined ? undefined : { url },
    user: scrub.person(user),
    breadcrumbs: scrub.value(steps),
    contexts: present({
      trace,
      feedback: present({
        message: scrubWords.text(posted.message),
        name: words(posted.name),
        contact_email: words(posted.email),
        url,
        source: "page",
      }),
    }),
  });
}

interface PageFacts {
  route?: string;
  trace?: { trace_id: string; span_id: string };
  steps?: readonly object[];
  user?: object;
}

/** Reads what a page says about itself. What is wrong in it is left out. */
function readFacts(json: string): PageFacts {
  const read = json === "" ? undefined : readJson(Buffer.from(json), { jsonDepth: 8, jsonKeys: 1_000 });
  const value = read?.kind === "read" && isObject(read.value) ? read.value : {};
  const [traceId, spanId] = [readTraceId(value.trace), readSpanId(value.span)];
  return present({
    route: typeof value.route === "string" ? value.route.slice(0, longestField) : undefined,
    trace: traceId && spanId ? { trace_id: traceId, span_id: spanId } : undefined,
    steps: Array.isArray(value.steps) ? value.steps.filter(isObject).slice(-mostSteps) : undefined,
    user: isObject(value.user) ? value.user : undefined,
  });
}
