import type { IncomingMessage } from "node:http";
import type { Application } from "../application.ts";

// An import statement would evaluate every export of this module, including Node's WebSocket and fetch.
const { STATUS_CODES } = process.getBuiltinModule("node:http");

export const problemType = "application/problem+json";

/** Writes a problem document for programs (RFC 9457). */
export function writeProblemJson(status: number, detail?: string, digest?: string): string {
  return JSON.stringify({ title: STATUS_CODES[status] ?? "Error", status, detail, digest });
}

/**
 * Whether the client is a program, for which an HTML page would be useless. Browsers accept HTML when they load a
 * document. A client that accepts JSON wants JSON. One that names neither, like `fetch` by default, counts as a program
 * below paths that only API routes use.
 */
export function wantsProblemJson(incoming: IncomingMessage, application: Application): boolean {
  const { accept = "" } = incoming.headers;
  if (accept.includes("text/html")) return false;
  return /[/+]json\b/.test(accept) || application.isAmongApis(incoming.url ?? "/");
}
