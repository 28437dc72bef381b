import type { Posted } from "../react/slots.ts";
import { type PageAnswer, withoutHash } from "./page-answer.ts";
import { type HistoryMark, placeNow } from "./place.ts";
import { focusedPath } from "./show/announce.ts";
import { currentScroll, readScrolls, restoreScroll, type ScrollPlaces, writeScrolls } from "./show/scroll.ts";

interface Kept {
  /** Undefined once somebody else may be signed in. */
  page?: PageAnswer | undefined;
  /** Where the focus was when the visitor went on, as `focusedPath` names it. */
  focus?: string;
  /** What became of the forms that were sent here, by the names of their slots. */
  outcomes: Map<string, Posted>;
}

/** Going back further than this loads the page again; pages are kept in memory, so the number is bounded. */
const keptAtMost = 20;
/** A page that takes longer to become alive has been read meanwhile; a wheel that was turned leaves no trace. */
const settleMs = 10_000;
/** Scroll positions are small; this is as far back as anyone plausibly goes. */
const scrollsAtMost = 50;

/**
 * The pages behind Back and Forward. Each history entry has a place number in its state; the page shown there and where
 * it was scrolled to are kept by that number.
 */
export class HistoryEntries {
  readonly #kept = new Map<number, Kept>();
  readonly #scrolls: Map<number, ScrollPlaces>;
  /** Place of the page that is shown. During a traversal the browser's own place is already the other one. */
  #place: number;

  /** `url` and `place` are where the page belongs: the browser may have moved on before we began to listen. */
  constructor(page: PageAnswer, url: string, place: number | undefined) {
    this.#scrolls = readScrolls();
    // Places of one document are consecutive, those of a later document are higher: no two entries of a tab share one.
    this.#place = place ?? Math.floor(performance.timeOrigin);
    if (withoutHash(location.href) === url) this.#mark();
    history.scrollRestoration = "manual";
    this.keep(page);
  }

  /**
   * After a reload the browser goes back to where the page was scrolled to, but a page that grows when it is alive was
   * too short for that. It is put right while the visitor has not touched it, and only at the beginning: later they may
   * have scrolled by themselves.
   */
  settle(): void {
    const scroll = this.scrollHere();
    // A page that replaces `performance`, as tests with their own clock do, may have no counts to read.
    const touched = ["pointerdown", "keydown"].some((type) => performance.eventCounts?.get?.(type));
    if (scroll && !touched && performance.now() < settleMs) restoreScroll(scroll);
  }

  /** How far the browser's place is from the page that is shown: what a cancelled traversal must go back by. */
  get away(): number {
    return this.#place - (placeNow() ?? this.#place);
  }

  /** The browser moved inside the page that is shown, by a hash: the new entry belongs to it. */
  stay(): void {
    const place = placeNow();
    if (place === undefined) {
      this.rememberScroll();
      const page = this.#kept.get(this.#place);
      this.#place += 1;
      this.#mark();
      if (page) this.#kept.set(this.#place, page);
    } else this.#place = place;
  }

  keptHere(): PageAnswer | undefined {
    return this.#kept.get(placeNow() ?? -1)?.page;
  }

  get place(): number {
    return this.#place;
  }

  /** Undefined where the entry is not kept any more. */
  outcomesAt(place: number): Map<string, Posted> | undefined {
    return this.#kept.get(place)?.outcomes;
  }

  focusHere(): string | undefined {
    return this.#kept.get(this.#place)?.focus;
  }

  scrollHere(): ScrollPlaces | undefined {
    return this.#scrolls.get(this.#place);
  }

  rememberScroll(): void {
    this.#scrolls.delete(this.#place);
    this.#scrolls.set(this.#place, currentScroll());
    keepLast(this.#scrolls, scrollsAtMost);
  }

  /** Moves to the entry in which the page will be shown; a traversal has moved there before. */
  moveTo(url: string, how: "push" | "replace" | "traverse"): void {
    this.rememberScroll();
    const left = this.#kept.get(this.#place);
    if (left) left.focus = focusedPath();
    if (how === "traverse") this.#place = placeNow() ?? this.#place;
    if (how === "replace") left?.outcomes.clear();
    if (how === "push" && url !== location.href) {
      this.#place += 1;
      // What lay ahead is gone from the browser too.
      for (const place of this.#kept.keys()) if (place >= this.#place) this.#kept.delete(place);
      history.pushState({ holdfast: this.#place } satisfies HistoryMark, "", url);
      return;
    }
    // A redirect may have led a traversal elsewhere.
    if (url !== location.href) history.replaceState(null, "", url);
    this.#mark();
  }

  /** Failures are not kept: coming back tries again. */
  keep(page: PageAnswer): void {
    const before = this.#kept.get(this.#place);
    this.#kept.delete(this.#place);
    if (page.status < 500) this.#kept.set(this.#place, { outcomes: new Map(), ...before, page });
    keepLast(this.#kept, keptAtMost);
  }

  /** Somebody else may be signed in: nothing of before is shown again. */
  forget(): void {
    this.#kept.clear();
    this.#kept.set(this.#place, { outcomes: new Map() });
  }

  leave(): void {
    this.rememberScroll();
    writeScrolls(this.#scrolls);
    // The next document in this entry may be one that the browser restores better than we could.
    history.scrollRestoration = "auto";
  }

  return(): void {
    history.scrollRestoration = "manual";
  }

  #mark(): void {
    const state: unknown = history.state;
    history.replaceState({ ...(typeof state === "object" ? state : undefined), holdfast: this.#place }, "");
  }
}

/** Lets the oldest go. A Map keeps the order in which things were put into it. */
function keepLast(map: Map<number, unknown>, atMost: number): void {
  for (const key of map.keys()) {
    if (map.size <= atMost) return;
    map.delete(key);
  }
}
