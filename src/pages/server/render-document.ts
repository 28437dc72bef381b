import { createElement, Fragment, type ReactElement, type ReactNode, type ScriptHTMLAttributes } from "react";
import { renderToPipeableStream, renderToString } from "react-dom/server";
import * as pageErrors from "../errors.ts";
import { hydrationElementId, lateGlobal } from "../page-data.ts";
import { type PageContextValue, PageTree } from "../react/index.ts";
import type { View } from "../view.ts";
import type { LoadedRoute } from "./application.ts";
import type { Visit } from "./decide-page.ts";
import { LateValues } from "./late-values.ts";
import { preambleOf, writeView } from "./send-page-data.ts";
import { escapeInlineJson } from "./static-pages.ts";

/** A document on its way out of React. */
export type Rendered =
  | { kind: "whole"; html: string }
  /** The first part is there, more will follow. `pipe` writes it, and all that comes later. */
  | { kind: "begun"; pipe: (sink: RenderSink) => void; abort: () => void; late: LateValues }
  | { kind: "failed"; thrown: unknown };

export interface RenderSink {
  write(chunk: string | Uint8Array): void;
  /** React has written all it has at the moment. */
  flushed(): void;
  /** React has written everything. */
  ended(): void;
}

export interface RenderOptions {
  nonce: string;
  /** Wait for everything instead of streaming: for crawlers, and for answers that may be cached. */
  whole: boolean;
}

/** Renders a view as a document. Never throws, never sends: what comes out is the caller's to send. */
export async function renderDocument(
  visit: Visit,
  view: View,
  route: LoadedRoute,
  options: RenderOptions,
): Promise<Rendered> {
  try {
    const late = new LateValues(visit);
    const tree = documentOf(visit, view, route, options, late);
    const atOnce = late.isEmpty && !suspending.has(route) ? renderAtOnce(tree, route) : undefined;
    return atOnce ?? (await renderStream(visit, tree, options, late));
  } catch (thrown) {
    return { kind: "failed", thrown };
  }
}

/** Routes whose pages have suspended before: for them the attempt to render in one go would be wasted. */
const suspending = new WeakSet<LoadedRoute>();

/**
 * React's string renderer needs about two thirds of the time of its stream, but gives up where something suspends, and hides what throws inside
 * Suspense. So it is only believed where neither happened; the stream is the judge of everything else.
 */
function renderAtOnce(tree: ReactElement, route: LoadedRoute): Rendered | undefined {
  try {
    const html = renderToString(tree);
    if (!html.includes("<!--$!-->")) return { kind: "whole", html: `<!DOCTYPE html>${html}` };
  } catch {
    // It threw or suspended outside of any boundary; the stream will say which.
  }
  suspending.add(route);
  return undefined;
}

function renderStream(visit: Visit, tree: ReactElement, options: RenderOptions, late: LateValues): Promise<Rendered> {
  const { promise, resolve } = Promise.withResolvers<Rendered>();
  const { shellMs } = visit.site.limits;
  const timer = setTimeout(() => {
    const thrown = pageErrors.shellTimedOut(visit.route.id ?? visit.request.path, shellMs);
    resolve({ kind: "failed", thrown });
    stream.abort(thrown);
  }, shellMs);
  const ready = (): void => {
    clearTimeout(timer);
    resolve({
      kind: "begun",
      pipe: (sink) => pipeInto(stream.pipe, sink),
      abort: () => stream.abort(visitorGone),
      late,
    });
  };
  const stream = renderToPipeableStream(tree, {
    nonce: options.nonce,
    onShellReady: () => options.whole || ready(),
    onAllReady: () => options.whole && ready(),
    onShellError: (thrown) => {
      clearTimeout(timer);
      resolve({ kind: "failed", thrown });
    },
    // Whatever this returns reaches the browser as the digest of the failed part. It must never throw: that would end the process.
    onError: (thrown, info) => {
      if (thrown === visitorGone) return undefined;
      return visit.errors.record(thrown, "render", {
        componentStack: info.componentStack ?? "",
        visitorSaw: "nested-error",
      });
    },
  });
  return promise;
}

const visitorGone = Symbol("the visitor has gone");

/** React writes into anything that looks like a Node stream to it. This one never asks it to wait: a page is small, and is in memory anyway. */
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

function documentOf(
  visit: Visit,
  view: View,
  route: LoadedRoute,
  options: RenderOptions,
  late: LateValues,
): ReactElement {
  const page: PageContextValue = {
    path: visit.request.path,
    search: visit.request.search,
    route: route.id,
    params: view.params,
    view,
    back: view.kind === "page" ? undefined : backOf(visit),
    retry: doNothing,
    caught: () => undefined,
  };
  const body = createElement(
    Fragment,
    null,
    createElement(PageTree, { page, modules: { folders: route.files, page: route.page } }),
    ...bootOf(visit, view, page, options, late),
  );
  return createElement("html", { lang: visit.site.lang }, createElement("head"), createElement("body", null, body));
}

/** The page's data, then the line that begins to make it alive. Last in the body, so that both are there when the browser's part begins. */
function bootOf(
  visit: Visit,
  view: View,
  page: PageContextValue,
  options: RenderOptions,
  late: LateValues,
): ReactNode[] {
  const line = writeView(visit, view, late);
  const hydration = `{"preamble":${JSON.stringify(preambleOf(visit))},"answer":${line}${page.back ? `,"back":${JSON.stringify(page.back)}` : ""}}`;
  return [
    inlineScript({ key: "data", id: hydrationElementId, type: "application/json" }, escapeInlineJson(hydration)),
    inlineScript(
      { key: "boot", nonce: options.nonce || undefined },
      bootScript(visit.site.application.parts.assets.entry),
    ),
  ];
}

function inlineScript(
  attributes: ScriptHTMLAttributes<HTMLScriptElement> & { key: string },
  text: string,
): ReactElement {
  // Our own text, escaped for this place; as a child React would escape it for another.
  return createElement("script", { ...attributes, dangerouslySetInnerHTML: { __html: text } });
}

/** The one inline script of a page without late values: constant for a build, so that a cacheable page can name it by hash. */
export function bootScript(entry: string): string {
  return `import(${JSON.stringify(entry)})`;
}

export function lateScript(line: string, nonce: string): string {
  return `<script nonce="${nonce}">(self.${lateGlobal}||=[]).push(${escapeInlineJson(JSON.stringify(line))})</script>`;
}

function backOf(visit: Visit): string | undefined {
  const { referer } = visit.request.incoming.headers;
  if (!referer || !URL.canParse(referer)) return undefined;
  const from = new URL(referer);
  return from.origin === visit.request.origin ? from.pathname + from.search : undefined;
}

function doNothing(): void {
  // On the server there is nobody to retry for.
}
