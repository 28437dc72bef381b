import { createElement, Fragment, type ReactElement, type ScriptHTMLAttributes } from "react";
import { renderToPipeableStream, renderToString } from "react-dom/server";
import * as pageErrors from "../errors.ts";
import { writeFailedPart } from "../failed-part.ts";
import { hydrationElementId, lateGlobal, pageDataType } from "../page-data.ts";
import { BuiltInPage } from "../react/built-in-page.tsx";
import { PageTree } from "../react/index.ts";
import type { View } from "../view.ts";
import type { LoadedRoute } from "./application.ts";
import { bootScript } from "./boot-script.ts";
import type { Decision } from "./decision.ts";
import { DocumentPage } from "./document-page.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import { visibilityOf } from "./problems/problems.ts";
import { lateOf, preambleOf, writeView } from "./send/send-page-data.ts";
import { escapeInlineJson } from "./send/static-pages.ts";
import type { Visit } from "./visit.ts";

/** A document as React renders it. */
export type Rendered =
  | { kind: "whole"; html: string }
  /** The shell is rendered, more follows. */
  | { kind: "streaming"; stream: RenderStream }
  /** Nothing of it can be shown. The error was recorded under this digest. */
  | { kind: "failed"; digest: string | undefined };

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
  const tree = documentOf(visit, shown, options);
  const maySuspend = suspending.has(route) || lateOf(shown).length > 0;
  const atOnce = maySuspend ? undefined : renderAtOnce(tree);
  if (atOnce) return atOnce;
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
function renderAtOnce(tree: ReactElement): Rendered | undefined {
  try {
    const html = renderToString(tree);
    return html.includes("<!--$!-->") ? undefined : { kind: "whole", html: `<!DOCTYPE html>${html}` };
  } catch {
    // It threw or suspended outside of any boundary; the stream will show which.
    return undefined;
  }
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

function documentOf(visit: Visit, { view, route, written }: ShownView, options: RenderOptions): ReactElement {
  const page = new DocumentPage(visit, { view, route: route.id, nonce: options.nonce });
  const body = createElement(
    Fragment,
    null,
    createElement(PageTree, { page, modules: { folders: route.files, page: route.page, builtIn: BuiltInPage } }),
    dataOf(visit, writeView(visit, view, written, options.nonce === ""), page.back, options),
    createElement(Boot, { visit, options, page }),
  );
  return createElement("html", view.html ?? visit.html, createElement("head"), createElement("body", null, body));
}

/** The page's data. It is before the script that starts hydration, so that the browser's code finds it. */
function dataOf(visit: Visit, answer: string, back: string | undefined, options: RenderOptions): ReactElement {
  const preamble = preambleOf(visit, options.nonce === "" ? "" : undefined);
  const { address, search } = visit.request;
  const at = visit.isElsewhere ? [back ?? "", address + search] : back ? [back] : [];
  const lines = [preamble, answer, ...at].join("\n");
  const attributes = { id: hydrationElementId, type: pageDataType, ...answersOf(visit.site) };
  return inlineScript(attributes, escapeInlineJson(lines));
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
  const allowedBy = options.nonce === "" ? "hash" : "nonce";
  const text = bootScript(visit.site.application.parts.assets, page.hasForms, allowedBy);
  return inlineScript({ nonce: options.nonce || undefined }, text);
}

function inlineScript(attributes: ScriptHTMLAttributes<HTMLScriptElement>, text: string): ReactElement {
  // Our own text, already escaped for a script; React would escape a child for HTML.
  return createElement("script", { ...attributes, dangerouslySetInnerHTML: { __html: text } });
}

/** Passes a late value to the page: queued until the browser's code reads it. */
export function lateScript(line: string): string {
  return `(self.${lateGlobal}||=[]).push(${escapeInlineJson(JSON.stringify(line))})`;
}
