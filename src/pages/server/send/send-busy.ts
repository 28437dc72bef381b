import { constantHeaders, type Exchange, noStore } from "#http";
import { lastResortPage } from "./static-pages.ts";

const busyPage = lastResortPage(
  "Busy",
  "There is too much to do at the moment. The page is tried again in a few seconds.",
  undefined,
);

/**
 * Refuses for now, at as little cost as an answer can have. A browser that asked for a page asks again by itself, each
 * after a time of its own, so that those who were refused together do not come together; what was posted is only posted
 * again by the visitor.
 */
export function sendBusy({ incoming, response }: Exchange, more: readonly string[] = []): void {
  const headers = [...constantHeaders, ...more, "Content-Type", "text/html; charset=utf-8"];
  headers.push(...noStore, "Retry-After", "2", "Content-Length", String(busyPage.length));
  if (incoming.method === "GET") headers.push("Refresh", String(2 + Math.floor(Math.random() * 5)));
  response.writeHead(503, headers).end(incoming.method === "HEAD" ? undefined : busyPage);
}
