import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { ByteBudget, Refusals, Turns } from "#bounds";
import { hasCode } from "#errors";
import { readBytes } from "#http";

export type PostedBytes =
  | { kind: "read"; bytes: Uint8Array }
  | { kind: "too-large" }
  | { kind: "unknown-encoding" }
  | { kind: "broken" }
  /** A shared limit is reached. */
  | { kind: "busy" };

/** Limits that all posts share. */
export interface PostedDeps {
  readonly budget: ByteBudget;
  /** Bodies are decompressed in turns: each uses one of the process's few threads. */
  readonly decoders: Turns;
  readonly refusals: Refusals;
}

const unpack = promisify(gunzip);

/**
 * Reads a body up to a limit that applies before and after decompression. Bytes beyond it are neither read nor
 * decompressed.
 */
export async function readPosted(
  incoming: IncomingMessage,
  atMost: number,
  source: string,
  { budget, decoders, refusals }: PostedDeps,
): Promise<PostedBytes> {
  const encoding = incoming.headers["content-encoding"] || "identity";
  if (encoding !== "identity" && encoding !== "gzip") return { kind: "unknown-encoding" };
  const heldBytes = budget.hold(source);
  try {
    const body = await readBytes(incoming, atMost, (size) => heldBytes.take(size));
    if (body.kind === "too-large") return { kind: "too-large" };
    if (body.kind === "cut") return { kind: "broken" };
    if (body.kind === "no-room") {
      refusals.add("body-memory");
      return { kind: "busy" };
    }
    const { bytes } = body;
    if (encoding === "identity") return { kind: "read", bytes };
    const unpacked = await decoders.run(() => unpack(bytes, { maxOutputLength: atMost }));
    if (unpacked.kind === "done") return { kind: "read", bytes: unpacked.value };
    refusals.add("decoders");
    return { kind: "busy" };
  } catch (error) {
    const isTooLarge = hasCode(error, "ERR_BUFFER_TOO_LARGE");
    // Otherwise the body was cut off, or is no gzip.
    return { kind: isTooLarge ? "too-large" : "broken" };
  } finally {
    heldBytes.release();
  }
}
