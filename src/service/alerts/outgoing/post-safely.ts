import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { httpClientFor } from "#http";
import { isPublicAddress } from "./public-address.ts";

export interface OutgoingLimits {
  /** For the whole request. Chat services answer within a second. */
  readonly timeoutMs: number;
  /** The beginning of a response says what is wrong with a request. */
  readonly responseBytes: number;
}

export const outgoingLimits: OutgoingLimits = { timeoutMs: 10_000, responseBytes: 2_048 };

export interface OutgoingDeps {
  /** Hosts, with a port if it is not the usual one, whose private addresses an owner has allowed. */
  readonly allowedHosts: readonly string[];
  readonly limits: OutgoingLimits;
  readonly resolve: (host: string) => Promise<readonly LookupAddress[]>;
}

export const resolveByDns: OutgoingDeps["resolve"] = (host) => lookup(host, { all: true });

export interface OutgoingPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `refused`: trying again is useless until a person changes the address or the settings. */
export type PostOutcome =
  | { readonly kind: "sent" }
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "failed"; readonly why: string; readonly retryAfterSeconds?: number };

/**
 * Posts to an address that an owner typed in. The host is resolved once, and the connection goes to the address that
 * was checked: a second answer of the name server cannot lead elsewhere. Redirects are not followed.
 */
export async function postSafely(post: OutgoingPost, deps: OutgoingDeps): Promise<PostOutcome> {
  const url = readTarget(post.url);
  if (url.kind === "refused") return url;
  const checked = await checkHost(url.target, deps);
  return checked.kind === "at" ? send(post, url.target, checked.address, deps.limits) : checked;
}

function readTarget(text: string): { kind: "target"; target: URL } | { kind: "refused"; why: string } {
  if (!URL.canParse(text)) return { kind: "refused", why: "This is not an address." };
  const target = new URL(text);
  if (target.protocol !== "https:" && target.protocol !== "http:")
    return { kind: "refused", why: `Addresses begin with https:// or http://, not with ${target.protocol}` };
  if (target.username !== "" || target.password !== "")
    return { kind: "refused", why: "The address has a user name or password in it." };
  return { kind: "target", target };
}

type CheckedHost = { kind: "at"; address: LookupAddress } | Exclude<PostOutcome, { kind: "sent" }>;

async function checkHost({ hostname, host }: URL, { allowedHosts, resolve }: OutgoingDeps): Promise<CheckedHost> {
  // Node writes the addresses of IPv6 without brackets.
  const name = hostname.replace(/^\[|\]$/g, "");
  let found: readonly LookupAddress[];
  try {
    found = await resolve(name);
  } catch (error) {
    return { kind: "failed", why: `${name} was not found (${codeOf(error)}).` };
  }
  const [first] = found;
  if (first === undefined) return { kind: "failed", why: `${name} has no address.` };
  const inside = found.find(({ address }) => !isPublicAddress(address));
  if (inside !== undefined && !allowedHosts.includes(host)) {
    const where = name === inside.address ? "is" : `is at ${inside.address}, which is`;
    return { kind: "refused", why: `${host} ${where} not public. An owner of all projects can allow it.` };
  }
  return { kind: "at", address: first };
}

function send(post: OutgoingPost, target: URL, at: LookupAddress, limits: OutgoingLimits): Promise<PostOutcome> {
  const { request } = httpClientFor(target.protocol);
  const { promise, resolve } = Promise.withResolvers<PostOutcome>();
  const fail = (error: unknown): void => resolve({ kind: "failed", why: `The request failed (${codeOf(error)}).` });
  const outgoing = request(target, {
    method: "POST",
    headers: { ...post.headers, "content-length": Buffer.byteLength(post.body) },
    agent: false,
    signal: AbortSignal.timeout(limits.timeoutMs),
    lookup: (_host, { all }, callback) => (all ? callback(null, [at]) : callback(null, at.address, at.family)),
  });
  outgoing.on("error", fail);
  outgoing.on("response", (response) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    const end = (): void => {
      const text = Buffer.concat(pieces).toString().slice(0, limits.responseBytes);
      resolve(outcomeOf(response.statusCode ?? 0, response.headers, text));
    };
    response.on("data", (piece: Buffer) => {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes < limits.responseBytes) return;
      end();
      response.destroy();
    });
    response.on("end", end);
    response.on("error", fail);
  });
  outgoing.end(post.body);
  return promise;
}

function outcomeOf(status: number, headers: Readonly<Record<string, unknown>>, text: string): PostOutcome {
  if (status >= 200 && status < 300) return { kind: "sent" };
  const said = text.trim() === "" ? "" : `: ${text.trim().replaceAll(/\s+/g, " ").slice(0, 200)}`;
  if (status >= 300 && status < 400)
    return { kind: "refused", why: `The answer was a redirect (${status}), and redirects are not followed.` };
  const why = `The answer was ${status}${said}`;
  if (status === 429 || status >= 500) {
    const seconds = Number(headers["retry-after"]);
    return seconds > 0 ? { kind: "failed", why, retryAfterSeconds: seconds } : { kind: "failed", why };
  }
  // 408 and 425 ask for another attempt; every other 4xx stays what it is.
  return status === 408 || status === 425 ? { kind: "failed", why } : { kind: "refused", why };
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError" || error.name === "AbortError") return "no answer in time";
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}
