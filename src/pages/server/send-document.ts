import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { constantHeaders } from "../constant-headers.ts";
import type { View } from "../view.ts";
import type { LoadedRoute } from "./application.ts";
import type { Decision, Visit } from "./decide-page.ts";
import { bootScript, lateScript, type Rendered, renderDocument } from "./render-document.ts";
import { createCspWriter, newNonce, sha256, type WriteCsp } from "./security-headers.ts";
import { beginStream, type Sink, sendWhole } from "./send.ts";
import type { Site } from "./site.ts";
import { escapeHtml, lastResortPage } from "./static-pages.ts";

/** Sends a decision as a document. Ends in a page in every case: the view, an error page further out, or the last resort. */
export async function sendDocument(visit: Visit, response: ServerResponse, decision: Decision): Promise<void> {
  if (decision.kind === "redirect") return sendRedirect(visit, response, decision);
  const nonce = mayBeCached(decision.route, decision.view) ? "" : newNonce();
  const whole = nonce === "" || wantsWhole(visit);
  let { view } = decision;
  for (;;) {
    const rendered = await visit.signals.step("render", decision.route.id ?? "not-found", () =>
      renderDocument(visit, view, decision.route, { nonce, whole }),
    );
    if (rendered.kind !== "failed") return send(visit, response, view, decision.route, rendered, nonce);
    const next = viewAfter(visit, view, decision.route, rendered.thrown);
    if (!next) return sendLastResort(visit, response, view);
    view = next;
  }
}

/**
 * What is shown when a view cannot be rendered. React does not say which component threw, so the nearest `_error` is tried first, then those
 * further out, then the built-in page without any layout; nothing when that was it.
 */
function viewAfter(visit: Visit, view: View, route: LoadedRoute, thrown: unknown): View | undefined {
  const during = view.kind === "page" ? "render" : view.kind === "error" ? "error-page" : "not-found-page";
  const recorded = visit.errors.record(thrown, during, {
    visitorSaw: view.kind === "page" ? "error-page" : "last-resort",
  });
  // A not-found page that throws stays a 404; the static page stands in for it.
  if (view.kind === "not-found") return undefined;
  let boundary = (view.kind === "page" ? route.files.length : view.boundary) - 1;
  if (boundary < -1) return undefined;
  while (boundary >= 0 && !route.files[boundary]?.error) boundary--;
  const digest = (view.kind === "error" ? view.digest : undefined) ?? recorded;
  const status = view.kind === "error" ? view.status : 500;
  const data = view.data.slice(0, boundary + 1);
  return {
    kind: "error",
    status,
    side: "server",
    route: view.route,
    params: view.params,
    folders: view.folders,
    data,
    boundary,
    digest,
  };
}

async function send(
  visit: Visit,
  response: ServerResponse,
  view: View,
  route: LoadedRoute,
  rendered: Exclude<Rendered, { kind: "failed" }>,
  nonce: string,
): Promise<void> {
  await visit.errors.durable;
  if (response.destroyed) return rendered.kind === "begun" ? rendered.abort() : undefined;
  const head = headOf(visit.site, view, route);
  const headers = headersOf(visit, view, route, nonce);
  if (rendered.kind === "whole")
    return sendText(visit, response, view, headers, withHead(rendered.html, head), nonce === "");
  if (nonce === "") {
    const html = await collect(rendered);
    return sendText(visit, response, view, headers, withHead(html, head), true);
  }
  return sendStream(visit, response, view, rendered, headers, head, nonce);
}

async function sendText(
  visit: Visit,
  response: ServerResponse,
  view: View,
  headers: string[],
  html: string,
  tagged: boolean,
): Promise<void> {
  const { incoming } = visit.request;
  if (!tagged) return sendWhole(response, incoming, view.status, headers, html);
  const tag = `"${createHash("sha256").update(html).digest("base64url").slice(0, 27)}"`;
  headers.push("ETag", tag);
  if (matchesTag(incoming.headers["if-none-match"], tag)) {
    response.writeHead(304, headers).end();
    return;
  }
  return sendWhole(response, incoming, view.status, headers, html);
}

function matchesTag(header: string | undefined, tag: string): boolean {
  return (header ?? "").split(",").some((one) => one.trim().replace(/^W\//, "") === tag);
}

/** Writes what React gives as it gives it, late values in between, and holds everything back while an error is being made durable. */
async function sendStream(
  visit: Visit,
  response: ServerResponse,
  view: View,
  rendered: Extract<Rendered, { kind: "begun" }>,
  headers: string[],
  head: string,
  nonce: string,
): Promise<void> {
  const sink = beginStream(response, visit.request.incoming, view.status, headers);
  response.once("close", rendered.abort);
  const { promise: reactEnded, resolve: endReact } = Promise.withResolvers<void>();
  let held: string[] = [];
  let first = true;
  let queue: Promise<unknown> = Promise.resolve();
  const release = (): void => {
    const text = held.join("");
    held = [];
    const inOrder = first ? withHead(text, head) : text;
    if (text === "") return;
    first = false;
    queue = queue.then(() => visit.errors.durable).then(() => push(sink, inOrder));
  };
  rendered.pipe({
    write: (chunk) => held.push(typeof chunk === "string" ? chunk : decoder.decode(chunk)),
    flushed: release,
    ended: () => {
      release();
      endReact();
    },
  });
  await Promise.all([
    reactEnded,
    rendered.late.each(async (line) => {
      queue = queue.then(() => push(sink, lateScript(line, nonce)));
      await queue;
    }),
  ]);
  await queue;
  response.off("close", rendered.abort);
  sink.end();
}

const decoder = new TextDecoder();

function push(sink: Sink, text: string): void {
  sink.write(text);
  sink.flush();
}

function collect(rendered: Extract<Rendered, { kind: "begun" }>): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let html = "";
  rendered.pipe({
    write: (chunk) => {
      html += typeof chunk === "string" ? chunk : decoder.decode(chunk);
    },
    flushed: () => undefined,
    ended: () => resolve(html),
  });
  return promise;
}

/** Crawlers and clients that did not ask for HTML do not run scripts: they get everything in its place. */
function wantsWhole(visit: Visit): boolean {
  const { accept, "user-agent": agent = "" } = visit.request.incoming.headers;
  if (accept !== undefined && !accept.includes("text/html")) return true;
  return crawler.test(agent);
}

const crawler = /bot|crawl|spider|slurp|facebookexternalhit|embedly|preview|whatsapp|telegram|lighthouse/i;

function mayBeCached(route: LoadedRoute, view: View): boolean {
  return route.cache !== undefined && view.kind === "page" && view.status === 200 && view.form === undefined;
}

const heads = new WeakMap<LoadedRoute, string>();

/** What the head of a route's documents always has: made once. */
function headOf(site: Site, view: View, route: LoadedRoute): string {
  const known = heads.get(route);
  if (known !== undefined && view.kind === "page") return known;
  const { assets } = site.application.parts;
  const needed =
    view.kind === "page" ? assets.routes[route.index] : assets.folders[route.folders[Math.max(view.boundary, 0)] ?? 0];
  const styles = new Set([...assets.styles, ...(needed?.styles ?? [])]);
  const modules = new Set([assets.entry, ...assets.entryImports, ...(needed?.modules ?? [])]);
  const head = [
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    site.headStart,
    ...[...styles].map((style) => `<link rel="stylesheet" href="${escapeHtml(style)}">`),
    ...[...modules].map((module) => `<link rel="modulepreload" href="${escapeHtml(module)}">`),
  ].join("");
  if (view.kind === "page") heads.set(route, head);
  return head;
}

/** React's own head elements (title, meta) come after ours. */
function withHead(html: string, head: string): string {
  const at = html.indexOf("<head>");
  if (at < 0) return html;
  return html.slice(0, at + 6) + head + html.slice(at + 6);
}

const writers = new WeakMap<Site, { nonced: WriteCsp; boot: string }>();

function cspOf(site: Site, nonce: string): string {
  let writer = writers.get(site);
  if (!writer) {
    writer = {
      nonced: createCspWriter(site.policy),
      boot: `'sha256-${sha256(bootScript(site.application.parts.assets.entry))}'`,
    };
    writers.set(site, writer);
  }
  return writer.nonced(nonce === "" ? writer.boot : `'nonce-${nonce}'`);
}

function headersOf(visit: Visit, view: View, route: LoadedRoute, nonce: string): string[] {
  const cache = nonce === "" && route.cache !== undefined ? route.cache : "private, no-store";
  const headers = [
    ...constantHeaders,
    "Content-Type",
    "text/html; charset=utf-8",
    "Cache-Control",
    cache,
    "Content-Security-Policy",
    cspOf(visit.site, nonce),
  ];
  if (visit.site.policy.hsts && visit.request.origin.startsWith("https:"))
    headers.push("Strict-Transport-Security", "max-age=31536000");
  for (const cookie of visit.request.cookiesToSend()) headers.push("Set-Cookie", cookie);
  // Never in cacheable HTML: the trace is of this one request.
  if (nonce !== "" && visit.signals.handOver) headers.push("Server-Timing", visit.signals.handOver);
  if (view.kind === "error" && view.digest !== undefined) headers.push("X-Digest", view.digest);
  return headers;
}

function sendRedirect(visit: Visit, response: ServerResponse, decision: Extract<Decision, { kind: "redirect" }>): void {
  const headers = [
    ...constantHeaders,
    "Location",
    toAscii(decision.to),
    "Cache-Control",
    "private, no-store",
    "Content-Length",
    "0",
  ];
  for (const cookie of visit.request.cookiesToSend()) headers.push("Set-Cookie", cookie);
  response.writeHead(decision.status, headers).end();
}

/** A location header holds ASCII only. What is encoded already stays as it is. */
function toAscii(address: string): string {
  return address.replace(/[^!-~]+/g, encodeURIComponent);
}

export async function sendLastResort(visit: Visit, response: ServerResponse, view: View): Promise<void> {
  await visit.errors.durable;
  const missing = view.kind === "not-found";
  const digest = view.kind === "error" ? view.digest : undefined;
  const html = missing
    ? lastResortPage("Page not found", `There is no page at ${visit.request.path}.`, undefined)
    : lastResortPage("Application error", "A server-side exception has occurred.", digest);
  await sendWhole(
    response,
    visit.request.incoming,
    missing ? 404 : view.status === 200 ? 500 : view.status,
    headersOf(visit, view, visit.route, newNonce()),
    html,
  );
}
