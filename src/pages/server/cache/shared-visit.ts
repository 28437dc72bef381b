import type { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { RequestSignals } from "#signals";
import { PageRequest } from "../page-request.ts";
import type { Site } from "../site.ts";
import { Visit } from "../visit.ts";
import type { SharedFacts } from "./cache-key.ts";
import { SharedReads } from "./shared-reads.ts";

export interface SharedVisitOptions {
  facts: SharedFacts;
  /** Cookies that the page may read. */
  cookies: readonly string[];
  /** Of the request that began the rendering, or of none. */
  signals: RequestSignals;
  /** Whether a visitor waits for it: then its errors belong to the log line of that request. */
  isAwaited: boolean;
}

/**
 * A visit without a visitor, in which a page is rendered for all of them. It has the address of the visit that
 * began it, and of that visitor only what is a part of the key. It does not end when the visitor leaves.
 */
export async function openSharedVisit(
  visit: Visit,
  { facts, cookies, signals, isAwaited }: SharedVisitOptions,
): Promise<Visit> {
  // The server that asks has loaded it.
  const { IncomingMessage, ServerResponse } = await import("node:http");
  const { route, params, ownParams, request } = visit;
  const incoming = new IncomingMessage(new Socket());
  incoming.method = "GET";
  incoming.url = request.address + facts.search;
  if (facts.cookies.length > 0) incoming.headers.cookie = facts.cookies.map(writeCookie).join("; ");
  const response = new ServerResponse(incoming);
  const { path, address, origin, lang, language } = request;
  const site = siteOf(visit.site);
  const { search } = facts;
  const own = new PageRequest(incoming, response, {
    path,
    address,
    search,
    origin,
    lang,
    language,
    visitors: site.visitors,
  });
  own.sealCookies();
  for (const { name, value } of facts.headers)
    if (value === undefined) own.response.removeHeader(name);
    else own.response.setHeader(name, value);
  if (facts.html) own.response.setLanguage(facts.html.lang, facts.html.dir);
  if (isAwaited) waiting.set(incoming, request.incoming);
  const exchange = { incoming, response, large: site.large };
  const shared = new Visit({ site, exchange, request: own, found: { route, params }, variant: "document", signals });
  shared.ownParams = ownParams;
  shared.shared = new SharedReads(cookies, site.development);
  return shared;
}

function writeCookie([name, value]: readonly [name: string, value: string]): string {
  return `${name}=${encodeURIComponent(value)}`;
}

const waiting = new WeakMap<IncomingMessage, IncomingMessage>();
const sites = new WeakMap<Site, Site>();

/** The same site, which knows no client. One for each, because what is written once is remembered by site. */
function siteOf(site: Site): Site {
  const known = sites.get(site);
  if (known) return known;
  const shared: Site = {
    ...site,
    clientOf: () => "",
    onError: (incoming, error, digest) => {
      const first = waiting.get(incoming);
      if (first) site.onError?.(first, error, digest);
    },
  };
  sites.set(site, shared);
  return shared;
}
