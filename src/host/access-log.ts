import type { IncomingMessage, ServerResponse } from "node:http";
import { LineBudget, type Refusals } from "#bounds";

/** Writes one line for each response. */
export type AccessLog = (
  incoming: IncomingMessage,
  response: ServerResponse,
  startedAt: number,
  client: string,
) => void;

/** Lines are collected for this long or up to this many characters, so that a request does not cost a system call. */
const waitMs = 200;
const waitCharacters = 65_536;

/** Headers may have 16 KiB, and JSON may turn each character into six. No page needs a longer path. */
const longestPath = 2_048;

/**
 * A site with 5,000 requests per second stays below it permanently, and a burst above it passes for a minute. A flood
 * does not fill the disk within an hour.
 */
export const accessLogBytesPerSecond = 1_048_576;
const burstSeconds = 60;

export interface AccessLogDeps {
  write: (text: string) => void;
  /** The requests that get a line. */
  which?: "all" | "failed";
  /** Removes secrets from paths, such as the token of a password-reset link. */
  cleanPath: (path: string) => string;
  /** Returns the error of a failed request. */
  failureOf?: (incoming: IncomingMessage) => LoggedFailure | undefined;
  bytesPerSecond?: number;
  refusals?: Refusals;
}

/** The digest leads to the event; the message serves readers who only have the log. */
export interface LoggedFailure {
  digest: string | undefined;
  error: string;
}

/** Writes JSON lines in batches. Lines over the limit are dropped, and one line reports how many. */
export function createAccessLog({
  write,
  which = "all",
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
  const paths = new WrittenTexts();
  const clients = new WrittenTexts();
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
      const failure = failureOf(incoming);
      if (which === "failed" && failure === undefined) return;
      timer ??= setTimeout(flush, waitMs).unref();
      const now = performance.now();
      if (!budget.mayWrite(now)) return refusals?.add("log-lines");
      const ms = Math.round((now - startedAt) * 10) / 10;
      // A socket has no last byte.
      const ended = response.writableFinished || response.statusCode === 101 ? "whole" : "cut";
      // The parser has checked the method; path and client are unchecked input.
      const line = `{"time":"${clock.at(Date.now())}","method":"${incoming.method}","path":${paths.of(cleanPath(pathOf(incoming.url)))},"status":${response.statusCode},"ms":${ms},"client":${clients.of(client)},"ended":"${ended}"${writeFailure(failure)}}\n`;
      budget.wrote(line.length);
      lines += line;
      if (lines.length > waitCharacters) flush();
    },
  };
}

function writeFailure(failure: LoggedFailure | undefined): string {
  return failure === undefined ? "" : `,${JSON.stringify(failure).slice(1, -1)}`;
}

/** Drops the search, which may hold private values. */
function pathOf(url = ""): string {
  const question = url.indexOf("?");
  const path = question < 0 ? url : url.slice(0, question);
  return path.length > longestPath ? `${path.slice(0, longestPath)}…` : path;
}

/** Keeps the last timestamp, because a busy server writes thousands of lines per second. */
class ClockText {
  #ms = Number.NaN;
  #text = "";

  at(ms: number): string {
    if (ms !== this.#ms) {
      this.#ms = ms;
      this.#text = new Date(ms).toISOString();
    }
    return this.#text;
  }
}

/** Most lines have a path or client of the lines before. Bounded, because both may be any text. */
const writtenAtMost = 500;
const writtenLength = 200;

/** Texts as JSON has them. */
class WrittenTexts {
  readonly #written = new Map<string, string>();

  of(text: string): string {
    const known = this.#written.get(text);
    if (known !== undefined) return known;
    const written = JSON.stringify(text);
    if (this.#written.size >= writtenAtMost) this.#written.clear();
    if (text.length <= writtenLength) this.#written.set(text, written);
    return written;
  }
}
