import { constantHeaders, drainBody, type Exchange, noStore, send } from "#http";
import * as english from "../../texts/english.ts";
import type { Texts } from "../../texts/texts.ts";
import { hstsFor } from "../send/security-headers.ts";
import { lastResortPage } from "../send/static-pages.ts";
import type { Site } from "../site.ts";
import { problemType, wantsProblemJson, writeProblemJson } from "./problem-json.ts";

export interface Refusal {
  status: number;
  why: string;
  /** The text that visitors see in the languages of the application, if there are any. */
  text: keyof Texts;
  headers?: readonly string[];
}

/** Refuses a request before any code of the application has run. */
export async function refuse(
  site: Site,
  exchange: Exchange,
  { status, why, text: name, headers = [] }: Refusal,
): Promise<void> {
  const { incoming } = exchange;
  await drainBody(incoming);
  const isProgram = wantsProblemJson(incoming, site.application);
  const type = isProgram ? problemType : "text/html; charset=utf-8";
  const language = site.languages?.staticIn(incoming, site.originOf(incoming));
  const title = (language?.texts ?? english).refused.replace("{status}", String(status));
  const text = isProgram
    ? writeProblemJson(status, why)
    : lastResortPage({ title, text: language?.texts[name] ?? why, language });
  const own = ["Content-Type", type, ...noStore, "Vary", "Accept"];
  own.push("Content-Security-Policy", "default-src 'none'; style-src-attr 'unsafe-inline'");
  const secure = hstsFor(site.policy, site.originOf(incoming));
  await send(exchange, { status, headers: [...constantHeaders, ...secure, ...own, ...headers], body: text });
}

export function sendNotAllowed(site: Site, exchange: Exchange, allow = "GET, HEAD"): Promise<void> | void {
  const { incoming, response } = exchange;
  const headers = ["Allow", `${allow}, OPTIONS`];
  if (incoming.method !== "OPTIONS")
    return refuse(site, exchange, { status: 405, why: english.refusedMethod, text: "refusedMethod", headers });
  const secure = hstsFor(site.policy, site.originOf(incoming));
  response.writeHead(204, [...constantHeaders, ...secure, ...headers, "Content-Length", "0"]).end();
}
