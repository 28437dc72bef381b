import type { BrowserSignals } from "#signals";
import * as pageErrors from "../errors.ts";
import type { PageContextValue } from "../react/page-context.ts";
import type { View } from "../view.ts";
import { announce, focusPage } from "./announce.ts";
import type { HistoryEntries } from "./history-entries.ts";
import type { CodeLoader } from "./load-code.ts";
import type { Target } from "./navigation-record.ts";
import type { PageAnswer } from "./page-answer.ts";
import { keepTrying, restoreScroll, scrollToHash } from "./scroll.ts";
import { openScreen, type Screen } from "./show-page.tsx";

export interface ShownSurroundings {
  build: string;
  signals: BrowserSignals;
  code: CodeLoader;
  entries: HistoryEntries;
  /** Fetches the page's data anew and shows it. */
  retry(): void;
  /** Nothing caught an error: the document is lost. */
  lost(error: unknown): void;
  /** The page on the screen is another one. */
  changed(): void;
}

/** The page that the visitor sees, and the change from one to the next. */
export class ShownPage {
  readonly #around: ShownSurroundings;
  readonly #screen: Screen;
  readonly #back: string | undefined;
  /** A change that waits for the browser to take its picture of the page before. */
  #waiting: (() => void) | undefined;
  page: PageAnswer;
  /** Without hash: the browser changes that by itself. */
  url: string;

  constructor(page: PageAnswer, back: string | undefined, around: ShownSurroundings) {
    this.#around = around;
    this.#back = back;
    this.page = page;
    this.url = pageUrl(location.href);
    const { code, signals } = around;
    this.#screen = openScreen(this.#context(), code.modules(page.view), {
      mended: (error, componentStack) => {
        signals.errorCaught(error, {
          side: "browser",
          during: "hydration",
          url: this.url,
          visitorSaw: "page",
          ...(componentStack && { componentStack }),
        });
      },
      lost: around.lost,
    });
    around.entries.keep(page);
    this.#tell(true);
  }

  /** Ends a navigation: the address changes, the page is shown, said and scrolled. */
  commit(target: Target, page: PageAnswer): void {
    this.#waiting?.();
    const change = (): void => {
      if (this.#waiting !== change) return;
      this.#waiting = undefined;
      this.#commit(target, page);
    };
    this.#waiting = change;
    const animated = target.manner?.transition && "startViewTransition" in document;
    if (!animated || matchMedia("(prefers-reduced-motion:reduce)").matches) change();
    else {
      document.startViewTransition(change);
      // A transition is decoration: a browser that takes longer shows the page without it.
      setTimeout(change, transitionMs);
    }
  }

  /** Shows other data of the same page, in its place. */
  replace(page: PageAnswer): void {
    this.#show(page);
    this.#around.entries.keep(page);
  }

  /** Shows the error page in place of what could not be reached; returns the digest. */
  fail(target: Target, reason: string, hasRootError: boolean): string | undefined {
    const error = pageErrors.navigationFailed(target.to, reason);
    const digest = this.#report(error, undefined, "navigation");
    const { view } = this.page;
    // The application's own error page stands inside its root layout, whose data is still that of the page before.
    const boundary = hasRootError && view.data.length > 0 ? 0 : -1;
    const failed: View = {
      kind: "error",
      status: 500,
      side: "browser",
      route: -1,
      params: {},
      folders: [0],
      data: view.data.slice(0, 1),
      boundary,
      digest,
    };
    this.commit(
      { to: target.to, how: target.how },
      { ...this.page, view: failed, route: "", status: 500, plain: false },
    );
    return digest;
  }

  #commit({ to, how, manner }: Target, page: PageAnswer): void {
    const { entries } = this.#around;
    const inPlace = how === "reload" || how === "submit";
    if (how === "traverse") {
      entries.rememberScroll();
      entries.traversed();
    } else if (!inPlace) {
      entries.rememberScroll();
      if (how === "push" && to !== location.href) entries.push(to);
      else entries.replace(to);
    }
    this.url = pageUrl(to);
    this.#show(page);
    entries.keep(page);
    if (inPlace) {
      document.querySelector<HTMLElement>("form [aria-invalid=true]")?.focus();
      return;
    }
    announce();
    focusPage();
    if (!manner?.keepScroll) this.#scroll(new URL(to).hash, how === "traverse");
    this.#tell(false);
  }

  #scroll(hash: string, back: boolean): void {
    const before = back ? this.#around.entries.scrollHere() : undefined;
    if (before) restoreScroll(before);
    else if (hash.length > 1) keepTrying(() => scrollToHash(hash));
    else scrollTo({ left: 0, top: 0, behavior: "instant" });
  }

  #show(page: PageAnswer): void {
    this.page = page;
    this.#screen.show(this.#context(), this.#around.code.modules(page.view));
    this.#around.changed();
  }

  #context(): PageContextValue {
    const { pathname: path, search } = new URL(this.url);
    const { view, preamble } = this.page;
    return {
      path,
      search,
      route: preamble.route,
      params: view.params,
      view,
      back: this.#back,
      retry: this.#around.retry,
      caught: (error, componentStack) => this.#report(error, componentStack, "render"),
    };
  }

  /** What failed on the server was recorded there and brings its digest along: one failure is one event. */
  #report(error: unknown, componentStack: string | undefined, during: "render" | "navigation"): string | undefined {
    if (error instanceof Error && "digest" in error && typeof error.digest === "string") return error.digest;
    const { preamble, view } = this.page;
    const place = { side: "browser", during, url: this.url, params: view.params, visitorSaw: "error-page" } as const;
    const receipt = this.#around.signals.errorCaught(error, {
      ...place,
      ...(preamble.route !== null && { route: preamble.route }),
      ...(componentStack && { componentStack }),
    });
    return receipt.kind === "recorded" ? receipt.digest : undefined;
  }

  #tell(first: boolean): void {
    const { signals, build } = this.#around;
    signals.pageShown({ route: this.page.route, url: location.href, build, first });
  }
}

const transitionMs = 200;

function pageUrl(href: string): string {
  const url = new URL(href);
  url.hash = "";
  return url.href;
}
