import { constantHeaders, drainBody, type Exchange, noStore, send } from "#http";
import { hstsFor } from "../send/security-headers.ts";
import { lastResortPage } from "../send/static-pages.ts";
import type { Site } from "../site.ts";
import { problemType, wantsProblemJson, writeProblemJson } from "./problem-json.ts";

export interface Refusal {
  status: number;
  why: string;
  headers?: readonly string[];
}

/** Refuses a request before any code of the application has run. */
export async function refuse(site: Site, exchange: Exchange, { status, why, headers = [] }: Refusal): Promise<void> {
  const { incoming } = exchange;
  await drainBody(incoming);
  const isProgram = wantsProblemJson(incoming, site.application);
  const type = isProgram ? problemType : "text/html; charset=utf-8";
  const text = isProgram ? writeProblemJson(status, why) : lastResortPage(`Refused (${status})`, why, undefined);
  const own = ["Content-Type", type, ...noStore, "Vary", "Accept"];
  own.push("Content-Security-Policy", "default-src 'none'");
  const secure = hstsFor(site.policy, site.originOf(incoming));
  await send(exchange, { status, headers: [...constantHeaders, ...secure, ...own, ...headers], body: text });
}

export function sendNotAllowed(site: Site, exchange: Exchange, allow = "GET, HEAD"): Promise<void> | void {
  const { incoming, response } = exchange;
  const headers = ["Allow", `${allow}, OPTIONS`];
  if (incoming.method !== "OPTIONS")
    return refuse(site, exchange, { status: 405, why: "This address does not take that method.", headers });
  const secure = hstsFor(site.policy, site.originOf(incoming));
  response.writeHead(204, [...constantHeaders, ...secure, ...headers, "Content-Length", "0"]).end();
}
