import { constantHeaders, type Exchange, noStore } from "#http";
import { lastResortPage } from "./static-pages.ts";

const busyPage = lastResortPage(
  "Busy",
  "There is too much to do at the moment. The page is tried again in a few seconds.",
  undefined,
);

/**
 * Refuses a request at the lowest possible cost. A browser that requested a page tries again by itself after a random
 * delay, so that refused clients do not return at the same time. A post is repeated only by the visitor.
 */
export function sendBusy({ incoming, response }: Exchange, more: readonly string[] = []): void {
  const headers = [...constantHeaders, ...more, "Content-Type", "text/html; charset=utf-8"];
  headers.push(...noStore, "Retry-After", "2", "Content-Length", String(busyPage.length));
  if (incoming.method === "GET") headers.push("Refresh", String(2 + Math.floor(Math.random() * 5)));
  response.writeHead(503, headers).end(incoming.method === "HEAD" ? undefined : busyPage);
}
