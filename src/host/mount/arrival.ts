import type { IncomingMessage } from "node:http";
import { announcesBody } from "#http";

/** What Express and Connect add to a request. */
interface RoutedRequest {
  baseUrl?: unknown;
  originalUrl?: unknown;
}

/**
 * The path at which another framework has mounted the handler, empty for none. Express tells it; Connect only keeps the
 * whole address beside the shortened one.
 */
export function mountPathOf(incoming: IncomingMessage): string {
  const { baseUrl, originalUrl } = incoming as RoutedRequest;
  if (typeof baseUrl === "string") return baseUrl;
  const url = incoming.url ?? "/";
  if (typeof originalUrl !== "string" || originalUrl.length <= url.length) return "";
  // Of `/app` is left `/`, and of `/app?page=2` is left `/?page=2`.
  const rest = [url, url.slice(1)].find((one) => originalUrl.endsWith(one));
  return rest === undefined ? "" : originalUrl.slice(0, originalUrl.length - rest.length);
}

/** Whether another handler has read the body, or is reading it. Waiting for it would never end. */
export function isBodyTaken(incoming: IncomingMessage): boolean {
  if (!announcesBody(incoming)) return false;
  return incoming.readableDidRead || incoming.readableEnded || incoming.readableFlowing === true;
}
