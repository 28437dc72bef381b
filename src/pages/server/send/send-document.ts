import { createHash } from "node:crypto";
import { addVary, beginStream, noStore, type Sink, send, sendEncoded } from "#http";
import { isCrawler } from "../../crawlers.ts";
import type { View } from "../../view.ts";
import { isPublic } from "../cache/cdn-headers.ts";
import { edgeHeaders } from "../cache/edge-headers.ts";
import type { SharedDecision } from "../cache/shared-page.ts";
import type { Decision } from "../decision.ts";
import { languageVaries } from "../languages/redirect-to-language.ts";
import { leaveWith } from "../leave.ts";
import type { LoadedRoute } from "../load-route.ts";
import { chain, type MaybePromise } from "../maybe-promise.ts";
import { viewAfterFailure } from "../problems/problems.ts";
import {
  lateScript,
  type Rendered,
  type RenderOptions,
  type RenderStream,
  renderDocument,
} from "../render-document.ts";
import type { Site } from "../site.ts";
import type { Visit } from "../visit.ts";
import { withPolicy } from "./document-policy.ts";
import { newNonce } from "./security-headers.ts";
import { lateOf, partingOf } from "./send-page-data.ts";
import { sendRedirectOf } from "./send-redirect.ts";
import { timingOf } from "./server-timing.ts";
import { type LinkedVisit, policyOf, scriptHash, withHashPolicy } from "./site-policy.ts";
import { escapeHtml, lastResortPage, lateStyle } from "./static-pages.ts";

/** Sends a decision as a document. Always ends with a page: the view, an error page further out, or the last resort. */
export function sendDocument(visit: Visit, decision: Decision): MaybePromise<void> {
  visit.request.sealResponse();
  if (decision.kind === "redirect") return sendRedirectOf(visit, decision);
  const nonce = mayBeCached(decision) ? "" : newNonce();
  return sendShown(visit, decision, { nonce, whole: nonce === "" || wantsWhole(visit) });
}

function sendShown(visit: Visit, shown: ShownView, options: RenderOptions): MaybePromise<void> {
  const rendering = visit.signals.step("render", shown.route.pattern ?? "not-found", () =>
    renderDocument(visit, shown, options),
  );
  return chain(rendering, (rendered) => {
    if (rendered.kind !== "failed") return sendRendered(visit, shown, rendered, options.nonce);
    const next = viewAfterFailure(shown, rendered.digest);
    return next ? sendShown(visit, next, options) : sendLastResort(visit, shown.view, rendered.digest);
  });
}

export type ShownView = Extract<Decision, { kind: "view" }>;

export type RenderedView = Exclude<Rendered, { kind: "failed" }>;

function sendRendered(visit: Visit, shown: ShownView, rendered: RenderedView, nonce: string): MaybePromise<void> {
  return chain<unknown, void>(visit.durable, () => {
    if (!visit.exchange.response.destroyed)
      return chain(leaveRendered(visit, shown.view, rendered, nonce), (status) =>
        nonce === ""
          ? sendCacheable(visit, shown, rendered, status)
          : sendWithNonce(visit, shown, rendered, { status, nonce }),
      );
    if (rendered.kind === "streaming") rendered.stream.abort();
  });
}

function sendWithNonce(
  visit: Visit,
  shown: ShownView,
  rendered: RenderedView,
  { status, nonce }: { status: number; nonce: string },
): MaybePromise<void> {
  const { site, exchange } = visit;
  const head = writeHead(visit, shown, nonce);
  const headers = documentHeaders(visit, { nonce, digest: digestOf(shown.view) });
  headers.push(...timingOf(visit));
  if (rendered.kind === "streaming") return sendStream(visit, shown, rendered.stream, { status, headers, head, nonce });
  const { start, rest } = rendered;
  site.large.note(shown.route, start.length + rest.length);
  const body = start + head + rest + receivedNotice(visit);
  return send(exchange, { status, headers, body });
}

/** The error pages of a failure keep their status. A failed hook ends the rendering. */
function leaveRendered(visit: Visit, view: View, rendered: RenderedView, nonce: string): MaybePromise<number> {
  const leaving = leaveWith(visit, { kind: "document", ...partingOf(view), isHashed: nonce === "" });
  if (!(leaving instanceof Promise)) return leaving;
  return leaving.catch((thrown: unknown) => {
    if (rendered.kind === "streaming") rendered.stream.abort();
    throw thrown;
  });
}

/**
 * Sends a page that may be cached for other visitors: complete, with an ETag, its scripts allowed by their hashes. It
 * contains nothing of this request; if a cookie was set or something failed, it is not cached after all.
 */
async function sendCacheable(visit: Visit, shown: ShownView, rendered: RenderedView, status: number): Promise<void> {
  const { incoming, response } = visit.exchange;
  const { html, scripts, entityTag } = await wholeDocumentOf(visit, shown, rendered);
  const mayBeKept = status === 200 && visit.errors.isEmpty && visit.request.cookiesToSend().length === 0;
  const keep = mayBeKept && shown.route.cache !== undefined ? ["Cache-Control", shown.route.cache] : noStore;
  const headers = documentHeaders(visit, { scripts, keep, digest: digestOf(shown.view) });
  headers.push("ETag", entityTag);
  if (!matchesTag(incoming.headers["if-none-match"], entityTag))
    return send(visit.exchange, { status, headers, body: html });
  addVary(headers, "Accept-Encoding");
  response.writeHead(304, headers).end();
}

/**
 * Sends a page for all visitors, with the headers of this response. The browser may keep it and asks each time whether
 * it has changed; a CDN may have it for some time.
 */
export function sendSharedDocument(visit: Visit, { page }: SharedDecision): MaybePromise<void> {
  visit.request.sealResponse();
  return chain(leaveWith(visit, { kind: "document", status: 200, replaceable: "any", isHashed: true }), (status) => {
    const { incoming, response } = visit.exchange;
    const keep = edgeHeaders(visit, status);
    const headers = documentHeaders(visit, { scripts: page.scripts, keep });
    headers.push("ETag", page.entityTag, ...timingOf(visit, isPublic(keep)));
    if (status !== 200 || !matchesTag(incoming.headers["if-none-match"], page.entityTag))
      return sendEncoded(visit.exchange, { status, headers, body: page.document });
    addVary(headers, "Accept-Encoding");
    response.writeHead(304, headers).end();
  });
}

/** A complete document without a nonce. */
export interface WholeDocument {
  html: string;
  /** Hashes of its scripts, for its policy. */
  scripts: string;
  /** The lines of its late values. */
  late: readonly string[];
  /** Weak: the same page in any encoding. */
  entityTag: string;
}

/** Waits for everything that a document contains. */
export async function wholeDocumentOf(visit: Visit, shown: ShownView, rendered: RenderedView): Promise<WholeDocument> {
  const late: string[] = [];
  const head = writeHead(visit, shown, "");
  const html =
    rendered.kind === "whole" ? rendered.start + head + rendered.rest : withHead(await collect(rendered.stream), head);
  await visit.late.each(lateOf(shown), (line) => late.push(line));
  const codes = late.map(lateScript);
  const complete = html + codes.map((code) => `<script>${code}</script>`).join("");
  visit.site.large.note(shown.route, complete.length);
  const scripts = [policyOf(visit.site).boot, ...codes.map(scriptHash)].join(" ");
  const entityTag = `W/"${createHash("sha256").update(complete).digest("base64url").slice(0, 27)}"`;
  return { html: complete, scripts, late, entityTag };
}

export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((one) => one.trim() === tag || one.trim() === "*");
}

/**
 * Writes React's output as it arrives, with late values in between, and pauses while an error is being made durable.
 */
async function sendStream(
  visit: Visit,
  shown: ShownView,
  stream: RenderStream,
  { status, headers, head, nonce }: { status: number; headers: string[]; head: string; nonce: string },
): Promise<void> {
  const { response } = visit.exchange;
  const sink = beginStream(visit.exchange, { status, headers });
  response.once("close", stream.abort);
  const { promise: reactEnded, resolve: endReact } = Promise.withResolvers<void>();
  let held: string[] = [];
  let first = true;
  let queue: Promise<unknown> = Promise.resolve();
  const inTurn = (text: string): void => {
    queue = queue.then(() => visit.durable).then(() => push(sink, text));
  };
  const release = (): void => {
    const text = held.join("");
    held = [];
    if (text === "") return;
    inTurn(first ? withHead(text, `${head}<noscript><style>${lateStyle}</style></noscript>`) : text);
    first = false;
  };
  stream.pipe({
    write: (chunk) => held.push(typeof chunk === "string" ? chunk : decoder.decode(chunk)),
    flushed: release,
    ended: () => {
      release();
      endReact();
    },
  });
  const sendLate = (line: string): void => inTurn(`<script nonce="${nonce}">${lateScript(line)}</script>`);
  await Promise.all([reactEnded, visit.late.each(lateOf(shown), sendLate)]);
  if (stream.failures.length > 0) inTurn(noticeOf(visit, stream.failures));
  if (visit.hasUnshownResult) inTurn(receivedNotice(visit));
  await queue;
  response.off("close", stream.abort);
  sink.end();
}

/**
 * The browser's scripts show a part again that failed after the shell. Visitors without JavaScript get a notice at the
 * end of the page.
 */
function noticeOf({ texts }: Visit, digests: readonly (string | undefined)[]): string {
  const known = digests.filter((digest) => digest !== undefined);
  const shown =
    known.length > 0
      ? ` ${escapeHtml(texts.digest)}: <code>${known.map(escapeHtml).join("</code>, <code>")}</code>`
      : "";
  return `<noscript><p role="alert">${escapeHtml(texts.partMissing)}${shown}</p></noscript>`;
}

/** Without this notice, a visitor whose form succeeded would only see an error, and send the form again. */
function receivedNotice({ hasUnshownResult, texts }: Visit): string {
  if (!hasUnshownResult) return "";
  return `<noscript><p role="status">${escapeHtml(texts.received)}</p></noscript>`;
}

const decoder = new TextDecoder();

function push(sink: Sink, text: string): void {
  sink.write(text);
  sink.flush();
}

function collect(stream: RenderStream): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let html = "";
  stream.pipe({
    write: (chunk) => {
      html += typeof chunk === "string" ? chunk : decoder.decode(chunk);
    },
    flushed: () => undefined,
    ended: () => resolve(html),
  });
  return promise;
}

/** Crawlers and clients that do not accept HTML run no scripts: they get the complete document. */
function wantsWhole(visit: Visit): boolean {
  const { accept, "user-agent": agent = "" } = visit.request.incoming.headers;
  if (accept !== undefined && !accept.includes("text/html")) return true;
  return isCrawler(agent);
}

function mayBeCached({ view, route }: ShownView): boolean {
  return route.cache !== undefined && view.kind === "page" && view.status === 200 && view.form === undefined;
}

/**
 * Under a policy with a nonce, browsers request a script before they have parsed the document only if it has that. A
 * page for many visitors is complete without its code, which leaves a slow line to styles and fonts: Lighthouse's
 * telephone paints a page of the tour 0.2 to 0.5 s earlier than where all have the same priority.
 */
function writeHead(visit: Visit, { view, route }: ShownView, nonce: string): string {
  const how = nonce === "" ? ' fetchpriority="low"' : ` nonce="${nonce}"`;
  return headOf(visit.site, view, route).join(how) + preloadTexts(visit, how);
}

const heads = new WeakMap<LoadedRoute, readonly string[]>();

/** The constant part of the head of a route's documents, created once: the texts between which `how` belongs. */
function headOf(site: Site, view: View, route: LoadedRoute): readonly string[] {
  const known = heads.get(route);
  if (known !== undefined && view.kind === "page") return known;
  const { assets } = site.application.parts;
  const needed =
    view.kind === "page"
      ? [assets.routes[route.index]]
      : route.folders.slice(0, Math.max(view.boundary, 0) + 1).map((folder) => assets.folders[folder]);
  const styles = new Set([...assets.styles, ...needed.flatMap((one) => one?.styles ?? [])]);
  const modules = new Set([assets.entry, ...assets.entryImports, ...needed.flatMap((one) => one?.modules ?? [])]);
  // The boot script looks whether the styles of another origin have arrived.
  const readable = assets.prefix === undefined ? "" : " crossorigin";
  const head = [
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    // Before the script, which the parser runs first: the requests do not wait for it. No code runs by these elements.
    ...[...modules].map((module) => `<link rel="modulepreload" href="${escapeHtml(module)}"${howAt}>`),
    site.headStart && `<script>${site.headStart}</script>`,
    ...[...styles].map((style) => `<link rel="stylesheet"${readable} href="${escapeHtml(style)}">`),
  ]
    .join("")
    .split(howAt);
  // In development a page may get other styles.
  if (view.kind === "page" && !site.development) heads.set(route, head);
  return head;
}

/** No text of the head has a control character. */
const howAt = "\u0000";

/** The texts of the framework are loaded with the page's code. */
function preloadTexts({ request: { language }, site }: Visit, how: string): string {
  const file = language && site.application.parts.assets.texts?.[language.lang];
  return file ? `<link rel="modulepreload" href="${escapeHtml(file)}"${how}>` : "";
}

/** React's own head elements (title, meta) come after ours. */
function withHead(html: string, head: string): string {
  const at = html.indexOf("<head>");
  if (at < 0) return html;
  return html.slice(0, at + 6) + head + html.slice(at + 6);
}

export interface DocumentHeaders {
  /** Hashes of the scripts that the Content Security Policy allows, where the document may be cached. */
  scripts?: string;
  /** Else the nonce of scripts and styles. */
  nonce?: string;
  /** `Cache-Control` and what belongs to it; none may keep it by default. */
  keep?: readonly string[];
  digest?: string | undefined;
}

/** What the headers of a document depend on, beside the document. */
export type DocumentVisit = LinkedVisit & Pick<Visit, "baseHeaders" | "headersToSend">;

export function documentHeaders(visit: DocumentVisit, own: DocumentHeaders): string[] {
  const { nonce, scripts, keep = noStore, digest } = own;
  const { write, headStart } = policyOf(visit.site);
  const headers =
    scripts === undefined
      ? withPolicy(visit.baseHeaders(), write(`'nonce-${nonce}'${headStart}`, nonce))
      : withHashPolicy(visit, visit.baseHeaders(), scripts);
  headers.push("Content-Type", "text/html; charset=utf-8");
  headers.push(...keep);
  if (visit.request.language?.varies) addVary(headers, languageVaries);
  headers.push(...visit.headersToSend());
  if (digest !== undefined) headers.push("X-Digest", digest);
  return headers;
}

/** The digest of the page, or of its failed form. */
function digestOf(view: View): string | undefined {
  const ofForm = view.form?.outcome.kind === "failed" ? view.form.outcome.digest : undefined;
  return view.digest ?? ofForm;
}

/** `ofPage` is the digest of the error that prevented the page. Of two errors the visitor sees the first. */
export async function sendLastResort(visit: Visit, view: View, ofPage?: string): Promise<void> {
  await visit.durable;
  const known = view.kind === "page" ? 500 : view.status;
  const parting = { kind: "document", status: known, replaceable: "none", isSentAnyway: true } as const;
  const status = await leaveWith(visit, parting);
  await visit.durable;
  const digest = digestOf(view) ?? ofPage;
  const { texts, site, request } = visit;
  const language = site.languages?.staticIn(request.incoming, request.origin);
  const { hasAnswers } = site;
  const noPage = texts.noPageAt.replace("{path}", () => shortened(request.path));
  const body =
    view.kind === "not-found"
      ? lastResortPage({ title: texts.pageNotFound, text: noPage, digest, hasAnswers, language })
      : lastResortPage({ title: texts.applicationError, text: texts.serverException, digest, hasAnswers, language });
  const headers = documentHeaders(visit, { nonce: newNonce(), digest });
  await send(visit.exchange, { status, headers, body });
}

/** The page of last resort stays under 2 KiB for addresses of any length. */
function shortened(path: string): string {
  return path.length > 200 ? `${path.slice(0, 200)}…` : path;
}
