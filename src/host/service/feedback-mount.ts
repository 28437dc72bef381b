import type { IncomingMessage } from "node:http";
import { type Refusals, sourceOf, TokenBuckets } from "#bounds";
import { constantHeaders, drainBody, isFromOwnPage, readBody, send } from "#http";
import { lastResortPage } from "#pages";
import type { ServerReporting } from "#reporting";
import { consolePath } from "#service";
import type { Mount } from "../enter.ts";
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
}

/** Accepts the form of `<Feedback />`: from its script, which reads JSON, or from the browser itself. */
export function createFeedbackMount({ reporting, clientOf, refusals }: FeedbackMountDeps): Mount {
  const buckets = new TokenBuckets(feedbackAtOnce, feedbackPerSecond);
  return {
    path: `${consolePath}/feedback`,
    handle: async (incoming, response) => {
      const answer = async (status: number, title: string, text: string): Promise<void> => {
        await drainBody(incoming);
        const isJson = incoming.headers.accept?.includes("application/json") === true;
        const type = isJson ? "application/json" : "text/html; charset=utf-8";
        const headers = [...constantHeaders, "Content-Type", type, "Cache-Control", "no-store"];
        const body = isJson
          ? JSON.stringify({ said: text })
          : lastResortPage({ title, text, back: pageOf(incoming) ?? "/" });
        await send({ incoming, response }, { status, headers, body });
      };
      if (incoming.method !== "POST") return answer(405, "Refused (405)", "Feedback is sent with a form of a page.");
      if (isFromOwnPage(incoming) === false) return answer(403, "Refused (403)", "Another site sent this.");
      const wait = buckets.take(sourceOf(clientOf(incoming)), performance.now());
      if (wait > 0) {
        refusals.add("feedback");
        response.setHeader("Retry-After", wait);
        return answer(429, "Not sent", `Too much came from your address. Please try again in ${wait} s.`);
      }
      const body = await readBody(incoming, feedbackBytes);
      if (body.kind === "refused")
        return answer(body.status, `Refused (${body.status})`, `It was not taken: ${body.why}.`);
      switch (await reporting.keepFeedback({ ...fieldsOf(body.text), url: pageOf(incoming) })) {
        case "kept":
          return answer(200, "Thank you", "We have received what you wrote.");
        case "no-room":
          return answer(503, "Not sent", "It could not be kept. Please try again later.");
        case "no-text":
          return answer(422, "Not sent", "There was no text.");
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
