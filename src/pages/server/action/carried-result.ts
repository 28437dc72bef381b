import * as pageErrors from "../../errors.ts";
import { readTagged } from "../../tagged-json.ts";
import type { FormOutcome } from "../../view.ts";
import { Cookies } from "../author/cookies.ts";
import type { WrittenForm } from "../decision.ts";
import type { Visit } from "../visit.ts";
import { seal, unseal } from "../visitor/sealed.ts";
import { isStamped } from "../visitor/visitor.ts";

/**
 * Without scripts a form that succeeded leads back to its page by a redirect, and what its action returned would be
 * forgotten on the way. A cookie takes it along: sealed against reading and writing, for this page and this visitor,
 * and shown once.
 */
const cookie = "holdfast-result";
/** The redirect is followed at once; later the result is of no use. */
const keptSeconds = 60;
/**
 * A page with a longer path, or with the one mark that ends an attribute in it, has its cookie sent with every page
 * instead. It is sealed for its own.
 */
const plainPath = /^[^;]{1,1000}$/;

/** Before the redirect. What is too large for a cookie is dropped, and the error log says so. */
export function carryResult(visit: Visit, { form, text }: WrittenForm): void {
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
  const sealed = seal(`${until}\n${visit.stampNow()}\n${text}`, site.sealKey, meantFor(request.path));
  request.setOwnCookie(cookie, sealed.toString("base64url"), { maxAge: keptSeconds, path: cookiePath(request.path) });
}

/** On the document that follows: what was brought along for it, if anything was. */
export function carriedResult(visit: Visit): WrittenForm | undefined {
  const { request, site } = visit;
  const { cookie: header } = request.incoming.headers;
  if (!header?.includes(cookie) || visit.variant !== "document" || request.method !== "GET") return undefined;
  // As the browser sent them: the hook may have changed the visitor's session since.
  const sent = new Cookies(header);
  const opened = unseal(Buffer.from(sent.get(cookie) ?? "", "base64url"), site.sealKey, meantFor(request.path));
  if (opened === undefined) return undefined;
  // Sealed here, and with it its shape: none of the three has a line break.
  const [until = "", visitor = "", text = ""] = opened.split("\n");
  if (Number(until) < Date.now() || !isStamped(visitor, sent, undefined, site.sealKey)) return undefined;
  return { form: readTagged(text) as FormOutcome, text };
}

/** Removed once the page that shows it is ready, so that a reload does not show it again. A failed page keeps it. */
export function dropResult({ request }: Visit): void {
  request.setOwnCookie(cookie, "", { maxAge: 0, path: cookiePath(request.path) });
}

function cookiePath(path: string): string {
  return plainPath.test(path) ? path : "/";
}

/** What was made for one page is worth nothing at another. The number is that of the shape of what is inside. */
function meantFor(path: string): Buffer {
  return Buffer.from(`3 ${path}`);
}
