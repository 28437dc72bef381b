import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";

export type Posted =
  | { kind: "read"; bytes: Uint8Array }
  | { kind: "too-large" }
  | { kind: "unknown-encoding" }
  | { kind: "broken" };

/**
 * What is too large is still read so far, and thrown away: a sender that is answered before it has ended may see a closed connection instead of why.
 * More would be as much work for us as taking it.
 */
const readOnBytes = 8_388_608;

/** Reads a body up to a bound that counts after unpacking. Of what is packed nothing beyond it is unpacked. */
export async function readPosted(incoming: IncomingMessage, atMost: number): Promise<Posted> {
  const encoding = incoming.headers["content-encoding"] || "identity";
  if (encoding !== "identity" && encoding !== "gzip") return { kind: "unknown-encoding" };
  const isPacked = encoding === "gzip";
  const source = isPacked
    ? // What breaks is told by the loop below.
      pipeline(incoming, createGunzip(), () => undefined)
    : // Not torn down where we stop: whoever is still sending must be able to read why it was refused.
      incoming.iterator({ destroyOnReturn: false });
  const stopAt = isPacked ? atMost : Math.max(atMost, readOnBytes);
  let chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > stopAt) break;
      if (size > atMost) chunks = [];
      else chunks.push(chunk);
    }
  } catch {
    // Cut off, or no gzip.
    return { kind: "broken" };
  }
  return size > atMost ? { kind: "too-large" } : { kind: "read", bytes: Buffer.concat(chunks) };
}
