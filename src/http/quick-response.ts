import { type IncomingMessage, ServerResponse, validateHeaderName, validateHeaderValue } from "node:http";

/**
 * A response whose head costs less than Node's own, byte for byte the same but for the order of its lines. For each
 * header Node checks name and value by expressions and asks whether the name is one that says how the body ends:
 * fourteen headers take 14 of the 33 µs of a request. Most headers have the same value in each response, so the last
 * line of each is kept and needs no check.
 */
export class QuickResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
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
    storeHeader.call(this, statusLine + lines, others);
  }
}

type StoreHeader = (this: ServerResponse, statusLine: string, headers: unknown) => void;

const { _storeHeader: storeHeader } = ServerResponse.prototype as unknown as { _storeHeader: StoreHeader };

/** Headers by which Node decides how the body and the connection end, or whose value it encodes. */
const leftToNode = new Set([
  "connection",
  "content-disposition",
  "content-length",
  "date",
  "expect",
  "keep-alive",
  "trailer",
  "transfer-encoding",
]);

interface LastLine {
  value: string;
  line: string;
}

/** By name as it is written. An application has a few dozen; a longer list is one that requests made. */
const lastLines = new Map<string, LastLine | "left to Node">();
const keptNames = 256;
/** A longer value is not kept. No policy of an application is as long. */
const keptCharacters = 4_096;

function lineOf(name: unknown, value: unknown): string | undefined {
  if (typeof name !== "string" || typeof value !== "string") return undefined;
  const last = lastLines.get(name);
  if (last === "left to Node") return undefined;
  if (last?.value === value) return last.line;
  return last ? nextLine(last, name, value) : firstLine(name, value);
}

function nextLine(last: LastLine, name: string, value: string): string {
  validateHeaderValue(name, value);
  const line = `${name}: ${value}\r\n`;
  if (value.length <= keptCharacters) {
    last.value = value;
    last.line = line;
  }
  return line;
}

function firstLine(name: string, value: string): string | undefined {
  validateHeaderName(name);
  const isLeft = leftToNode.has(name.toLowerCase());
  const last = { value: "", line: `${name}: \r\n` };
  if (lastLines.size < keptNames) lastLines.set(name, isLeft ? "left to Node" : last);
  return isLeft ? undefined : nextLine(last, name, value);
}
