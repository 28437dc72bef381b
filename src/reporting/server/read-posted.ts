import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

export type Posted =
  | { kind: "read"; bytes: Uint8Array }
  | { kind: "too-large" }
  | { kind: "unknown-encoding" }
  | { kind: "broken" };

const unpack = promisify(gunzip);

/** Reads a body up to a bound that counts before and after unpacking. Nothing beyond it is taken or unpacked. */
export async function readPosted(incoming: IncomingMessage, atMost: number): Promise<Posted> {
  const encoding = incoming.headers["content-encoding"] || "identity";
  if (encoding !== "identity" && encoding !== "gzip") return { kind: "unknown-encoding" };
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Not torn down where we stop: whoever is still sending must be able to read why it was refused.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > atMost) return { kind: "too-large" };
      chunks.push(chunk);
    }
    const bytes = Buffer.concat(chunks);
    return { kind: "read", bytes: encoding === "gzip" ? await unpack(bytes, { maxOutputLength: atMost }) : bytes };
  } catch (error) {
    const isTooLarge = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    // Otherwise it was cut off, or is no gzip.
    return { kind: isTooLarge ? "too-large" : "broken" };
  }
}
