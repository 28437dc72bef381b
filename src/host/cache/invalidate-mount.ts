import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type Refusals, sourceOf, TokenBuckets } from "#bounds";
import { messageOf } from "#errors";
import { drainBody, readBody, sendJson } from "#http";
import { consolePath } from "#service";
import type { Mount } from "../enter.ts";
import { hostErrors } from "../errors.ts";

/** A list of 200 names of 200 characters. */
const bodyBytes = 65_536;
const namesAtMost = 200;

/** Of one client, with the right token or a wrong one: an editor saves less often, and a guess finds no end. */
const callsAtOnce = 60;
const callsPerSecond = 1;

/** As long as other secrets. */
const tokenLength = 32;

export interface InvalidateMountDeps {
  /** `HOLDFAST_INVALIDATE_TOKEN`. */
  token: string;
  /** Removes cached pages in all processes; throws for a wrong name. Returns how many there were in this one. */
  invalidate: (names: readonly string[]) => number | Promise<number>;
  clientOf: (incoming: IncomingMessage) => string;
  refusals: Refusals;
  /** Milliseconds of a clock that never goes back; the process's own without it. */
  now?: () => number;
  /** Writes a sentence for the operator: each call and each wrong token. */
  log: (sentence: string) => void;
}

/** Reads `HOLDFAST_INVALIDATE_TOKEN`. */
export function readInvalidateToken({ HOLDFAST_INVALIDATE_TOKEN: token }: NodeJS.ProcessEnv): string | undefined {
  if (token !== undefined && token.length < tokenLength)
    throw hostErrors.shortInvalidateToken(token.length, tokenLength);
  return token;
}

/** A webhook for content systems: they name what has changed, and cached pages that depend on it are removed. */
export function createInvalidateMount(deps: InvalidateMountDeps): Mount {
  const { token, invalidate, clientOf, refusals, log, now = () => performance.now() } = deps;
  const expected = hashOf(`Bearer ${token}`);
  const calls = new TokenBuckets(callsAtOnce, callsPerSecond);
  return {
    path: `${consolePath}/invalidate`,
    handle: async (incoming, response) => {
      const client = clientOf(incoming);
      const refuse = async (status: number, why: string, headers: Record<string, string> = {}): Promise<void> => {
        await drainBody(incoming);
        sendJson(response, status, { error: why }, headers);
      };
      const seconds = calls.take(sourceOf(client), now());
      if (seconds > 0) {
        refusals.add("invalidations");
        return refuse(429, "too many calls", { "Retry-After": String(seconds) });
      }
      if (incoming.method !== "POST") return refuse(405, "only POST is taken", { Allow: "POST" });
      // Hashes have one length, so that the time of the comparison says nothing about the token.
      if (!timingSafeEqual(hashOf(incoming.headers.authorization ?? ""), expected)) {
        log(`Cached pages were not removed: ${client} sent a wrong token to ${consolePath}/invalidate.`);
        return refuse(401, "the token is wrong", { "WWW-Authenticate": "Bearer" });
      }
      const body = await readBody(incoming, bodyBytes);
      if (body.kind === "refused") return sendJson(response, body.status, { error: body.why });
      const names = readNames(body.text);
      if (!names) return sendJson(response, 422, { error: wanted });
      try {
        const removed = await invalidate(names);
        log(`Cached pages were removed by ${client}: ${names.join(", ")} (${removed} in this process).`);
        sendJson(response, 200, { removed });
      } catch (error) {
        sendJson(response, 422, { error: messageOf(error) });
      }
    },
  };
}

const wanted = `send JSON: { "names": ["orders", "/reports"] }, with 1 to ${namesAtMost} names`;

function readNames(text: string): readonly string[] | undefined {
  try {
    const { names } = Object(JSON.parse(text)) as { names?: unknown };
    const isList = Array.isArray(names) && names.length > 0 && names.length <= namesAtMost;
    return isList && names.every((name) => typeof name === "string") ? names : undefined;
  } catch {
    return undefined;
  }
}

function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
