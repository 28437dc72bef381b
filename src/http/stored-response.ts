import type { IncomingMessage, ServerResponse } from "node:http";
import { announcesBody } from "./end-bodiless.ts";
import { writeLines } from "./header-lines.ts";

/**
 * Node copies a text of up to 16 KiB to the socket as it is, and needs 2 µs more for a head and a body in two pieces. A
 * head has up to 4 KiB.
 */
export const storedBytes = 12_288;

/** A small response of status 200 that is sent many times: its head and body are written once. */
export class StoredResponse {
  /** The lines of its headers, without its length and what belongs to a connection. */
  readonly lines: string;
  /** One character for each byte. */
  readonly text: string;

  private constructor(lines: string, text: string) {
    this.lines = lines;
    this.text = text;
  }

  /** Undefined with a header that Node has to write for each response, such as `Content-Disposition`. */
  static of(headers: readonly string[], text: string): StoredResponse | undefined {
    const lines = writeLines(headers);
    return lines === undefined ? undefined : new StoredResponse(lines, text);
  }

  get bytes(): number {
    return this.lines.length + this.text.length;
  }
}

/** What a response needs to send one: `QuickResponse`, also of another copy of this package. */
export interface SendsStored {
  /**
   * `own`: the lines of headers of this response alone. They are not checked, which would take longer than anything
   * else here: of what requests and applications have written they contain only what is encoded.
   */
  sendStored(stored: StoredResponse, own?: string): void;
}

/**
 * What sends a stored response to a request. Undefined for those that get another one: with a body, of HTTP/1.0, which
 * closes connections by default, of another method than GET, and on servers that are not the framework's.
 */
export function storedSenderOf({ incoming, response }: Asked): SendsStored | undefined {
  if (!isSender(response) || incoming.method !== "GET" || !response.useChunkedEncodingByDefault) return undefined;
  if (announcesBody(incoming) || response.destroyed || response.headersSent) return undefined;
  // A server that stops has set `Connection: close`.
  return response.getHeaderNames().length > 0 ? undefined : response;
}

interface Asked {
  incoming: IncomingMessage;
  response: ServerResponse;
}

function isSender(response: ServerResponse): response is ServerResponse & SendsStored {
  return "sendStored" in response;
}
