import { addVary, type EncodedBody, type Exchange, encodingFor, noStore, sendVaried, storedSenderOf } from "#http";
import { hitOf } from "#signals";
import { pageDataType } from "../../page-data.ts";
import { mayCarryResult } from "../action/carried-result.ts";
import type { MatchedPath } from "../application.ts";
import { IncomingFacts } from "../incoming-facts.ts";
import type { KnownAnswer } from "../known-addresses.ts";
import type { LoadedRoute } from "../load-route.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import type { PageRequest } from "../page-request.ts";
import type { PageTarget } from "../read-target.ts";
import { ConstantHeads } from "../send/constant-heads.ts";
import { hstsFor } from "../send/security-headers.ts";
import { documentHeaders, matchesTag } from "../send/send-document.ts";
import { cacheTiming, writeTiming } from "../send/server-timing.ts";
import type { Site } from "../site.ts";
import { configuredHeaders, type VisitExchange } from "../visit.ts";
import { sharedFacts } from "./cache-key.ts";
import type { CachedEntry } from "./cached-pages.ts";
import { forBrowsers } from "./cdn-headers.ts";
import { cachedPagesOf, clockOf } from "./decide-cached.ts";
import type { CachePolicy } from "./policy.ts";
import type { SharedPage } from "./shared-page.ts";

/** A request that a stored page answers as it is. */
export interface Hit {
  /** Of the page in the cache. */
  key: string;
  entry: CachedEntry;
  request: PageRequest;
  route: LoadedRoute;
  params: Readonly<Record<string, string>>;
  variant: "document" | "data";
}

interface HitQuery {
  request: PageRequest;
  target: PageTarget;
  matched: MatchedPath;
}

/**
 * The fresh page for a request in whose answer no code of the application and nothing of its visitor has a part. It
 * needs no visit. All other requests are decided by `decideCached`, to the same answer.
 */
export function findHit(site: Site, { request, target, matched }: HitQuery): Hit | undefined {
  const route = site.application.loadedRoute(matched);
  if (!route?.caching || matched.match.kind !== "found") return undefined;
  if (target.kind !== "page" || target.keys || (request.method !== "GET" && request.method !== "HEAD"))
    return undefined;
  const { variant } = target;
  if (isDecidedElsewhere(site, route) || belongsToVisitor(request, route.caching, variant)) return undefined;
  const facts = sharedFacts({ route, request }, route.caching);
  if ("kind" in facts) return undefined;
  const found = cachedPagesOf(site).find(facts.key);
  if (found.kind !== "fresh" || found.entry.page.headers.size > 0) return undefined;
  return { key: facts.key, entry: found.entry, request, route, params: matched.match.params, variant };
}

/** By a hook, a schema, the list of prerendered pages, the turns of large pages, or the times of a CDN. */
function isDecidedElsewhere(site: Site, route: LoadedRoute): boolean {
  if (site.application.parts.request || site.edge) return true;
  return route.params !== undefined || route.prerender !== undefined || site.large.isLarge(route);
}

function belongsToVisitor(request: PageRequest, { cookies, search }: CachePolicy, variant: Hit["variant"]): boolean {
  const { incoming } = request;
  if (cookies.length > 0 || (search && request.search !== "") || request.cookiesToSend().length > 0) return true;
  // The preamble of page data names the session.
  return variant === "document" ? mayCarryResult(incoming) : incoming.headers.cookie !== undefined;
}

/** Sends the page. Every hit is counted, and some are traced. */
export function sendHit(site: Site, hit: Hit, exchange: VisitExchange): MaybePromise<void> {
  const { request, variant } = hit;
  const { page } = hit.entry;
  const { incoming, response } = exchange;
  const isUnchanged = variant === "document" && matchesTag(incoming.headers["if-none-match"], page.entityTag);
  const timing = reportHit(site, exchange, { ...hit, status: isUnchanged ? 304 : 200 });
  const constant = headersOf(site, page, { request, variant });
  const headers = [...constant, "Server-Timing", timing];
  if (isUnchanged) return void response.writeHead(304, headers).end();
  const body = bodyOf(page, variant);
  const sent = sendVaried(exchange, { status: 200, headers, body });
  if (site.known && !site.languages) body.store(encodingFor(body, incoming), constant);
  return sent;
}

/** For the next request to the same address. */
export function knownHit(site: Site, { route, params, variant, key }: Hit): KnownAnswer {
  const pages = cachedPagesOf(site);
  return {
    route: patternOf(route),
    send: (exchange) => {
      const { incoming } = exchange;
      const { cookie, "if-none-match": tag } = incoming.headers;
      if (variant === "data" ? cookie !== undefined : tag !== undefined || mayCarryResult(incoming)) return false;
      const found = pages.find(key);
      if (found.kind !== "fresh" || found.entry.page.headers.size > 0 || site.large.isLarge(route)) return false;
      const body = bodyOf(found.entry.page, variant);
      const stored = body.storedIn(encodingFor(body, incoming));
      const sender = stored && storedSenderOf(exchange);
      if (!stored || !sender) return false;
      const timing = reportHit(site, exchange, { route, params, variant, entry: found.entry, status: 200 });
      sender.sendStored(stored, `Server-Timing: ${timing}\r\n`);
      return true;
    },
  };
}

interface ReportedHit extends Pick<Hit, "route" | "params" | "variant" | "entry"> {
  status: 200 | 304;
}

/** Returns the value of `Server-Timing`. */
function reportHit(
  site: Site,
  { incoming, response }: Exchange,
  { route, params, variant, entry, status }: ReportedHit,
): string {
  const decision = { kind: "hit", ageMs: clockOf(site)() - entry.asOf, savedMs: entry.tookMs } as const;
  const facts = { route: patternOf(route), params, variant, budget: route.budget, decision, status, response };
  const handOver = hitOf(site.signals, new IncomingFacts(incoming), facts);
  const timing = cacheTiming(decision, site.development);
  return variant === "data" ? timing : writeTiming(timing, handOver);
}

function patternOf(route: LoadedRoute): string {
  return route.pattern ?? "not-found";
}

function bodyOf(page: SharedPage, variant: Hit["variant"]): EncodedBody {
  return variant === "document" ? page.document : page.data;
}

type HitTarget = Pick<Hit, "request" | "variant">;

const heads = new ConstantHeads();

/** The key of a page has its address, the origin and the language. */
function headersOf(site: Site, page: SharedPage, target: HitTarget): readonly string[] {
  const kind = target.request.language?.varies ? `varied ${target.variant}` : target.variant;
  return heads.get(page, kind, () => writeHeaders(site, page, target));
}

function writeHeaders(site: Site, page: SharedPage, { request, variant }: HitTarget): string[] {
  const base = configuredHeaders(site, request);
  const body = bodyOf(page, variant);
  const headers = variant === "document" ? headersOfDocument(site, page, request, base) : headersOfData(base);
  if (body.isWorthCompressing) addVary(headers, "Accept-Encoding");
  return headers;
}

function headersOfDocument(site: Site, page: SharedPage, request: PageRequest, base: readonly string[]): string[] {
  const visit = {
    site,
    request,
    baseHeaders: () => base,
    headersToSend: () => [...hstsFor(site.policy, request.origin)],
  };
  return [...documentHeaders(visit, { scripts: page.scripts, keep: forBrowsers }), "ETag", page.entityTag];
}

function headersOfData(base: readonly string[]): string[] {
  return [...base, "Content-Type", pageDataType, ...noStore];
}
