/**
 * Scroll positions of the page and of containers, by their keys. The page's key is empty: it scrolls in the window, or
 * in its dialog.
 */
export type ScrollPositions = Record<string, readonly [x: number, y: number]>;

/** What scrolls, by its key. The page comes last: no container takes its key. */
function boxes(): [key: string, box: Element][] {
  const page = pageBox();
  return [...document.querySelectorAll<HTMLElement>("[data-scroll-key],[data-region]"), page].map((box) => [
    box === page ? "" : box.dataset.scrollKey || `region ${box.dataset.region}`,
    box,
  ]);
}

function pageBox(): HTMLElement {
  return document.querySelector<HTMLElement>("[data-page-dialog]") ?? document.documentElement;
}

const storageKey = "holdfast-scroll";
/** A page that has not reached its old height by then will not, unless a list of it is still being loaded. */
const growMs = 1_000;

export function currentScroll(): ScrollPositions {
  return Object.fromEntries(boxes().map(([key, { scrollLeft, scrollTop }]) => [key, [scrollLeft, scrollTop]]));
}

export function readScrolls(): Map<number, ScrollPositions> {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? "[]");
    // Written by this code in this tab; a damaged value only scrolls to the wrong position.
    return new Map(Array.isArray(value) ? (value as [number, ScrollPositions][]) : []);
  } catch {
    return new Map(); // storage denied or damaged: positions are kept in memory only
  }
}

export function writeScrolls(scrolls: ReadonlyMap<number, ScrollPositions>): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify([...scrolls]));
  } catch {
    // Storage is denied or full: a reload starts at the top, nothing else is lost.
  }
}

/** Scrolls to the element that the hash names. Returns whether it exists. */
export function scrollToHash(hash: string): boolean {
  const name = safeDecode(hash.slice(1));
  const element = document.getElementById(name) ?? document.getElementsByName(name)[0];
  element?.scrollIntoView();
  return element !== undefined;
}

/** Of the `frame` only and of what is inside of it: the page below a dialog stays where it is. */
export function restoreScroll(positions: ScrollPositions, frame: Element = pageBox()): void {
  keepTrying(() => {
    let isThere = true;
    for (const [key, box] of boxes()) if (frame.contains(box)) isThere = moveTo(box, positions[key]) && isThere;
    return isThere;
  });
}

/** Returns whether it has arrived: a page that still grows may be too short. */
function moveTo(box: Element, [left, top]: readonly [number, number] = [0, 0]): boolean {
  box.scrollTo({ left, top, behavior: "instant" });
  return Math.abs(box.scrollTop - top) < 2;
}

/** Tries at once and in each frame while the page may still grow, until it succeeds or the visitor scrolls. */
export function keepTrying(attempt: () => boolean): void {
  const until = performance.now() + growMs;
  let isTrying = true;
  const stop = (): void => {
    isTrying = false;
    for (const type of byVisitor) removeEventListener(type, stop);
  };
  const again = (): void => {
    if (isTrying && (attempt() || (performance.now() > until && !document.querySelector(growing)))) stop();
    else if (isTrying) requestAnimationFrame(again);
  };
  for (const type of byVisitor) addEventListener(type, stop, { passive: true });
  again();
}

/** Written by `useInfiniteList`. */
const growing = "[data-growing]";
const byVisitor = ["wheel", "touchmove", "keydown", "pointerdown"] as const;

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone percent sign is part of the name
  }
}
