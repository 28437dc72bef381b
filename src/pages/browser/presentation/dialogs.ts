import type { PageAnswer } from "../data/page-answer.ts";
import { mannerNow } from "../entry-manner.ts";
import type { HistoryEntries } from "../history-entries.ts";
import type { NavigationTarget } from "../navigation/navigation-events.ts";
import { setTimer } from "../set-timer.ts";
import type { Screen, ShownPage } from "../show/screen.tsx";
import { dialogBelow } from "./dialog-below.ts";
import { overPage } from "./dialog-frame.tsx";

/** The page below an open dialog, and the place of its history entry. */
interface PageBelow extends ShownPage {
  place: number;
}

/**
 * Shows pages as dialogs over other pages. While a dialog is open, `page` and `url` of the screen are those of the
 * dialog, so its forms, drafts and refreshes work like those of any page. Closing it is a step back in the history.
 */
export class Dialogs {
  readonly #screen: Screen;
  readonly #entries: HistoryEntries;
  readonly #isBusy: () => boolean;
  #below: PageBelow | undefined;
  /** The step back is requested and has not happened yet. A second one would leave the page below. */
  #isClosing = false;

  /** `isBusy`: a navigation is pending. */
  constructor(screen: Screen, entries: HistoryEntries, isBusy: () => boolean) {
    this.#isBusy = isBusy;
    this.#screen = screen;
    this.#entries = entries;
    addEventListener("popstate", () => {
      this.#isClosing = false;
    });
  }

  get below(): Readonly<PageBelow> | undefined {
    return this.#below;
  }

  /** The place of the page over which this one opens as a dialog. Undefined: it is a whole page. */
  placeBelow(target: NavigationTarget, { view }: PageAnswer): number | undefined {
    const { page, url } = this.#screen;
    const below = this.#below;
    return dialogBelow({
      target,
      view,
      shown: { url, view: page.view, place: this.#entries.place },
      below: below && { ...below, view: below.page.view },
      // A redirect may have changed the target of the step.
      entry: target.to === location.href ? mannerNow().dialog : undefined,
    });
  }

  /**
   * Shows a page, as a dialog if `place` is that of a page below. Returns the part of the window that has changed;
   * `below` if that is only the closed dialog.
   */
  show(page: PageAnswer, url: string, place: number | undefined): HTMLElement | "below" | undefined {
    const screen = this.#screen;
    if (place === undefined) return this.#close(page, url);
    this.#below ??= { page: screen.page, url: screen.url, place };
    const below = this.#below;
    screen.dialog = {
      below,
      render: (Tree, context, modules) =>
        overPage({ below: below.page.view, page: { ...context, dialog: this }, modules, Tree, isBusy: this.#isBusy }),
    };
    screen.show(page, url);
    return document.querySelector<HTMLElement>("[data-page-dialog]") ?? undefined;
  }

  /** As Back does: a blocker may prevent it. */
  readonly close = (): void => {
    if (!this.#below || this.#isClosing) return;
    this.#isClosing = true;
    // If the browser never reports the step, the visitor can try again.
    setTimer(() => {
      this.#isClosing = false;
    }, stepMs);
    history.go(this.#below.place - (this.#entries.place - this.#entries.away));
  };

  #close(page: PageAnswer, url: string): "below" | undefined {
    const screen = this.#screen;
    const { url: closed } = screen;
    const isBelow = this.#below?.place === this.#entries.place && this.#below.url === url;
    this.#below = undefined;
    screen.dialog = undefined;
    screen.show(page, url);
    if (!isBelow || page.view.kind !== "page") return undefined;
    this.#focusOpener(closed);
    return "below";
  }

  /** The browser has given the focus back, unless the dialog was opened by Forward, or in Safari by a pointer. */
  #focusOpener(closed: string): void {
    if (document.activeElement !== document.body) return;
    const path = this.#entries.savedFocus();
    const opener =
      (path && document.querySelector<HTMLElement>(`body>${path}`)) ||
      [...document.links].find(({ dataset, href }) => "dialog" in dataset && href.split("#", 1)[0] === closed);
    opener?.focus({ preventScroll: true });
  }
}

/** Browsers need some milliseconds for a step in the history. */
const stepMs = 1_000;
