import { type NextStep, type StatedPage, writeBalance } from "#protocol";

/** An error page that this browser has shown, until the service knows of it and of what came next. */
interface RememberedPage extends Omit<StatedPage, "side"> {
  /** Whether the service knows what is known here. */
  isSaid?: boolean;
}

export interface ShownPagesDeps {
  /** In the storage of the browser. */
  key: string;
  source: string;
  now: () => number;
  /** Sends a client report. Calls back when it has arrived. */
  send: (report: object, arrived: () => void) => void;
}

/** A longer pause ends a visit. The service counts the visitor as one who gave up then. */
const visitMs = 1_800_000;
/** A visitor who sees more in one visit has left long before. */
const mostPages = 50;

/**
 * The browser's side of the books: which error pages visitors have seen, and whether they reached a page afterwards.
 * It is in the storage of the browser until it has arrived, so that the next page says what this one could not.
 */
export class ShownPages {
  readonly #deps: ShownPagesDeps;

  constructor(deps: ShownPagesDeps) {
    this.#deps = deps;
  }

  shown(digest: string, route: string, atMs: number): void {
    const pages = this.#read();
    if (pages.some((page) => page.digest === digest)) return;
    const chain = pages.findLast(({ next }) => next === undefined)?.chain ?? digest;
    this.#write([...pages, { digest, route, atMs, chain }]);
    this.say();
  }

  /** A page without an error was asked for at this time and is shown. */
  reached(route: string, askedMs: number): void {
    const nextOf = (page: RememberedPage): NextStep => (page.route === route ? "through" : "further");
    this.#write(
      this.#read().map((page) =>
        page.next === undefined && page.atMs < askedMs ? { ...page, next: nextOf(page), isSaid: false } : page,
      ),
    );
    this.say();
  }

  /** Sends what the service does not know yet. */
  say(): void {
    const pages = this.#read().filter(({ isSaid }) => !isSaid);
    if (pages.length === 0) return;
    const stated = pages.map(({ isSaid: _, ...page }): StatedPage => ({ ...page, side: "browser" }));
    const balance = writeBalance({ source: this.#deps.source, pages: stated });
    this.#deps.send({ timestamp: this.#deps.now() / 1000, discarded_events: [], balance }, () => this.#said(pages));
  }

  /** Visitors may have gone on meanwhile. */
  #said(said: readonly RememberedPage[]): void {
    const isSame = (page: RememberedPage): boolean =>
      said.some(({ digest, next }) => digest === page.digest && next === page.next);
    this.#write(this.#read().map((page) => (isSame(page) ? { ...page, isSaid: true } : page)));
  }

  #read(): RememberedPage[] {
    try {
      const stored: unknown = JSON.parse(localStorage.getItem(this.#deps.key) ?? "[]");
      return Array.isArray(stored) ? stored : [];
    } catch {
      // Storage is forbidden, or holds something else.
      return [];
    }
  }

  #write(pages: readonly RememberedPage[]): void {
    const since = this.#deps.now() - visitMs;
    const open = pages.filter(({ isSaid, next, atMs }) => !isSaid || (next === undefined && atMs > since));
    try {
      if (open.length === 0) localStorage.removeItem(this.#deps.key);
      else localStorage.setItem(this.#deps.key, JSON.stringify(open.slice(-mostPages)));
    } catch {
      // Storage is full or forbidden: the page is known to the server only.
    }
  }
}
