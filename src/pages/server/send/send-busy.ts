import { constantHeaders, type Exchange, noStore } from "#http";
import * as english from "../../texts/english.ts";
import { lastResortPage, type StaticLanguage } from "./static-pages.ts";

/** Refuses a request because there is too much to do. `more` are further headers. */
export type SendBusy = (exchange: Exchange, more?: readonly string[]) => void;

const inEnglish = busyPage(undefined);

/**
 * Refuses a request at the lowest possible cost. A browser that requested a page tries again by itself after a random
 * delay, so that refused clients do not return at the same time. A post is repeated only by the visitor.
 */
export function sendBusy(
  { incoming, response }: Exchange,
  more: readonly string[] = [],
  language?: StaticLanguage,
): void {
  const page = language ? busyPage(language) : inEnglish;
  const headers = [...constantHeaders, ...more, "Content-Type", "text/html; charset=utf-8"];
  headers.push(...noStore, "Retry-After", "2", "Content-Length", String(page.length));
  if (incoming.method === "GET") headers.push("Refresh", String(2 + Math.floor(Math.random() * 5)));
  response.writeHead(503, headers).end(incoming.method === "HEAD" ? undefined : page);
}

function busyPage(language: StaticLanguage | undefined): Buffer {
  const { busy, busyText } = language?.texts ?? english;
  return Buffer.from(lastResortPage({ title: busy, text: busyText, language }));
}
