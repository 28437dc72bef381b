import { createElement, Fragment, type ReactNode, startTransition } from "react";
import { flushSync } from "react-dom";
import { hydrateRoot, type Root } from "react-dom/client";
import type { BrowserSignals } from "#signals";
import { digestOfServer } from "../../failed-part.ts";
import { shownDigest } from "../../react/error-boundary.tsx";
import type { PageContextValue } from "../../react/page-context.ts";
import { PageTree } from "../../react/page-tree.tsx";
import type { CodeLoader } from "../load-code.ts";
import type { PageAnswer } from "../page-answer.ts";

export interface ScreenDeps {
  signals: Pick<BrowserSignals, "errorCaught">;
  code: CodeLoader;
  /** The way back that the document showed before it was alive. */
  back: string | undefined;
  /** Loads the page's data again and shows it. */
  retry(): void;
  /** What the document shows answers its visitor now; what suspends in it may follow. */
  alive(): void;
  /** Nothing caught this error: React has let go of the whole document. */
  lost(error: unknown): void;
}

/** What the visitor sees: one page at one address. */
export class Screen {
  readonly #deps: ScreenDeps;
  #root: Root | undefined;
  /** What the document is made alive with, until another page takes its place. */
  #first: ReactNode;
  /** Parts of it that failed on the server, and are gone from the document: the browser renders them now. */
  #failedParts: string[] = [];
  page: PageAnswer;
  /** Without hash: the browser changes that by itself. */
  url: string;

  /** Makes the document that the server sent alive. The code of its page must have been fetched. */
  constructor(page: PageAnswer, url: string, deps: ScreenDeps) {
    this.#deps = deps;
    this.page = page;
    this.url = url;
    this.#first = this.#document();
    // In steps of some milliseconds, between which the browser answers its visitor; what they press meanwhile is made
    // alive at once.
    startTransition(() => {
      this.#root = hydrateRoot(document, this.#first, {
        onRecoverableError: (error, { componentStack }) => {
          const part = shownDigest(error);
          // What failed on the server inside of a Suspense was recorded there.
          if (part) this.#failedParts.push(part);
          else this.#tell(error, "hydration", "page", componentStack);
        },
        onUncaughtError: deps.lost,
        // Boundaries tell of what they catch themselves, with the digest they show.
        onCaughtError: () => undefined,
      });
    });
  }

  /**
   * Whether the error page is shown because a page could not be reached. What the server or a component broke is
   * another matter.
   */
  get isStranded(): boolean {
    const { view } = this.page;
    return view.kind === "error" && view.side === "browser";
  }

  /** Shows a page before it returns. Its code must have been fetched. */
  show(page: PageAnswer, url: string): void {
    this.page = page;
    this.url = url;
    // A document that gets another page before it is alive would be thrown away and reported as an error. The same page
    // once more finishes it at once.
    if (this.#first) this.#render(this.#first);
    this.#first = undefined;
    this.#failedParts = [];
    this.#render(this.#document());
  }

  /**
   * Not inside a transition: that would wait for everything that suspends, and late parts may take long or never come.
   */
  #render(page: ReactNode): void {
    flushSync(() => this.#root?.render(page));
  }

  /** Reports an error that the visitor will see as an error page, and returns its digest. */
  report(error: unknown, during: "render" | "navigation", componentStack?: string | null): string | undefined {
    const known = shownDigest(error) ?? digestOfServer(error, this.#failedParts);
    return known ?? this.#tell(error, during, "error-page", componentStack);
  }

  #tell(
    error: unknown,
    during: "render" | "navigation" | "hydration",
    visitorSaw: "error-page" | "page",
    componentStack?: string | null,
  ): string | undefined {
    const { view, preamble } = this.page;
    return this.#deps.signals.errorCaught(error, {
      side: "browser",
      during,
      visitorSaw,
      url: this.url,
      params: view.params,
      route: preamble.route ?? "not-found",
      componentStack: componentStack ?? "",
    });
  }

  /** The same shape that the server renders; the two scripts at its end are its own and stay untouched. */
  #document(): ReactNode {
    const modules = this.#deps.code.modules(this.page.view);
    return (
      // Extensions of the browser put marks on it before React has looked at it.
      <html lang={document.documentElement.lang} suppressHydrationWarning>
        <head />
        <body ref={this.#deps.alive}>
          {createElement(Fragment, null, <PageTree page={this.#context()} modules={modules} />, null, null)}
        </body>
      </html>
    );
  }

  #context(): PageContextValue {
    const { pathname, search } = new URL(this.url);
    const { view, preamble } = this.page;
    const { back, retry, code } = this.#deps;
    return {
      path: pathname,
      search,
      route: preamble.route,
      params: view.params,
      view,
      back,
      routes: code.routes,
      retry,
      caught: (error, componentStack) => this.report(error, "render", componentStack),
    };
  }
}
