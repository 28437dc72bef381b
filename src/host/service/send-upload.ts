import { httpClientFor } from "#http";

export interface UploadResponse {
  readonly status: number;
  /** Undefined if it is no JSON. */
  readonly body: unknown;
}

export interface SentUpload {
  readonly method: string;
  readonly body?: Uint8Array;
  readonly token?: string;
  readonly withinMs: number;
  readonly signal: AbortSignal;
}

/** Enough for the ids of all maps of a large build. */
const responseBytes = 1_048_576;

/** Sends one request to the service. Uses `node:http`: `fetch` would be traced, and costs memory at the start. */
export function sendUpload(url: URL, sent: SentUpload): Promise<UploadResponse> {
  const { method, body, token, withinMs, signal } = sent;
  const { request } = httpClientFor(url.protocol);
  const { promise, resolve, reject } = Promise.withResolvers<UploadResponse>();
  const outgoing = request(
    url,
    {
      method,
      signal: AbortSignal.any([signal, AbortSignal.timeout(withinMs)]),
      headers: {
        "User-Agent": "holdfast",
        ...(body && { "Content-Length": body.length, "Content-Type": "application/octet-stream" }),
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      },
    },
    (incoming) => {
      const pieces: Buffer[] = [];
      let bytes = 0;
      incoming.on("data", (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > responseBytes) incoming.destroy(new Error("the answer is too long"));
        else pieces.push(piece);
      });
      incoming.once("error", reject);
      incoming.once("end", () =>
        resolve({ status: incoming.statusCode ?? 0, body: jsonIn(Buffer.concat(pieces).toString("utf8")) }),
      );
    },
  );
  outgoing.once("error", reject);
  outgoing.end(body);
  return promise;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
