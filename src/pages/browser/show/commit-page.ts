import { languages } from "#routes/href";
import type { BrowserSignals } from "#signals";
import type { View } from "../../view.ts";
import { type PageAnswer, withoutHash } from "../data/page-answer.ts";
import { mannerNow } from "../entry-manner.ts";
import { navigationFailed } from "../errors.ts";
import type { HistoryEntries } from "../history-entries.ts";
import type { NavigationTarget } from "../navigation/navigation-events.ts";
import type { Presenter } from "../presentation/presentation.ts";
import { afterPaint } from "./after-paint.ts";
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
  /** Undefined until its code has loaded: then every page is a whole page and is shown at once. */
  presenter(): Presenter | undefined;
}

/** Changes from one page to the next: address, content, announcement, focus, scroll position. */
export class Commits {
  readonly #deps: CommitDeps;
  /** A change that waits until the browser has captured the old page for a view transition. */
  #waiting: (() => void) | undefined;
  /** Prevents that the page on screen gets the focus, if that has not happened yet. */
  #keepFocus: () => void = () => undefined;

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
    const presenter = this.#deps.presenter();
    // An error is shown at once.
    if (presenter) presenter.changeIn(change, page.plain && this.isMoving(target));
    else change();
  }

  /** Whether the change is a view transition, or was one when the visitor came the other way. */
  isMoving({ how, manner }: NavigationTarget): boolean {
    return how === "traverse" ? this.#deps.entries.wasTransition : manner?.transition === true;
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

  #change(target: NavigationTarget, page: PageAnswer): void {
    const { to, how, manner } = target;
    const { entries, screen, signals, build } = this.#deps;
    if (languages && how !== "traverse") keepLanguage(languages, screen.url, to);
    const dialogs = this.#deps.presenter()?.dialogs;
    const below = dialogs?.placeBelow(target, page);
    const transition = how === "push" ? manner?.transition : mannerNow().transition;
    if (how !== "reload") entries.moveTo(to, how, { dialog: below, transition });
    const url = withoutHash(to);
    const regions = [...document.querySelectorAll<HTMLElement>("[data-region]")];
    const shown = dialogs?.show(page, url, below);
    if (!dialogs) screen.show(page, url);
    // A region that is still there belongs to a layout of both pages: nothing around it has changed.
    const frame = shown ?? regions.findLast((region) => region.isConnected);
    entries.keep(page, screen.url);
    this.#deps.shown();
    const { params, digest } = page.view;
    const facts = { route: page.route, params, build, first: false, digest };
    if (how === "reload") {
      if (digest) signals.pageShown(facts);
      return;
    }
    // All changes come before the first step that needs the layout, so that the browser computes it once.
    if (!manner?.keepFocus) announce();
    if (!manner?.keepScroll && frame !== "below") this.#scroll(new URL(to).hash, how === "traverse", frame);
    if (!manner?.keepFocus && frame !== "below")
      this.#focus(how === "traverse" ? entries.savedFocus() : undefined, frame);
    signals.pageShown(facts);
  }

  /** The focus needs the layout at once, so a whole page is painted first. */
  #focus(before: string | undefined, frame: HTMLElement | undefined): void {
    this.#keepFocus();
    // Within a page, the part that has changed may have to be scrolled to, before anything is painted.
    if (frame) return focusPage(before, frame);
    const { activeElement: focused, body } = document;
    this.#keepFocus = afterPaint(() => {
      const { activeElement } = document;
      // What the visitor has focused meanwhile keeps the focus.
      if (activeElement === focused || activeElement === body) focusPage(before);
    });
  }

  /** `frame`: the part of the window that has changed. */
  #scroll(hash: string, back: boolean, frame: Element | undefined): void {
    const before = back ? this.#deps.entries.savedScroll() : undefined;
    if (before) restoreScroll(before, frame);
    else if (hash.length > 1) keepTrying(() => scrollToHash(hash));
    else (frame ?? window).scrollTo({ left: 0, top: 0, behavior: "instant" });
  }
}
