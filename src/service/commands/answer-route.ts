import type { IncomingMessage, ServerResponse } from "node:http";
import { type Refusals, sourceOf, TokenBuckets } from "#bounds";
import { constantHeaders, drainBody, noStore, send } from "#http";
import { readCredentials } from "#protocol";
import type { Projects } from "../projects.ts";
import { type PublicState, publicStateByDigest } from "../queries/public-state.ts";
import type { StoreReader } from "../stores/store.ts";

/**
 * One address may be a whole application, which asks for its visitors. Ten in a second are more than visitors read
 * digests. At that rate, guessing one of 60 bits is hopeless.
 */
const questionsAtOnce = 600;
const questionsPerSecond = 10;

export interface AnswerRouteDeps {
  projects: Pick<Projects, "byKey">;
  store: () => Promise<StoreReader>;
  now: () => number;
  refusals: Refusals;
}

/** Handles a request, or returns false if it has another address. */
export type AnswerRoute = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Tells an application whose reports come here what became of a digest: `GET /api/PROJECT/answer/DIGEST?release=NAME`,
 * with a public key of the project. The answer is the state that any visitor with the digest may know.
 */
export function createAnswerRoute({ projects, store, now, refusals }: AnswerRouteDeps): AnswerRoute {
  const buckets = new TokenBuckets(questionsAtOnce, questionsPerSecond);
  return (request, response) => {
    const [, id, digest = "", query = ""] = answerAddress.exec(request.url ?? "") ?? [];
    if (id === undefined) return false;
    void answer(request, response, { id: Number(id), digest, query });
    return true;
  };

  async function answer(request: IncomingMessage, response: ServerResponse, asked: Asked): Promise<void> {
    await drainBody(request);
    const seconds = buckets.take(sourceOf(request.socket.remoteAddress ?? ""), performance.now());
    if (seconds > 0) {
      refusals.add("answers");
      response.setHeader("Retry-After", seconds);
    }
    const status = seconds > 0 ? 429 : statusOf(request, asked);
    const body = status === 200 ? { state: await stateOf(asked) } : { detail: details[status] };
    const headers = [...constantHeaders, ...noStore, "Content-Type", "application/json"];
    await send({ incoming: request, response }, { status, headers, body: JSON.stringify(body) });
  }

  function statusOf({ method, headers }: IncomingMessage, { id, query }: Asked): 200 | 401 | 403 | 405 {
    if (method !== "GET") return 405;
    const [sentryAuth] = [headers["x-sentry-auth"]].flat();
    const credentials = readCredentials({ sentryAuth, authorization: headers.authorization, query });
    if (credentials.kind !== "key") return 401;
    return projects.byKey(credentials.publicKey)?.id === id ? 200 : 403;
  }

  /** A store that cannot be read knows no digest. */
  async function stateOf({ id, digest, query }: Asked): Promise<PublicState> {
    const release = new URLSearchParams(query).get("release") ?? undefined;
    try {
      const context = { store: await store(), now: now() };
      return await publicStateByDigest(context, id, { digest: decodeURIComponent(digest), release });
    } catch {
      return "unknown";
    }
  }
}

interface Asked {
  /** Of the project. */
  id: number;
  /** As in the address. */
  digest: string;
  query: string;
}

const answerAddress = /^(?:\/_holdfast)?\/api\/([1-9]\d{0,8})\/answer\/([^/?]{1,100})(?:\?(.*))?$/;

const details = {
  401: "The request has no sentry_key.",
  403: "The key is not one of this project.",
  405: "This address takes GET only.",
  429: "Too many questions.",
} as const;
