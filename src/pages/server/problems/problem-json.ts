import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Application } from "../application.ts";

export const problemType = "application/problem+json";

/** What went wrong, for programs (RFC 9457). */
export function writeProblemJson(status: number, detail?: string, digest?: string): string {
  return JSON.stringify({ title: STATUS_CODES[status] ?? "Error", status, detail, digest });
}

/**
 * Whether a program asks, to which a page would say nothing. Browsers name HTML when they load a document. Who names
 * JSON wants that; who names neither, as `fetch` does by default, is a program where only API routes are.
 */
export function isAskedByProgram(incoming: IncomingMessage, application: Application): boolean {
  const { accept = "" } = incoming.headers;
  if (accept.includes("text/html")) return false;
  return /[/+]json\b/.test(accept) || application.isAmongApis(incoming.url ?? "/");
}
