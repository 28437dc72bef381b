import type { FileHandle } from "node:fs/promises";
import type { ServerResponse } from "node:http";

/** In memory per slow client: 500 of them add up to 8 MiB. */
export const chunkBytes = 16_384;

/** Splits a body into chunks. Text is never cut inside a character. */
export function* chunksOf(body: string | Buffer, atMost: number = chunkBytes): Generator<Buffer> {
  for (let at = 0; at < body.length; ) {
    let end = Math.min(at + atMost, body.length);
    // Not between the two surrogates of a character.
    if (typeof body === "string" && isHighSurrogate(body.charCodeAt(end - 1)) && end < body.length) end += 1;
    yield typeof body === "string" ? Buffer.from(body.slice(at, end)) : body.subarray(at, end);
    at = end;
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

export async function* chunksIn(file: FileHandle): AsyncGenerator<Buffer> {
  const piece = Buffer.allocUnsafe(chunkBytes);
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(piece, 0, chunkBytes, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}

/** Sends each piece after the previous one was written. Never rejects. */
export async function sendPieces(
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
  response: ServerResponse,
): Promise<void> {
  try {
    for await (const piece of pieces) {
      if (response.destroyed) return;
      await writeChunk(response, piece);
    }
    response.end();
  } catch {
    // The disk failed after the head was sent: the response can only end early.
    response.destroy();
  }
}

/** Writes one piece. Resolves when the system has accepted it, or the client is gone. */
export async function writeChunk(response: ServerResponse, piece: Buffer): Promise<void> {
  // Writing to a closed response would be an error.
  if (response.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = (): void => {
    response.off("close", done);
    resolve();
  };
  response.once("close", done);
  response.write(piece, done);
  await promise;
}
