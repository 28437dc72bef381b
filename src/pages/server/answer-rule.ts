import { constantHeaders, type Exchange, noStore, send, sendRedirect, withChanges } from "#http";
import { type PresentLanguage, spellAddress } from "#routes";
import { browserLimits } from "../limits.ts";
import { type End, type Preamble, pageDataType } from "../page-data.ts";
import type { FoundRule } from "./application.ts";
import { chain, type MaybePromise } from "./maybe-promise.ts";
import { PageRequest } from "./page-request.ts";
import type { PageTarget } from "./read-target.ts";
import { hstsFor } from "./send/security-headers.ts";
import type { Site } from "./site.ts";

/** `present` is the language of the request, where the application has languages. */
export type RuledTarget = PageTarget & { present?: PresentLanguage | undefined };

/** A request whose path belongs to a line of `redirects` or `rewrites`. */
export type RuleAnswer =
  | { kind: "answered"; by: () => MaybePromise<void> }
  /** A route of the application answers, at the visitor's address. */
  | { kind: "route"; path: string };

/**
 * Decides what a line of the tables means for a request. No code of the application runs for a redirect, or where
 * another server answers.
 */
export function applyRule(site: Site, exchange: Exchange, target: RuledTarget, found: FoundRule): RuleAnswer {
  const { rule } = found;
  const { present } = target;
  const isOutside = rule.to.origin !== "";
  if (rule.kind === "rewrite" && isOutside) {
    const { forward } = site;
    if (target.kind !== "page" || target.variant !== "document" || !forward)
      return { kind: "answered", by: () => sendNoData(site, exchange) };
    const language = site.languages?.staticIn(exchange.incoming, site.originOf(exchange.incoming));
    return { kind: "answered", by: () => forward(exchange, { address: found.address(target.search), rule, language }) };
  }
  // A form that was sent from a page of the old address reaches the action of the new one.
  if (rule.kind === "rewrite" || (target.kind !== "page" && !isOutside)) return { kind: "route", path: found.path };
  const written = found.address(target.search);
  const address = site.application.parts.trailingSlash ? spellAddress(written) : written;
  const to = (present && site.languages?.addressOfRoute(address, present)) ?? address;
  if (target.variant === "data") return { kind: "answered", by: () => redirectData(site, exchange, target, to) };
  return { kind: "answered", by: () => redirectTo(site, exchange, to, rule.permanent) };
}

/** A mistake in the table does not stay in browsers and proxies for longer. */
const permanentSeconds = 3_600;

function redirectTo(site: Site, exchange: Exchange, to: string, permanent: boolean): void {
  const { incoming, response } = exchange;
  // With 301 and 302 browsers turn a post into a GET; old crawlers know no other status.
  const isRead = incoming.method === "GET" || incoming.method === "HEAD";
  const status = permanent ? (isRead ? 301 : 308) : isRead ? 302 : 307;
  const cache = permanent ? ["Cache-Control", `public, max-age=${permanentSeconds}`] : noStore;
  sendRedirect(response, { to, status, headers: headersFor(site, exchange), cache });
}

/**
 * A soft navigation follows the redirect as one of the application's own. Its preamble says who the visitor is; where
 * only the request hook knows that, the browser loads the document instead.
 */
export function redirectData(site: Site, exchange: Exchange, target: PageTarget, to: string): MaybePromise<void> {
  return chain(site.application.hook(), (hook) =>
    hook?.visitor ? sendNoData(site, exchange) : sendRedirectData(site, exchange, target, to),
  );
}

function sendRedirectData(site: Site, exchange: Exchange, target: PageTarget, to: string): Promise<void> | void {
  const { incoming, response } = exchange;
  const place = { ...target, origin: site.originOf(incoming), visitors: site.visitors, lang: site.lang };
  const preamble: Preamble = {
    build: site.application.parts.build,
    route: null,
    fresh: browserLimits.prefetchFreshMs,
    expires: browserLimits.prefetchExpiresMs,
    tag: new PageRequest(incoming, response, place).sessionTag(),
  };
  const lines = [preamble, { kind: "redirect", status: 302, to }, { kind: "end" } satisfies End];
  const headers = [...headersFor(site, exchange), "Content-Type", pageDataType, ...noStore];
  return send(exchange, { status: 200, headers, body: lines.map((line) => `${JSON.stringify(line)}\n`).join("") });
}

/** No page data, so that the browser loads the document. */
function sendNoData(site: Site, exchange: Exchange): Promise<void> | void {
  const headers = [...headersFor(site, exchange), "Content-Type", "text/plain; charset=utf-8", ...noStore];
  return send(exchange, { status: 200, headers, body: "This address has no page data.\n" });
}

function headersFor(site: Site, { incoming }: Exchange): string[] {
  const [path = "/"] = (incoming.url ?? "/").split("?", 1);
  const changes = site.headersFor?.(path);
  const base = changes ? withChanges(constantHeaders, changes) : constantHeaders;
  return [...base, ...hstsFor(site.policy, site.originOf(incoming))];
}
