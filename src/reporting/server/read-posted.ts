import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";

export type Posted =
  | { kind: "read"; bytes: Uint8Array }
  | { kind: "too-large" }
  | { kind: "unknown-encoding" }
  | { kind: "broken" };

/** Reads a body up to a bound that counts after unpacking, and stops at the first byte beyond it. */
export async function readPosted(incoming: IncomingMessage, atMost: number): Promise<Posted> {
  const encoding = incoming.headers["content-encoding"] || "identity";
  if (encoding !== "identity" && encoding !== "gzip") return { kind: "unknown-encoding" };
  const chunks: Buffer[] = [];
  let size = 0;
  const source =
    encoding === "gzip"
      ? // What breaks is told by the loop below.
        pipeline(incoming, createGunzip(), () => undefined)
      : // Not torn down where we stop: whoever is still sending must be able to read why it was refused.
        incoming.iterator({ destroyOnReturn: false });
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > atMost) return { kind: "too-large" };
      chunks.push(chunk);
    }
  } catch {
    // Cut off, or no gzip.
    return { kind: "broken" };
  }
  return { kind: "read", bytes: Buffer.concat(chunks) };
}
