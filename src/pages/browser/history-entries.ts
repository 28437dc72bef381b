import type { FormEnd } from "../react/slots.ts";
import { type PageAnswer, withoutHash } from "./data/page-answer.ts";
import { type EntryManner, mannerNow } from "./entry-manner.ts";
import { type HistoryMark, placeNow } from "./place.ts";
import { focusedPath } from "./show/announce.ts";
import { currentScroll, readScrolls, restoreScroll, type ScrollPositions, writeScrolls } from "./show/scroll.ts";

interface HistoryEntry {
  /** Undefined once another user may be signed in. */
  page?: PageAnswer | undefined;
  /** The address of the page. That of the entry is newer, if its search was changed and the page left at once. */
  url?: string;
  /** Focused element when the visitor left the page, as `focusedPath` names it. */
  focus?: string;
  /** Outcomes of the forms sent from this entry, by slot name. */
  outcomes: Map<string, FormEnd>;
}

/** Going back further loads the page again: kept pages stay in memory, so their number is bounded. */
const maxEntries = 20;
/** After this long the visitor has probably scrolled; a turned wheel does not show up in `eventCounts`. */
const settleMs = 10_000;
/** Scroll positions are small; hardly any visitor goes back further than this. */
const maxScrolls = 50;

/**
 * The pages behind Back and Forward. Each history entry has a place number in its state; the entry's page and scroll
 * position are kept under that number.
 */
export class HistoryEntries {
  readonly #entries = new Map<number, HistoryEntry>();
  readonly #scrolls: Map<number, ScrollPositions>;
  /** Place of the page on screen. During a traversal the browser's own place is already that of the other page. */
  #place: number;
  #manner: EntryManner;

  /** `url` and `place` are the page's own: the browser may have moved on before this code listened. */
  constructor(page: PageAnswer, url: string, place: number | undefined) {
    this.#scrolls = readScrolls();
    // Places of one document are consecutive, those of a later document are higher: no two entries of a tab share one.
    this.#place = place ?? Math.floor(performance.timeOrigin);
    // A document shows whole pages.
    this.#manner = { transition: mannerNow().transition };
    if (withoutHash(location.href) === url) this.#mark();
    history.scrollRestoration = "manual";
    this.keep(page, url);
  }

  /**
   * Restores the scroll position after a reload: the browser tries that before hydration, when a page that grows later
   * is still too short. Applies only early and before the visitor's first input, because later they may have scrolled
   * on their own.
   */
  settle(): void {
    const scroll = this.savedScroll();
    // Tests with their own clock replace `performance`, which may then have no event counts.
    const touched = ["pointerdown", "keydown"].some((type) => performance.eventCounts?.get?.(type));
    if (scroll && !touched && performance.now() < settleMs) restoreScroll(scroll);
  }

  /** Distance from the browser's place to the page on screen. A cancelled traversal goes back by this much. */
  get away(): number {
    return this.#place - (placeNow() ?? this.#place);
  }

  /** The browser has moved inside the page, by a hash: the new entry belongs to this page. */
  moveInPage(): void {
    const place = placeNow();
    // Also where a step away was refused: the entry has the position of now, not that of when it was left before.
    this.rememberScroll();
    if (place === undefined) {
      const page = this.#entries.get(this.#place);
      this.#place += 1;
      // Of an entry that the browser has dropped. The new one is where the browser has scrolled to.
      this.#scrolls.delete(this.#place);
      this.#mark({ dialog: this.#manner.dialog });
      if (page) this.#entries.set(this.#place, page);
    } else this.#place = place;
  }

  cachedPage(): PageAnswer | undefined {
    const kept = this.#entries.get(placeNow() ?? -1);
    return kept?.url === withoutHash(location.href) ? kept.page : undefined;
  }

  get place(): number {
    return this.#place;
  }

  /** Whether the step to the browser's entry, or the one back from here, was a view transition. */
  get wasTransition(): boolean {
    return (this.away > 0 ? this.#manner : mannerNow()).transition === true;
  }

  /** Undefined if the entry is no longer kept. */
  outcomesAt(place: number): Map<string, FormEnd> | undefined {
    return this.#entries.get(place)?.outcomes;
  }

  /** Empty if nothing was focused, or if that is not known. */
  savedFocus(): string {
    return this.#entries.get(this.#place)?.focus ?? "";
  }

  savedScroll(): ScrollPositions | undefined {
    return this.#scrolls.get(this.#place);
  }

  rememberScroll(): void {
    this.#scrolls.delete(this.#place);
    this.#scrolls.set(this.#place, currentScroll());
    keepLast(this.#scrolls, maxScrolls);
  }

  /** Moves to the entry in which the page will be shown. For a traversal the browser is already there. */
  moveTo(url: string, how: "push" | "replace" | "traverse", manner: EntryManner = {}): void {
    this.rememberScroll();
    const left = this.#entries.get(this.#place);
    if (left) left.focus = focusedPath();
    if (how === "traverse") this.#place = placeNow() ?? this.#place;
    if (how === "replace") left?.outcomes.clear();
    this.#manner = manner;
    if (how === "push" && url !== location.href) {
      this.#place += 1;
      // The browser has dropped the entries ahead too.
      for (const place of this.#entries.keys()) if (place >= this.#place) this.#entries.delete(place);
      history.pushState({ ...manner, holdfast: this.#place } satisfies HistoryMark & EntryManner, "", url);
      return;
    }
    // A redirect may have changed the target of a traversal.
    if (url !== location.href) history.replaceState(null, "", url);
    this.#mark(manner);
  }

  /** Keeps the page for Back and Forward. Failures are not kept, so that coming back tries again. */
  keep(page: PageAnswer, url: string): void {
    const before = this.#entries.get(this.#place);
    this.#entries.delete(this.#place);
    if (page.status < 500) this.#entries.set(this.#place, { outcomes: new Map(), ...before, page, url });
    keepLast(this.#entries, maxEntries);
  }

  /** Pages behind Back and Forward, and the one on screen. */
  pages(): PageAnswer[] {
    return [...this.#entries.values()].flatMap(({ page }) => page ?? []);
  }

  /** Another user may be signed in: no earlier page is shown again. */
  forget(): void {
    this.#entries.clear();
    this.#entries.set(this.#place, { outcomes: new Map() });
  }

  leave(): void {
    this.rememberScroll();
    writeScrolls(this.#scrolls);
    // The browser may restore the next document in this entry better than this code could.
    history.scrollRestoration = "auto";
  }

  return(): void {
    history.scrollRestoration = "manual";
  }

  #mark(manner?: EntryManner): void {
    const state: unknown = history.state;
    const kept = typeof state === "object" ? state : undefined;
    history.replaceState({ ...kept, ...manner, holdfast: this.#place }, "");
  }
}

/** Deletes the oldest entries. A Map iterates in insertion order. */
function keepLast(map: Map<number, unknown>, atMost: number): void {
  for (const key of map.keys()) {
    if (map.size <= atMost) return;
    map.delete(key);
  }
}
