import { type ReactNode, startTransition } from "react";
import { flushSync } from "react-dom";
import { hydrateRoot, type Root } from "react-dom/client";
import { applicationPath, languages, pathBelow } from "#routes/href";
import type { BrowserSignals } from "#signals";
import { digestOfServer } from "../../failed-part.ts";
import { shownDigest } from "../../react/error-boundary.tsx";
import type { PageContextValue } from "../../react/page-context.ts";
import { type Over, PageTree, type ViewModules } from "../../react/page-tree.tsx";
import type { PageAnswer } from "../data/page-answer.ts";
import type { CodeLoader } from "../load-code.ts";

export interface ScreenDeps {
  signals: Pick<BrowserSignals, "errorCaught">;
  code: CodeLoader;
  /** The back link that the document showed before hydration. */
  back: string | undefined;
  /** Loads the page's data again and shows it. */
  retry(): void;
  /** Called when the document reacts to input; suspended parts may follow. */
  alive(): void;
  /** No boundary caught this error: React has unmounted the whole document. */
  lost(error: unknown): void;
}

export interface ShownPage {
  page: PageAnswer;
  /** Without hash: the browser changes that by itself. */
  url: string;
}

/** A dialog: the screen's page is shown over the one below, inside of the layouts that both have. */
export interface ShownDialog {
  below: ShownPage;
  /** It gets the component, because it is loaded later and must not divide the first load into more files. */
  render(Tree: typeof PageTree, page: PageContextValue, modules: ViewModules): Over;
}

/** The screen: one page at one address, or a page in a dialog over another one. */
export class Screen {
  readonly #deps: ScreenDeps;
  #root: Root | undefined;
  /** The tree that hydrates the document, until another page replaces it. */
  #first: ReactNode;
  /** Digests of parts that failed on the server and are missing in the document: the browser renders them now. */
  #failedParts: string[] = [];
  page: PageAnswer;
  /** Called with the digest of an error that the visitor sees. */
  broke?: (digest: string | undefined) => void;
  url: string;
  declare dialog?: ShownDialog | undefined;

  /** Hydrates the document that the server sent. The code of its page must have loaded. */
  constructor(page: PageAnswer, url: string, deps: ScreenDeps) {
    this.#deps = deps;
    this.page = page;
    this.url = url;
    if (languages) {
      const { at } = languages;
      languages.readPresentBy(() => ({ lang: at(this.url), origin: location.origin }));
    }
    this.#first = this.#document();
    // A transition hydrates in slices of some milliseconds, so that the browser can react to input in between. A part
    // the visitor presses is hydrated at once.
    startTransition(() => {
      this.#root = hydrateRoot(document, this.#first, {
        onRecoverableError: (error, { componentStack }) => {
          const part = shownDigest(error);
          // Failures inside a Suspense on the server are recorded there.
          if (part) this.#failedParts.push(part);
          else this.#report(error, "hydration", "page", componentStack);
        },
        onUncaughtError: deps.lost,
        // Boundaries report what they catch, with the digest they show.
        onCaughtError: () => undefined,
      });
    });
  }

  /**
   * Whether the error page is shown because a page was unreachable, and not because the server or a component failed.
   */
  get isStranded(): boolean {
    const { view } = this.page;
    return view.kind === "error" && view.side === "browser";
  }

  /** Shows a page synchronously, and what `along` writes in the same frame. Its code must have loaded. */
  show(page: PageAnswer, url: string, along?: () => void): void {
    this.page = page;
    this.url = url;
    // Rendering another page before hydration would discard the document and report an error. Rendering the same page
    // again first completes hydration.
    if (this.#first) this.#render(this.#first);
    this.#first = undefined;
    this.#failedParts = [];
    this.#render(this.#document(), along);
  }

  /** Not in a transition: that would wait for all suspended parts, and late parts may take long or never arrive. */
  #render(page: ReactNode, along?: () => void): void {
    flushSync(() => {
      along?.();
      this.#root?.render(page);
    });
  }

  /** Reports an error that the visitor will see as an error page, and returns its digest. */
  report(error: unknown, during: "render" | "navigation", componentStack?: string | null): string | undefined {
    const known = shownDigest(error) ?? digestOfServer(error, this.#failedParts);
    const digest = known ?? this.#report(error, during, "error-page", componentStack);
    this.broke?.(digest);
    return digest;
  }

  #report(
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

  /** The same structure that the server renders; the two scripts at its end belong to the server and stay untouched. */
  #document(): ReactNode {
    const { dialog } = this;
    const below = dialog?.below ?? this;
    const modulesOf = ({ page }: ShownPage) => this.#deps.code.modules(page.view);
    return (
      // Browser extensions set attributes on it before hydration.
      <html {...below.page.view.html} suppressHydrationWarning>
        <head />
        <body ref={this.#deps.alive}>
          <PageTree
            page={this.#context(below)}
            modules={modulesOf(below)}
            over={dialog?.render(PageTree, this.#context(this), modulesOf(this))}
          />
          {null}
          {null}
        </body>
      </html>
    );
  }

  #context({ page, url }: ShownPage): PageContextValue {
    const { pathname, search } = new URL(url);
    const { view, preamble } = page;
    const { back, retry, code } = this.#deps;
    return {
      path: pathname,
      search,
      route: applicationPath && preamble.route ? (pathBelow(applicationPath, preamble.route) ?? null) : preamble.route,
      params: view.params,
      view,
      back,
      routes: code.routes,
      retry,
      caught: (error, componentStack) => this.report(error, "render", componentStack),
    };
  }
}
