import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { pairsOf } from "#http";

type GivenHeaders = OutgoingHttpHeaders | readonly OutgoingHttpHeader[] | undefined;

/**
 * Sends headers by `setHeader`, so that what other handlers do to a response still works: they change headers just
 * before they are sent, and several read no list of them. Cookies of both sides are sent; of all other headers the
 * application's are.
 */
export function joinHeaders(response: ServerResponse): void {
  const { writeHead } = response;
  const write = writeHead.bind(response) as (status: number, reason?: string) => ServerResponse;
  response.writeHead = ((status: number, ...rest: readonly unknown[]): ServerResponse => {
    const reason = typeof rest[0] === "string" ? rest[0] : undefined;
    setHeaders(response, (reason === undefined ? rest[0] : rest[1]) as GivenHeaders);
    return reason === undefined ? write(status) : write(status, reason);
  }) as ServerResponse["writeHead"];
}

function setHeaders(response: ServerResponse, given: GivenHeaders): void {
  const replaced = new Set<string>();
  const pairs = Array.isArray(given) ? pairsOf(given.map(String)) : Object.entries(given ?? {});
  for (const [name, value] of pairs) {
    if (value === undefined) continue;
    const key = name.toLowerCase();
    if (key !== "set-cookie" && !replaced.has(key)) response.setHeader(name, value);
    else response.appendHeader(name, typeof value === "number" ? String(value) : value);
    replaced.add(key);
  }
}
