import { pairsOf } from "#http";

/** Headers of one connection (RFC 9110, 7.6.1), and older ones that proxies treat like them. */
const ofConnection: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const none: ReadonlySet<string> = new Set();

/** The headers of a message without those of its connection, in their order, and without those that `left` names. */
export function ownHeaders(
  raw: readonly string[],
  left: ReadonlySet<string> = none,
): (readonly [name: string, value: string])[] {
  const pairs = [...pairsOf(raw)];
  const named = pairs.filter(([name]) => name.toLowerCase() === "connection").flatMap(([, value]) => value.split(","));
  const dropped = new Set([...ofConnection, ...left, ...named.map((name) => name.trim().toLowerCase())]);
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase()));
}
