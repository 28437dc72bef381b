import { languages } from "#routes/href";
import type { BrowserSignals } from "#signals";
import type { View } from "../../view.ts";
import { type PageAnswer, withoutHash } from "../data/page-answer.ts";
import { navigationFailed } from "../errors.ts";
import type { HistoryEntries } from "../history-entries.ts";
import type { NavigationTarget } from "../navigation/navigation-events.ts";
import { announce, focusPage } from "./announce.ts";
import { keepLanguage } from "./keep-language.ts";
import type { Screen } from "./screen.tsx";
import { keepTrying, restoreScroll, scrollToHash } from "./scroll.ts";

export interface CommitDeps {
  build: string;
  signals: BrowserSignals;
  entries: HistoryEntries;
  screen: Screen;
  /** Called when a page is on screen, before it gets the focus. */
  shown(): void;
}

/** Changes from one page to the next: address, content, announcement, focus, scroll position. */
export class Commits {
  readonly #deps: CommitDeps;
  /** A change that waits until the browser has captured the old page for a view transition. */
  #waiting: (() => void) | undefined;

  constructor(deps: CommitDeps) {
    this.#deps = deps;
  }

  /** `then` is called once the page is on screen, which a view transition may delay. */
  commit(target: NavigationTarget, page: PageAnswer, then?: () => void): void {
    this.#waiting?.();
    const change = (): void => {
      if (this.#waiting !== change) return;
      this.#waiting = undefined;
      this.#change(target, page);
      then?.();
    };
    this.#waiting = change;
    const animated = target.manner?.transition && "startViewTransition" in document;
    if (!animated || matchMedia("(prefers-reduced-motion:reduce)").matches) change();
    else {
      document.startViewTransition(change);
      // A transition is decoration: if the browser takes longer, the page is shown without it.
      setTimeout(change, transitionMs);
    }
  }

  /** Shows the error page in place of the target; returns its digest. */
  fail({ to, how }: NavigationTarget, reason: string, hasRoot: boolean): string | undefined {
    const { screen } = this.#deps;
    const digest = screen.report(navigationFailed(to, reason), "navigation");
    const { data, html } = screen.page.view;
    // The error page is rendered inside the root layout, with its data from the previous page.
    const boundary = hasRoot && data.length > 0 ? 0 : -1;
    const view: View = {
      kind: "error",
      status: 500,
      side: "browser",
      route: -1,
      params: {},
      folders: [0],
      data: data.slice(0, 1),
      boundary,
      digest,
      ...(html && { html }),
      reason: reason === "redirect-loop" ? reason : "loop",
    };
    this.commit({ to, how }, { ...screen.page, view, route: "", status: 500, plain: false });
    return digest;
  }

  #change({ to, how, manner }: NavigationTarget, page: PageAnswer): void {
    const { entries, screen, signals, build } = this.#deps;
    if (languages && how !== "traverse") keepLanguage(languages, screen.url, to);
    if (how !== "reload") entries.moveTo(to, how);
    screen.show(page, withoutHash(to));
    entries.keep(page, screen.url);
    this.#deps.shown();
    const { params, digest } = page.view;
    const facts = { route: page.route, params, build, first: false, digest };
    if (how === "reload") {
      if (digest) signals.pageShown(facts);
      return;
    }
    if (!manner?.keepFocus) {
      announce();
      focusPage(how === "traverse" ? entries.savedFocus() : undefined);
    }
    if (!manner?.keepScroll) this.#scroll(new URL(to).hash, how === "traverse");
    signals.pageShown(facts);
  }

  #scroll(hash: string, back: boolean): void {
    const before = back ? this.#deps.entries.savedScroll() : undefined;
    if (before) restoreScroll(before);
    else if (hash.length > 1) keepTrying(() => scrollToHash(hash));
    else scrollTo({ left: 0, top: 0, behavior: "instant" });
  }
}

const transitionMs = 200;
