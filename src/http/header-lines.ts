import { validateHeaderName, validateHeaderValue } from "node:http";

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

/**
 * The line of a header, as Node checks and writes it; undefined for those that are left to Node. Most headers have the
 * same value in each response, so the last line of each is kept and needs no check.
 */
export function lineOf(name: unknown, value: unknown): string | undefined {
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

/** The lines of a flat list of headers; undefined if one of them is left to Node. */
export function writeLines(headers: readonly string[]): string | undefined {
  let lines = "";
  for (let at = 0; at < headers.length; at += 2) {
    const line = lineOf(headers[at], headers[at + 1]);
    if (line === undefined) return undefined;
    lines += line;
  }
  return lines;
}
