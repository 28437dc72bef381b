import type { IncomingMessage } from "node:http";
import { type Refusals, sourceOf, TokenBuckets } from "#bounds";
import { acceptsJson, constantHeaders, drainBody, noStore, send, sendText } from "#http";
import { type AnswerShown, answerPage, answerPolicy, answersPath, type PageHandler, visitorLanguage } from "#pages";
import type { PublicState } from "#service";
import type { Mount } from "../enter.ts";

export interface AnswerMountDeps {
  /** The state of a digest as it was typed. A rejection counts as an unknown one. */
  stateOf: (digest: string) => Promise<PublicState>;
  pages: Pick<PageHandler, "languageFor">;
  clientOf: (incoming: IncomingMessage) => string;
  /** Of one client: as many at once. */
  perMinute: number;
  refusals: Refusals;
}

/**
 * Tells a visitor with a digest whether the error is repaired: a page without scripts, or JSON for the browser's code.
 * Everything that is wrong with a digest has the same answer as one that is not filed yet.
 */
export function createAnswerMount({ stateOf, pages, clientOf, perMinute, refusals }: AnswerMountDeps): Mount {
  const buckets = new TokenBuckets(perMinute, perMinute / 60);
  return {
    path: answersPath,
    handle: async (incoming, response) => {
      const exchange = { incoming, response };
      await drainBody(incoming);
      if (incoming.method !== "GET" && incoming.method !== "HEAD") {
        response.setHeader("Allow", "GET, HEAD");
        return sendText(exchange, 405, "This address takes GET only.\n");
      }
      const shown = await answerTo(incoming);
      const isJson = acceptsJson(incoming);
      const headers = [...constantHeaders, ...noStore, "X-Robots-Tag", "noindex", "Vary", "Accept"];
      headers.push("Content-Type", isJson ? "application/json" : "text/html; charset=utf-8");
      headers.push("Content-Security-Policy", answerPolicy);
      if (shown.kind === "too-many") headers.push("Retry-After", String(shown.seconds));
      const language = pages.languageFor?.(incoming) ?? visitorLanguage(incoming);
      const body = isJson ? JSON.stringify({ state: shown.kind }) : answerPage(shown, language);
      await send(exchange, { status: shown.kind === "too-many" ? 429 : 200, headers, body });
    },
  };

  async function answerTo(incoming: IncomingMessage): Promise<AnswerShown> {
    const seconds = buckets.take(sourceOf(clientOf(incoming)), performance.now());
    if (seconds > 0) {
      refusals.add("answers");
      return { kind: "too-many", seconds };
    }
    return { kind: await stateOf(digestOf(incoming.url ?? "")).catch(() => "unknown" as const) };
  }
}

/** Where it is turned off: the console would ask visitors to sign in. */
export const noAnswerMount: Mount = {
  path: answersPath,
  handle: (incoming, response) => sendText({ incoming, response }, 404, "Not found\n"),
};

/** The rest of the path, or what was typed into the form. */
function digestOf(url: string): string {
  const { pathname, searchParams } = new URL(url, "http://host");
  try {
    return decodeURIComponent(pathname.slice(answersPath.length + 1)) || (searchParams.get("digest") ?? "");
  } catch {
    return "";
  }
}
