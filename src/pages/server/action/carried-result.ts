import type { IncomingMessage } from "node:http";
import * as pageErrors from "../../errors.ts";
import { readTagged } from "../../tagged-json.ts";
import type { FormOutcome } from "../../view.ts";
import { Cookies } from "../author/cookies.ts";
import type { WrittenForm } from "../decision.ts";
import type { Visit } from "../visit.ts";
import { seal, unseal } from "../visitor/sealed.ts";
import { isStamped } from "../visitor/visitor.ts";

/**
 * Without scripts a successful form redirects back to its page, and the action's result would be lost. This cookie
 * carries it: sealed against reading and writing, bound to this page and this visitor, and shown once.
 */
const cookie = "holdfast-result";
/** The browser follows the redirect at once; later the result is useless. */
const keptSeconds = 60;
/**
 * For a longer path, or one with the `;` that ends an attribute, the cookie gets the path `/` instead. Its seal still
 * binds it to its own page.
 */
const plainPath = /^[^;]{1,1000}$/;

/**
 * Sets the cookie before the redirect to the page at `path`. A result that is too large for a cookie is dropped and
 * recorded as an error.
 */
export function carryResult(visit: Visit, { form, text }: WrittenForm, path: string): void {
  if (form.outcome.kind !== "done") return;
  const { request, site } = visit;
  const bytes = Buffer.byteLength(text);
  if (bytes > site.limits.resultBytes) {
    const route = visit.route.id ?? request.path;
    const tooLarge = pageErrors.resultTooLarge(form.slot, route, bytes, site.limits.resultBytes);
    visit.errors.record(tooLarge, "action", { visitorSaw: "page" });
    return;
  }
  const until = Date.now() + keptSeconds * 1000;
  const sealed = seal(`${until}\n${visit.stampNow()}\n${text}`, site.sealKey, meantFor(path));
  request.setOwnCookie(cookie, sealed.toString("base64url"), { maxAge: keptSeconds, path: cookiePath(path) });
}

/** Whether a request may carry a result, which its page shows. */
export function mayCarryResult({ headers }: IncomingMessage): boolean {
  return headers.cookie?.includes(cookie) ?? false;
}

/** Reads the result in the document that follows the redirect, if there is one. */
export function carriedResult(visit: Visit): WrittenForm | undefined {
  const { request, site } = visit;
  const { cookie: header } = request.incoming.headers;
  if (!header?.includes(cookie) || visit.variant !== "document" || request.method !== "GET") return undefined;
  // The cookies as the browser sent them: the hook may have changed the visitor's session since.
  const sent = new Cookies(header);
  const opened = unseal(Buffer.from(sent.get(cookie) ?? "", "base64url"), site.sealKey, meantFor(request.path));
  if (opened === undefined) return undefined;
  // Sealed by this code, so its shape is certain: none of the three contains a line break.
  const [until = "", visitor = "", text = ""] = opened.split("\n");
  if (Number(until) < Date.now() || !isStamped(visitor, sent, undefined, site.sealKey)) return undefined;
  return { form: readTagged(text) as FormOutcome, text };
}

/**
 * Removes the cookie once the page that shows the result is ready, so that a reload does not show it again. If the page
 * fails, the cookie stays.
 */
export function dropResult({ request }: Visit): void {
  request.setOwnCookie(cookie, "", { maxAge: 0, path: cookiePath(request.path) });
}

function cookiePath(path: string): string {
  return plainPath.test(path) ? path : "/";
}

/** Binds the seal to one page. The number is the version of the sealed format. */
function meantFor(path: string): Buffer {
  return Buffer.from(`3 ${path}`);
}
