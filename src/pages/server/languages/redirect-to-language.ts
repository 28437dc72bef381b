import { constantHeaders, type Exchange, sendRedirect } from "#http";
import { redirectData } from "../answer-rule.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import type { PageTarget } from "../read-target.ts";
import { hstsFor } from "../send/security-headers.ts";
import type { Site } from "../site.ts";
import type { LanguageOfRequest } from "./site-languages.ts";

/** What the response depends on, for caches. */
export const languageVaries = "Accept-Language, Cookie";

/** Leads to the same page in another language, or in its one spelling. */
export function redirectToLanguage(
  site: Site,
  exchange: Exchange,
  target: PageTarget,
  { to, status, varies }: Extract<LanguageOfRequest, { kind: "redirect" }>,
): MaybePromise<void> {
  if (target.variant === "data") return redirectData(site, exchange, target, to);
  const { incoming, response } = exchange;
  const headers = [...constantHeaders, ...hstsFor(site.policy, site.originOf(incoming))];
  if (varies) headers.push("Vary", languageVaries);
  sendRedirect(response, { to, status, headers });
}
