import type { IncomingMessage, ServerResponse } from "node:http";
import { constantHeaders } from "../constant-headers.ts";
import { drainBody } from "./read-body.ts";
import { sendWhole } from "./send.ts";
import { lastResortPage } from "./static-pages.ts";

/** Refused before any code of the application ran. */
export async function refuse(
  incoming: IncomingMessage,
  response: ServerResponse,
  status: number,
  why: string,
  more: readonly string[] = [],
): Promise<void> {
  await drainBody(incoming);
  const headers = [
    ...constantHeaders,
    "Content-Type",
    "text/html; charset=utf-8",
    "Cache-Control",
    "private, no-store",
    "Content-Security-Policy",
    "default-src 'none'",
    ...more,
  ];
  await sendWhole(response, incoming, status, headers, lastResortPage(`Refused (${status})`, why, undefined));
}

export function sendNotAllowed(
  incoming: IncomingMessage,
  response: ServerResponse,
  allow = "GET, HEAD",
): Promise<void> | void {
  if (incoming.method === "OPTIONS") {
    response.writeHead(204, [...constantHeaders, "Allow", `${allow}, OPTIONS`, "Content-Length", "0"]).end();
    return;
  }
  return refuse(incoming, response, 405, "This address does not take that method.", ["Allow", `${allow}, OPTIONS`]);
}
