import { createElement, Fragment, type ReactNode } from "react";
import { flushSync } from "react-dom";
import { hydrateRoot, type Root } from "react-dom/client";
import type { PageContextValue } from "../react/page-context.ts";
import { PageTree, type ViewModules } from "../react/page-tree.tsx";

export interface Screen {
  /** Shows the page before it returns. */
  show(page: PageContextValue, modules: ViewModules): void;
}

export interface ScreenOptions {
  /** React found the document to be other than what it would render, and mended it. */
  mended(error: unknown, componentStack: string | undefined): void;
  /** Nothing caught it: React has let go of the whole document. */
  lost(error: unknown): void;
}

/** Makes the document that the server sent alive. */
export function openScreen(page: PageContextValue, modules: ViewModules, { mended, lost }: ScreenOptions): Screen {
  const root: Root = hydrateRoot(document, wholeDocument(page, modules), {
    onRecoverableError: (error, info) => mended(error, info.componentStack ?? undefined),
    onUncaughtError: (error) => lost(error),
    // Boundaries tell of what they catch themselves, with the digest they show.
    onCaughtError: () => undefined,
  });
  // Not inside a transition: that would wait for everything that suspends, and late parts may take long or never come.
  return { show: (next, nextModules) => flushSync(() => root.render(wholeDocument(next, nextModules))) };
}

/** The same shape that the server renders; the two scripts at its end are its own and stay untouched. */
function wholeDocument(page: PageContextValue, modules: ViewModules): ReactNode {
  return (
    <html lang={document.documentElement.lang}>
      <head />
      <body>{createElement(Fragment, null, <PageTree page={page} modules={modules} />, null, null)}</body>
    </html>
  );
}
