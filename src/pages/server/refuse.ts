import type { IncomingMessage, ServerResponse } from "node:http";
import { constantHeaders } from "../constant-headers.ts";
import { drainBody } from "./body/read-body.ts";
import { isAskedByProgram, problemType, writeProblemJson } from "./problem-json.ts";
import { hstsFor } from "./send/security-headers.ts";
import { sendWhole } from "./send/send.ts";
import { lastResortPage } from "./send/static-pages.ts";
import type { Site } from "./site.ts";

export interface Refusal {
  status: number;
  why: string;
  headers?: readonly string[];
}

/** Refused before any code of the application ran. */
export async function refuse(
  site: Site,
  incoming: IncomingMessage,
  response: ServerResponse,
  { status, why, headers = [] }: Refusal,
): Promise<void> {
  await drainBody(incoming);
  const asked = isAskedByProgram(incoming, site.application);
  const type = asked ? problemType : "text/html; charset=utf-8";
  const text = asked ? writeProblemJson(status, why) : lastResortPage(`Refused (${status})`, why, undefined);
  const own = ["Content-Type", type, "Cache-Control", "private, no-store", "Vary", "Accept"];
  own.push("Content-Security-Policy", "default-src 'none'");
  const secure = hstsFor(site.policy, site.originOf(incoming));
  await sendWhole(response, incoming, status, [...constantHeaders, ...secure, ...own, ...headers], text);
}

export function sendNotAllowed(
  site: Site,
  incoming: IncomingMessage,
  response: ServerResponse,
  allow = "GET, HEAD",
): Promise<void> | void {
  const headers = ["Allow", `${allow}, OPTIONS`];
  if (incoming.method !== "OPTIONS")
    return refuse(site, incoming, response, { status: 405, why: "This address does not take that method.", headers });
  const secure = hstsFor(site.policy, site.originOf(incoming));
  response.writeHead(204, [...constantHeaders, ...secure, ...headers, "Content-Length", "0"]).end();
}
