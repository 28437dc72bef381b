import type { IncomingMessage } from "node:http";
import { type Refusals, sourceOf, TokenBuckets } from "#bounds";
import { isFromOwnPage, readBody } from "#http";
import type { ServerReporting } from "#reporting";
import { consolePath } from "#service";
import type { Mount } from "../enter.ts";
import { type FormReply, refusedBody, type SendReply } from "./form-reply.ts";
import { pageOf } from "./sending-page.ts";

/** Enough for a page of text in any script, and the visitor's last steps. */
const feedbackBytes = 65_536;

/** Limits of one client: a person writes a few times, and a flood would displace the words of others. */
const feedbackAtOnce = 10;
const feedbackPerSecond = 0.1;

export interface FeedbackMountDeps {
  reporting: Pick<ServerReporting, "keepFeedback">;
  clientOf: (incoming: IncomingMessage) => string;
  refusals: Refusals;
  reply: SendReply;
}

/** Accepts the form of `<Feedback />`: from its script, which reads JSON, or from the browser itself. */
export function createFeedbackMount({ reporting, clientOf, refusals, reply }: FeedbackMountDeps): Mount {
  const buckets = new TokenBuckets(feedbackAtOnce, feedbackPerSecond);
  return {
    path: `${consolePath}/feedback`,
    handle: async (incoming, response) => {
      const answer = (said: FormReply): Promise<void> => reply({ incoming, response }, said);
      if (incoming.method !== "POST") return answer({ status: 405, text: "refusedMethod" });
      if (isFromOwnPage(incoming) === false) return answer({ status: 403, text: "refusedSite" });
      const seconds = buckets.take(sourceOf(clientOf(incoming)), performance.now());
      if (seconds > 0) {
        refusals.add("feedback");
        return answer({ status: 429, title: "notSent", text: "sentTooOften", seconds });
      }
      const body = await readBody(incoming, feedbackBytes);
      if (body.kind === "refused") return answer(refusedBody(body.status));
      switch (await reporting.keepFeedback({ ...fieldsOf(body.text), url: pageOf(incoming) })) {
        case "kept":
          return answer({ status: 200, title: "thanks", text: "feedbackReceived" });
        case "no-room":
          return answer({ status: 503, title: "notSent", text: "notKeptNow" });
        case "no-text":
          return answer({ status: 422, title: "notSent", text: "noText" });
      }
    },
  };
}

function fieldsOf(text: string): Omit<Parameters<ServerReporting["keepFeedback"]>[0], "url"> {
  const form = new URLSearchParams(text);
  const field = (name: string): string => form.get(name) ?? "";
  return {
    message: field("message"),
    name: field("name"),
    email: field("email"),
    trap: field("website"),
    facts: field("facts"),
  };
}
