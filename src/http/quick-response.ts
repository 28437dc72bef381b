import { type IncomingMessage, ServerResponse } from "node:http";
import { lineOf } from "./header-lines.ts";
import type { SendsStored, StoredResponse } from "./stored-response.ts";

/**
 * A response whose head costs less than Node's own, byte for byte the same but for the order of its lines. For each
 * header Node checks name and value by expressions and asks whether the name is one that says how the body ends:
 * fourteen headers take 14 of the 33 µs of a request.
 */
export class QuickResponse<Request extends IncomingMessage = IncomingMessage>
  extends ServerResponse<Request>
  implements SendsStored
{
  /** What `writeHead` calls with the status line. Without this method, a Node would write the head as usual. */
  _storeHeader(statusLine: string, headers: unknown): void {
    if (!Array.isArray(headers) || typeof headers[0] !== "string") return storeHeader.call(this, statusLine, headers);
    let lines = "";
    const others: unknown[] = [];
    for (let at = 0; at < headers.length; at += 2) {
      const line = lineOf(headers[at], headers[at + 1]);
      if (line === undefined) others.push(headers[at], headers[at + 1]);
      else lines += line;
    }
    storeHeader.call(this, statusLine + lines, this.#leavesLength(others) ? undefined : others);
  }

  /** Whether the length is all that is left to Node: Node writes the one that it knows itself without checking it. */
  #leavesLength(others: readonly unknown[]): boolean {
    const [name, value] = others;
    if (others.length !== 2 || name !== "Content-Length" || typeof value !== "string" || !digits.test(value))
      return false;
    const internals: Internals = this as object;
    // Without a body (HEAD, 304) and for HTTP/1.0 it writes none.
    if (!internals._hasBody || internals._removedContLen || !this.useChunkedEncodingByDefault) return false;
    internals._contentLength = Number(value);
    return true;
  }

  /** Node adds date, length and connection to the stored head. It sends a text in one piece with it. */
  sendStored({ lines, text }: StoredResponse, own = ""): void {
    const internals: Internals = this as object;
    // As `end` sets it for a response without a head.
    internals._contentLength = text.length;
    this.statusMessage = "OK";
    storeHeader.call(this, `HTTP/1.1 200 OK\r\n${lines}${own}`, undefined);
    this.end(text, "latin1");
  }
}

const digits = /^(?:0|[1-9]\d{0,14})$/;

/** Fields of Node's class. Where another version has none of them, it writes heads itself. */
interface Internals {
  _contentLength?: number | null;
  _hasBody?: boolean;
  _removedContLen?: boolean;
}

type StoreHeader = (this: ServerResponse, statusLine: string, headers: unknown) => void;

const { _storeHeader: storeHeader } = ServerResponse.prototype as unknown as { _storeHeader: StoreHeader };
