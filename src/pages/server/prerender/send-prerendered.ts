import { addVary, type ChangedHeaders, type Exchange, noStore, withCookies } from "#http";
import { pageDataType } from "../../page-data.ts";
import { mayCarryResult } from "../action/carried-result.ts";
import type { KnownAnswer } from "../known-addresses.ts";
import { languageVaries } from "../languages/redirect-to-language.ts";
import { leaveWith } from "../leave.ts";
import { chain, type MaybePromise } from "../maybe-promise.ts";
import type { PageRequest } from "../page-request.ts";
import type { PageTarget } from "../read-target.ts";
import { ConstantHeads } from "../send/constant-heads.ts";
import { hstsFor } from "../send/security-headers.ts";
import { withHashPolicy } from "../send/site-policy.ts";
import type { Site } from "../site.ts";
import { configuredHeaders, type Visit } from "../visit.ts";
import type { PrerenderedPage } from "./prerendered.ts";

export interface PrerenderedRequest {
  request: PageRequest;
  target: PageTarget;
  /** The path whose route answers: that of a rewrite is not the one for which a page was made. */
  path: string;
}

/** The page that the build has made for a request, if it may be sent. */
export function findPrerendered(
  { prerendered }: Pick<Site, "prerendered">,
  { request, target, path }: PrerenderedRequest,
): PrerenderedPage | undefined {
  if (!prerendered || target.kind !== "page" || (request.method !== "GET" && request.method !== "HEAD"))
    return undefined;
  const { language } = request;
  if (path !== (language?.path ?? target.path)) return undefined;
  const page = prerendered.find(language?.lang, path);
  if (page?.origin !== undefined && page.origin !== request.origin) return undefined;
  // The page of a form that was sent without JavaScript shows its result.
  return target.variant === "document" && mayCarryResult(request.incoming) ? undefined : page;
}

type Variant = "document" | "data";

/** Sends a page that the build has made, where the application has no request hook. Nothing of the page is loaded. */
export function sendPrerendered(
  site: Site,
  page: PrerenderedPage,
  { request, variant, exchange }: { request: PageRequest; variant: Variant; exchange: Exchange },
): void {
  if (hasCookies(request)) page.send(variant, exchange, writeHeaders(site, page, request, variant));
  else page.send(variant, exchange, constantHeadersOf(site, page, request, variant), true);
}

/** For the next request to the same address. */
export function knownPrerendered(
  site: Site,
  page: PrerenderedPage,
  { request, variant, route }: { request: PageRequest; variant: Variant; route: string },
): KnownAnswer {
  const headers = constantHeadersOf(site, page, request, variant);
  return {
    route,
    send: (exchange) => {
      const { incoming } = exchange;
      if (incoming.method !== "GET" && incoming.method !== "HEAD") return false;
      if (variant === "document" && mayCarryResult(incoming)) return false;
      page.send(variant, exchange, headers, true);
      return true;
    },
  };
}

function constantHeadersOf(
  site: Site,
  page: PrerenderedPage,
  request: PageRequest,
  variant: Variant,
): readonly string[] {
  return heads.get(page, kindOf(site, request, variant), () => writeHeaders(site, page, request, variant));
}

function writeHeaders(site: Site, page: PrerenderedPage, request: PageRequest, variant: Variant): string[] {
  return headersOf(site, page, { request, variant, base: configuredHeaders(site, request), isForAll: true });
}

const heads = new ConstantHeads();

function hasCookies(request: PageRequest): boolean {
  return request.cookiesToSend().length > 0;
}

/** The page has one path and one language. */
function kindOf({ policy }: Site, { origin, language }: PageRequest, variant: Variant): string {
  return `${variant} ${hstsFor(policy, origin).length} ${language?.varies === true}`;
}

/** The same after the request hook: it may have changed headers and set cookies. */
export function sendAdmitted(visit: Visit, page: PrerenderedPage, variant: Variant): MaybePromise<void> {
  const { site, request, exchange } = visit;
  request.sealCookies();
  request.sealResponse();
  const isHashed = variant === "document";
  return chain(leaveWith(visit, { kind: variant, status: 200, replaceable: "none", isHashed }), () => {
    const base = visit.baseHeaders();
    page.send(variant, exchange, headersOf(site, page, { request, variant, base, last: visit.last, isForAll: false }));
  });
}

interface HeadersFor {
  request: PageRequest;
  variant: Variant;
  base: readonly string[];
  /** What response hooks changed. */
  last?: ChangedHeaders | undefined;
  /** Whether no hook decides who may see the page. */
  isForAll: boolean;
}

function headersOf(
  site: Site,
  { scripts, cache }: PrerenderedPage,
  { request, variant, base, last, isForAll }: HeadersFor,
): string[] {
  const headers = variant === "document" ? withHashPolicy({ site, request, last }, base, scripts) : [...base];
  const cookies = request.cookiesToSend();
  const type = variant === "document" ? "text/html; charset=utf-8" : pageDataType;
  headers.push("Content-Type", type, ...hstsFor(site.policy, request.origin));
  addVary(headers, "Accept-Encoding");
  if (variant === "document" && request.language?.varies) addVary(headers, languageVaries);
  const own = variant === "document" ? cache : undefined;
  if (cookies.length > 0) headers.push(...noStore);
  else headers.push("Cache-Control", own ?? (isForAll ? checkedEachTime : privately));
  return withCookies(headers, cookies);
}

const checkedEachTime = "public, max-age=0, must-revalidate";
/** The hook may answer the next visitor differently. */
const privately = "private, no-cache";
