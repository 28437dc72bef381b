import { randomBytes } from "node:crypto";
import { createElement, Fragment, type ReactElement } from "react";
import { renderToPipeableStream, renderToString } from "react-dom/server";
import * as pageErrors from "../errors.ts";
import { writeFailedPart } from "../failed-part.ts";
import { hydrationElementId, lateGlobal, pageDataType } from "../page-data.ts";
import type { Assets } from "../parts.ts";
import { BuiltInPage } from "../react/built-in-page.tsx";
import { PageTree } from "../react/index.ts";
import type { HtmlAttributes, View } from "../view.ts";
import { bootScript } from "./boot-script.ts";
import type { Decision } from "./decision.ts";
import { DocumentPage } from "./document-page.ts";
import type { LoadedRoute } from "./load-route.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import { visibilityOf } from "./problems/problems.ts";
import { lateOf, preambleOf, writeView } from "./send/send-page-data.ts";
import { escapeInlineJson } from "./send/static-pages.ts";
import type { Visit } from "./visit.ts";
import { writing } from "./write-elements.ts";

/** A document as React renders it. */
export type Rendered =
  | ({ kind: "whole" } & DocumentHtml)
  /** The shell is rendered, more follows. */
  | { kind: "streaming"; stream: RenderStream }
  /** Nothing of it can be shown. The error was recorded under this digest. */
  | { kind: "failed"; digest: string | undefined };

/** A document, cut where the constant part of its head belongs. */
export interface DocumentHtml {
  /** Up to and including `<head>`. */
  start: string;
  rest: string;
}

export interface RenderStream {
  /** Writes what is rendered, and everything that follows. */
  pipe: (sink: RenderSink) => void;
  abort: () => void;
  /** Digests of parts that failed after the shell. The list grows while the stream is written. */
  failures: readonly (string | undefined)[];
}

export interface RenderSink {
  write(chunk: string | Uint8Array): void;
  /** React has written all it has at the moment. */
  flushed(): void;
  /** React has written everything. */
  ended(): void;
}

export interface RenderOptions {
  /** Empty if the response may be cached for other visitors. */
  nonce: string;
  /** Waits for everything instead of streaming: for crawlers, and for responses that may be cached. */
  whole: boolean;
}

type ShownView = Extract<Decision, { kind: "view" }>;

/** Renders a view as a document. Never throws and sends nothing: the caller sends the result. */
export function renderDocument(visit: Visit, shown: ShownView, options: RenderOptions): MaybePromise<Rendered> {
  const { route } = shown;
  const maySuspend = suspending.has(route) || lateOf(shown).length > 0;
  const atOnce = maySuspend ? undefined : renderAtOnce(visit, shown, options);
  if (atOnce) return atOnce;
  const tree = documentOf(visit, shown, options);
  return renderStream(visit, shown.view, tree, options).then((rendered) => {
    // If the string renderer gave up but the stream did not fail, something suspends; later requests skip the attempt.
    if (rendered.kind === "streaming") suspending.add(route);
    return rendered;
  });
}

const suspending = new WeakSet<LoadedRoute>();

/**
 * React's string renderer needs about two thirds of the time of its stream, but gives up when something suspends, and
 * hides errors inside Suspense. So its result is used only if neither happened; otherwise the stream renders.
 */
function renderAtOnce(visit: Visit, shown: ShownView, options: RenderOptions): Rendered | undefined {
  const page = documentPageOf(visit, shown, options);
  const { files, page: module } = writingModulesOf(visit, shown.route);
  const tree = createElement(PageTree, { page, modules: { folders: files, page: module, builtIn: BuiltInPage } });
  let html: string;
  try {
    // As many children as in the document, at the same positions: `useId` counts them.
    html = renderToString(createElement(Fragment, null, null, createElement(bodyTag, null, tree, null, null)));
  } catch {
    // It threw or suspended outside of any boundary; the stream will show which.
    return undefined;
  }
  // Before the body are the elements that belong into the head; after it are scripts of React, for the stream.
  const begin = html.indexOf(bodyStart);
  if (begin < 0 || !html.endsWith(bodyEnd) || (html.includes("$!") && html.includes("<!--$!-->"))) return undefined;
  const content = html.slice(begin + bodyStart.length, -bodyEnd.length);
  const scripts = inlineScript(...dataOf(visit, shown, page, options)) + inlineScript(...bootOf(visit, page, options));
  return {
    kind: "whole",
    start: documentStart(shown.view.html ?? visit.html),
    rest: `${html.slice(0, begin)}</head><body>${content}${scripts}</body></html>`,
  };
}

/**
 * In place of `<body>`: React needs no time for the document around it, which is the same for each page. No text of a
 * page, such as that of a style in its head, is by chance the same.
 */
const bodyTag = `body-${randomBytes(8).toString("hex")}`;
const bodyStart = `<${bodyTag}>`;
const bodyEnd = `</${bodyTag}>`;

const starts = new WeakMap<HtmlAttributes, string>();

/** React writes the attributes, once for each language. */
function documentStart(attributes: HtmlAttributes): string {
  const known = starts.get(attributes);
  if (known !== undefined) return known;
  const empty = renderToString(createElement("html", attributes, createElement("head"), createElement("body")));
  const start = `<!DOCTYPE html>${empty.slice(0, empty.indexOf("<head>"))}<head>`;
  starts.set(attributes, start);
  return start;
}

/**
 * Until the shell is ready, every error fails the whole document: the response can still have its true status, and a
 * visitor without scripts would see nothing in place of a part that React leaves to the browser. After that, a failed
 * part is marked and the rest continues.
 */
function renderStream(visit: Visit, view: View, tree: ReactElement, options: RenderOptions): Promise<Rendered> {
  const { promise, resolve } = Promise.withResolvers<Rendered>();
  const { shellMs, lateMs } = visit.site.limits;
  const waitMs = options.whole ? lateMs : shellMs;
  const early: { thrown: unknown; componentStack: string }[] = [];
  const failures: (string | undefined)[] = [];
  let isStreaming = false;
  const fail = (): void => {
    clearTimeout(timer);
    const during = view.kind === "page" ? "render" : view.kind === "error" ? "error-page" : "not-found-page";
    const seen =
      view.kind === "page" ? visibilityOf(visit, visit.route.folders.length) : ({ visitorSaw: "last-resort" } as const);
    const digests = early.map(({ thrown, componentStack }) =>
      visit.errors.record(thrown, during, { componentStack, ...seen }),
    );
    resolve({ kind: "failed", digest: digests[0] });
    stream.abort(abandoned);
  };
  const timer = setTimeout(() => {
    early.push({ thrown: pageErrors.shellTimedOut(visit.route.id ?? visit.request.path, waitMs), componentStack: "" });
    fail();
  }, waitMs);
  const begin = (): void => {
    if (early.length > 0) return fail();
    isStreaming = true;
    clearTimeout(timer);
    const abort = (): void => stream.abort(abandoned);
    resolve({ kind: "streaming", stream: { pipe: (sink) => pipeInto(stream.pipe, sink), abort, failures } });
  };
  const stream = renderToPipeableStream(tree, {
    nonce: options.nonce,
    // React moves large parts behind the rest and inserts them by script, which a crawler does not run.
    ...(options.whole ? { progressiveChunkSize: Number.POSITIVE_INFINITY } : {}),
    onShellReady: () => options.whole || begin(),
    onAllReady: () => options.whole && begin(),
    onShellError: fail,
    // The returned value reaches the browser as the digest of the failed part. This must never throw: that would end
    // the process.
    onError: (thrown, info) => {
      if (thrown === abandoned) return undefined;
      const componentStack = info.componentStack ?? "";
      if (!isStreaming) {
        early.push({ thrown, componentStack });
        return undefined;
      }
      const digest = visit.errors.record(thrown, "render", { componentStack, visitorSaw: "nested-error" });
      failures.push(digest);
      return digest && writeFailedPart(digest, thrown);
    },
  });
  return promise;
}

/** Reason to abort a rendering: the visitor has left, or another page is shown instead. */
const abandoned = Symbol("this rendering was abandoned");

/**
 * React writes into anything that looks like a Node stream. This one never applies backpressure: a page is small, and
 * is in memory anyway.
 */
function pipeInto(pipe: <Stream extends NodeJS.WritableStream>(to: Stream) => Stream, sink: RenderSink): void {
  const stream = {
    write: (chunk: string | Uint8Array): boolean => {
      sink.write(chunk);
      return true;
    },
    flush: () => sink.flushed(),
    end: () => sink.ended(),
    destroy: () => sink.ended(),
    on: () => stream,
    off: () => stream,
    once: () => stream,
    removeListener: () => stream,
  };
  // Only the methods above are called (react-dom 19, Node build of its server renderer).
  pipe(stream as unknown as NodeJS.WritableStream);
}

type RouteModules = Pick<LoadedRoute, "files" | "page">;

const writingModules = new WeakMap<LoadedRoute, RouteModules>();

/**
 * Page and layouts whose plain elements are written without React. The stream gets them as they are: it renders what
 * has failed here, and reports it. So does a server in development, where React checks each element.
 */
function writingModulesOf({ site }: Visit, route: LoadedRoute): RouteModules {
  if (site.development) return route;
  const known = writingModules.get(route);
  if (known) return known;
  const { files, page } = route;
  const modules = {
    files: files.map((folder) =>
      folder.layout ? { ...folder, layout: { default: writing(folder.layout.default) } } : folder,
    ),
    page: page && { default: writing(page.default) },
  };
  writingModules.set(route, modules);
  return modules;
}

function documentPageOf(visit: Visit, { view, route }: ShownView, { nonce }: RenderOptions): DocumentPage {
  return new DocumentPage(visit, { view, route: route.id, nonce });
}

function documentOf(visit: Visit, shown: ShownView, options: RenderOptions): ReactElement {
  const { view, route } = shown;
  const page = documentPageOf(visit, shown, options);
  const body = createElement(
    Fragment,
    null,
    createElement(PageTree, { page, modules: { folders: route.files, page: route.page, builtIn: BuiltInPage } }),
    scriptElement(...dataOf(visit, shown, page, options)),
    createElement(Boot, { visit, options, page }),
  );
  return createElement("html", view.html ?? visit.html, createElement("head"), createElement("body", null, body));
}

/** A script of the framework: its attributes, and its text as it is written inside of the element. */
type InlineScript = [attributes: Readonly<Record<string, string>>, text: string];

/** The page's data. It is before the script that starts hydration, so that the browser's code finds it. */
function dataOf(
  visit: Visit,
  { view, written }: ShownView,
  { back }: DocumentPage,
  { nonce }: RenderOptions,
): InlineScript {
  const answer = writeView(visit, view, written, nonce === "");
  const preamble = preambleOf(visit, nonce === "" ? "" : undefined);
  const { address, search } = visit.request;
  const at = visit.isElsewhere ? `\n${back ?? ""}\n${address}${search}` : back ? `\n${back}` : "";
  return [dataAttributes(visit.site), escapeInlineJson(`${preamble}\n${answer}${at}`)];
}

const dataAttributesOf = new WeakMap<Visit["site"], Readonly<Record<string, string>>>();

function dataAttributes(site: Visit["site"]): Readonly<Record<string, string>> {
  let attributes = dataAttributesOf.get(site);
  if (!attributes) {
    attributes = { id: hydrationElementId, type: pageDataType, ...answersOf(site) };
    dataAttributesOf.set(site, attributes);
  }
  return attributes;
}

/** For the error page in the browser, and for `browser/return/broken-pages.ts`. */
function answersOf({ hasAnswers, limits }: Visit["site"]): { "data-answers"?: string } {
  return hasAnswers ? { "data-answers": `${limits.brokenPages} ${limits.brokenPageDays}` } : {};
}

interface BootProps {
  visit: Visit;
  options: RenderOptions;
  page: DocumentPage;
}

/**
 * A component, because React renders it after the page: only then it is known whether the page has forms. A form in a
 * late part does not count: most of the code has loaded before it is shown.
 */
function Boot({ visit, options, page }: BootProps): ReactElement {
  return scriptElement(...bootOf(visit, page, options));
}

function bootOf(visit: Visit, page: DocumentPage, { nonce }: RenderOptions): InlineScript {
  const text = constantBootScript(visit.site.application.parts.assets, page.hasForms, nonce === "" ? "hash" : "nonce");
  return [nonce === "" ? {} : { nonce }, text];
}

const bootScripts = new WeakMap<Assets, Map<string, string>>();

/** Written once for each build and kind of document. */
function constantBootScript(assets: Assets, hasForms: boolean, allowedBy: "nonce" | "hash"): string {
  const kind = hasForms ? `${allowedBy} forms` : allowedBy;
  const known = bootScripts.get(assets);
  const script = known?.get(kind);
  if (script !== undefined) return script;
  const written = bootScript(assets, hasForms, allowedBy);
  bootScripts.set(assets, new Map([...(known ?? []), [kind, written]]));
  return written;
}

function scriptElement(...[attributes, text]: InlineScript): ReactElement {
  // Our own text, already escaped for a script; React would escape a child for HTML.
  return createElement("script", { ...attributes, dangerouslySetInnerHTML: { __html: text } });
}

/** The same as HTML. No value of these attributes has a character to escape. */
function inlineScript(...[attributes, text]: InlineScript): string {
  let html = "<script";
  for (const name in attributes) html += ` ${name}="${attributes[name]}"`;
  return `${html}>${text}</script>`;
}

/** Passes a late value to the page: queued until the browser's code reads it. */
export function lateScript(line: string): string {
  return `(self.${lateGlobal}||=[]).push(${escapeInlineJson(JSON.stringify(line))})`;
}
