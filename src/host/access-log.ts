import type { IncomingMessage, ServerResponse } from "node:http";
import { LineBudget, type Refusals } from "#bounds";

/** Writes one line about each answer. */
export type AccessLog = (
  incoming: IncomingMessage,
  response: ServerResponse,
  startedAt: number,
  client: string,
) => void;

/**
 * Lines wait so long for others, or until so many characters are there: a line per request must not cost a system call
 * per request.
 */
const waitMs = 200;
const waitCharacters = 65_536;

/** A longer path is nobody's page; headers may have 16 KiB, of which each character may become six in JSON. */
const longestPath = 2_048;

/**
 * A site of 5,000 requests in a second stays below it for good, and above it for a minute; a flood does not fill the
 * disk in an hour.
 */
export const accessLogBytesPerSecond = 1_048_576;
const burstSeconds = 60;

export interface AccessLogDeps {
  write: (text: string) => void;
  /** Takes out secrets of paths, such as a link for a new password. */
  cleanPath: (path: string) => string;
  /** What went wrong while a request was answered. */
  failureOf?: (incoming: IncomingMessage) => LoggedFailure | undefined;
  bytesPerSecond?: number;
  refusals?: Refusals;
}

/** The digest leads to the event; the message is for a reader who has only the log. */
export interface LoggedFailure {
  digest: string | undefined;
  error: string;
}

/** JSON lines, written in batches. Lines beyond the bound are left out, and a line says how many. */
export function createAccessLog({
  write,
  cleanPath,
  failureOf = () => undefined,
  bytesPerSecond = accessLogBytesPerSecond,
  refusals,
}: AccessLogDeps): {
  log: AccessLog;
  flush: () => void;
} {
  let lines = "";
  let timer: NodeJS.Timeout | undefined;
  const clock = new ClockText();
  const budget = new LineBudget(bytesPerSecond * burstSeconds, bytesPerSecond);
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const leftOut = budget.takeLeftOut();
    if (leftOut > 0) lines += `{"time":"${clock.at(Date.now())}","leftOut":${leftOut}}\n`;
    if (lines !== "") write(lines);
    lines = "";
  };
  return {
    flush,
    log: (incoming, response, startedAt, client) => {
      timer ??= setTimeout(flush, waitMs).unref();
      if (!budget.mayWrite(performance.now())) return refusals?.add("log-lines");
      const ms = Math.round((performance.now() - startedAt) * 10) / 10;
      const ended = response.writableFinished ? "whole" : "cut";
      // The parser has checked the method; path and client are unchecked input.
      const line = `{"time":"${clock.at(Date.now())}","method":"${incoming.method}","path":${JSON.stringify(cleanPath(pathOf(incoming.url)))},"status":${response.statusCode},"ms":${ms},"client":${JSON.stringify(client)},"ended":"${ended}"${writeFailure(failureOf(incoming))}}\n`;
      budget.wrote(line.length);
      lines += line;
      if (lines.length > waitCharacters) flush();
    },
  };
}

function writeFailure(failure: LoggedFailure | undefined): string {
  return failure === undefined ? "" : `,${JSON.stringify(failure).slice(1, -1)}`;
}

/** The search may hold private values. */
function pathOf(url = ""): string {
  const question = url.indexOf("?");
  const path = question < 0 ? url : url.slice(0, question);
  return path.length > longestPath ? `${path.slice(0, longestPath)}…` : path;
}

/** A busy server writes thousands of lines in the same second: all but the last digits are made once. */
class ClockText {
  #second = Number.NaN;
  #text = "";

  at(ms: number): string {
    const second = Math.floor(ms / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = new Date(second * 1000).toISOString().slice(0, -4);
    }
    return `${this.#text}${String(ms - second * 1000).padStart(3, "0")}Z`;
  }
}
