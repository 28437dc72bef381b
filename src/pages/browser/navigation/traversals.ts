import { pendingState } from "../../react/browser-runtime.ts";
import { withoutHash } from "../data/page-answer.ts";
import type { HistoryEntries } from "../history-entries.ts";
import { placeNow } from "../place.ts";
import { setTimer } from "../set-timer.ts";
import { restoreScroll } from "../show/scroll.ts";
import type { NavigationTarget } from "./navigation-events.ts";
import type { Navigations } from "./navigations.ts";

/**
 * Follows the browser through its history. During a traversal the address is already that of the other page, while the
 * screen still shows the previous one.
 */
export class Traversals {
  readonly #screen: { url: string };
  readonly #entries: HistoryEntries;
  readonly #navigations: Pick<Navigations, "state" | "dispatch">;
  readonly #start: (target: NavigationTarget) => void;
  #letThrough = false;
  /** Runs once the browser is back at the entry of the page on screen. */
  #afterReturn: (() => void) | undefined;

  constructor(
    screen: { url: string },
    entries: HistoryEntries,
    navigations: Pick<Navigations, "state" | "dispatch">,
    start: (target: NavigationTarget) => void,
  ) {
    this.#screen = screen;
    this.#entries = entries;
    this.#navigations = navigations;
    this.#start = start;
  }

  /** The browser has moved in its history. */
  moved(): void {
    if (this.#afterReturn) this.#returned();
    else if (this.#screen.url === withoutHash(location.href)) this.#stayOnPage();
    else if (pendingState.blockers.size === 0 || this.#letThrough) {
      this.#letThrough = false;
      this.#start({ to: location.href, how: "traverse" });
    } else {
      const { away } = this.#entries;
      history.go(away);
      unlessBlocked(() => {
        this.#letThrough = true;
        history.go(-away);
      });
    }
  }

  /**
   * Begins a navigation from the page that the visitor sees: if a traversal is pending, the browser returns first.
   * That keeps the entries behind Forward.
   */
  fromScreen(begin: () => void): void {
    const { away } = this.#entries;
    if (away === 0) return begin();
    this.#navigations.dispatch({ kind: "set-aside" });
    const isReturning = this.#afterReturn !== undefined;
    this.#afterReturn = begin;
    if (isReturning) return;
    history.go(away);
    // If the browser never reports the return, the visitor does not wait longer than this.
    setTimer(() => this.#returned(), returnMs);
  }

  /** Goes to the page at this place, as Back does. Blockers have been asked. */
  goTo(place: number): void {
    this.#letThrough = true;
    history.go(place - (placeNow() ?? place));
  }

  /** The visitor pressed Escape. */
  cancel(): void {
    const { away } = this.#entries;
    const { kind } = this.#navigations.state;
    this.#navigations.dispatch({ kind: "escape" });
    if (away !== 0 && (kind === "loading" || kind === "probing")) history.go(away);
  }

  #returned(): void {
    const begin = this.#afterReturn;
    this.#afterReturn = undefined;
    begin?.();
  }

  /** The browser moved inside the page, or back to it before the other page was shown. */
  #stayOnPage(): void {
    if (this.#navigations.state.kind !== "idle") this.#navigations.dispatch({ kind: "escape" });
    this.#entries.moveInPage();
    const scroll = this.#entries.savedScroll();
    if (scroll) restoreScroll(scroll);
  }
}

/** Browsers need some milliseconds for a step in the history. */
const returnMs = 1_000;

/** Asks the page's blocker, if there is one, before the page is left. */
export function unlessBlocked(leave: () => void): void {
  const [blocker] = pendingState.blockers;
  if (blocker) blocker(leave);
  else leave();
}
