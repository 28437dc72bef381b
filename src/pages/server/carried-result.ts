import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import * as pageErrors from "../errors.ts";
import { readTagged } from "../tagged-json.ts";
import type { FormOutcome } from "../view.ts";
import { Cookies } from "./cookies.ts";
import type { WrittenForm } from "./decision.ts";
import type { Visit } from "./visit.ts";

/**
 * Without scripts a form that succeeded leads back to its page by a redirect, and what its action returned would be forgotten on the way. A cookie takes
 * it along: sealed, so that nobody reads or writes it, for this page and this visitor, and told once.
 */
const cookie = "holdfast-result";
/** The redirect is followed at once; whoever comes later has no use for it. */
const keptSeconds = 60;
/** A page with a longer path, or with the one mark that ends an attribute in it, has its cookie sent with every page instead. It is sealed for its own. */
const plainPath = /^[^;]{1,1000}$/;
const ivBytes = 12;
const tagBytes = 16;

/** Before the redirect. What is too large for a cookie stays behind, and its author is told. */
export function carryResult(visit: Visit, { form, text }: WrittenForm): void {
  if (form.outcome.kind !== "done" || form.outcome.result === undefined) return;
  const { request, site } = visit;
  const bytes = Buffer.byteLength(text);
  if (bytes > site.limits.resultBytes) {
    const route = visit.route.id ?? request.path;
    const tooLarge = pageErrors.resultTooLarge(form.slot, route, bytes, site.limits.resultBytes);
    visit.errors.record(tooLarge, "action", { visitorSaw: "page" });
    return;
  }
  const until = Date.now() + keptSeconds * 1000;
  const sealed = seal(`${until} ${text}`, site.sealKey, meantFor(request.path, request.cookies));
  request.setOwnCookie(cookie, sealed, { maxAge: keptSeconds, path: cookiePath(request.path) });
}

/** On the document that follows: what was brought along for it, if anything was. */
export function carriedResult(visit: Visit): WrittenForm | undefined {
  const { request, site } = visit;
  const { cookie: header } = request.incoming.headers;
  if (!header?.includes(cookie) || visit.variant !== "document" || request.method !== "GET") return undefined;
  // As the browser sent them: the hook may have changed the visitor's session since.
  const sent = new Cookies(header);
  const opened = unseal(sent.get(cookie) ?? "", site.sealKey, meantFor(request.path, sent));
  if (opened === undefined) return undefined;
  const space = opened.indexOf(" ");
  if (Number(opened.slice(0, space)) < Date.now()) return undefined;
  const text = opened.slice(space + 1);
  // Sealed here, and with it its shape.
  return { form: readTagged(text) as FormOutcome, text };
}

/** Once the page that shows it is there, so that a reload does not tell it again. A page that could not be loaded has told nothing. */
export function dropResult({ request }: Visit): void {
  request.setOwnCookie(cookie, "", { maxAge: 0, path: cookiePath(request.path) });
}

function cookiePath(path: string): string {
  return plainPath.test(path) ? path : "/";
}

/** What was made for one page or one visitor is worth nothing at another. The number is that of the shape of what is inside. */
function meantFor(path: string, cookies: Cookies): Buffer {
  return Buffer.from(`2 ${cookies.sessionTag()} ${path}`);
}

function seal(text: string, key: Uint8Array, meant: Buffer): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(meant);
  const body = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url");
}

function unseal(sealed: string, key: Uint8Array, meant: Buffer): string | undefined {
  const bytes = Buffer.from(sealed, "base64url");
  if (bytes.length <= ivBytes + tagBytes) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, ivBytes))
    .setAAD(meant)
    .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
  try {
    return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, "utf8") + decipher.final("utf8");
  } catch {
    // Written by somebody else, for another page, or for another visitor.
    return undefined;
  }
}
