import type { IncomingMessage, ServerResponse } from "node:http";

/** Writes one line about each answer. */
export type AccessLog = (
  incoming: IncomingMessage,
  response: ServerResponse,
  startedAt: number,
  client: string,
) => void;

/** JSON lines, written in batches: a line per request must not cost a system call per request. */
export function createAccessLog(write: (text: string) => void): { log: AccessLog; flush: () => void } {
  let lines = "";
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (lines !== "") write(lines);
    lines = "";
  };
  return {
    flush,
    log: (incoming, response, startedAt, client) => {
      const record = {
        time: new Date().toISOString(),
        method: incoming.method,
        // The search may hold what is nobody else's business.
        path: (incoming.url ?? "").split("?", 1)[0],
        status: response.statusCode,
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        client,
        ended: response.writableFinished ? "whole" : "cut",
      };
      lines += `${JSON.stringify(record)}\n`;
      timer ??= setTimeout(flush, 200).unref();
    },
  };
}
