import type { IncomingMessage, ServerResponse } from "node:http";

/** Writes one line about each answer. */
export type AccessLog = (
  incoming: IncomingMessage,
  response: ServerResponse,
  startedAt: number,
  client: string,
) => void;

/** Lines wait so long for others, or until so many characters are there: a line per request must not cost a system call per request. */
const waitMs = 200;
const waitCharacters = 65_536;

/** JSON lines, written in batches. `cleanPath` takes out secrets of paths, such as a link for a new password. */
export function createAccessLog(
  write: (text: string) => void,
  cleanPath: (path: string) => string,
): { log: AccessLog; flush: () => void } {
  let lines = "";
  let timer: NodeJS.Timeout | undefined;
  const clock = new ClockText();
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (lines !== "") write(lines);
    lines = "";
  };
  return {
    flush,
    log: (incoming, response, startedAt, client) => {
      const ms = Math.round((performance.now() - startedAt) * 10) / 10;
      const ended = response.writableFinished ? "whole" : "cut";
      // The parser has checked the method; path and client are unchecked input.
      lines += `{"time":"${clock.at(Date.now())}","method":"${incoming.method}","path":${JSON.stringify(cleanPath(pathOf(incoming.url)))},"status":${response.statusCode},"ms":${ms},"client":${JSON.stringify(client)},"ended":"${ended}"}\n`;
      if (lines.length > waitCharacters) flush();
      else timer ??= setTimeout(flush, waitMs).unref();
    },
  };
}

/** The search may hold private values. */
function pathOf(url = ""): string {
  const question = url.indexOf("?");
  return question < 0 ? url : url.slice(0, question);
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
