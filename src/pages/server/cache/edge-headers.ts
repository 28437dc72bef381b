import { noStore } from "#http";
import type { Visit } from "../visit.ts";
import { cdnHeaders, type EdgeCopy } from "./cdn-headers.ts";
import { pageDepends } from "./page-depends.ts";

/** What CDNs and browsers may keep of a page that the server's cache has answered. */
export function edgeHeaders(visit: Visit, status: number): readonly string[] {
  const { site, route } = visit;
  if (!route.caching) return noStore;
  const { freshMs, staleMs, cookies } = route.caching;
  const tags = site.edge?.tagHeader ? pageDepends(visit, route.caching) : [];
  const cache = { freshSeconds: freshMs / 1_000, staleSeconds: staleMs / 1_000, cookies, tags };
  return cdnHeaders(cache, copyOf(visit, status), site.edge);
}

/** A CDN runs neither hooks nor the choice of a language: it must not have what they may decide. */
function copyOf({ cached, request, readsInHook }: Visit, status: number): EdgeCopy {
  if (!cached || cached.kind === "bypass" || status !== 200) return { kind: "own" };
  if (readsInHook || request.cookiesToSend().length > 0 || request.language?.varies) return { kind: "private" };
  return { kind: "shared", ageSeconds: cached.kind === "miss" ? 0 : cached.ageMs / 1_000 };
}
