import { type NextStep, type StatedPage, writeBalance } from "#protocol";
import type { NavigationOutcome } from "#signals";

/** An error page that this browser has shown, until the service knows of it and of what came next. */
interface RememberedPage extends Omit<StatedPage, "side"> {
  /** A form of the page has shown the error. */
  isForm?: boolean;
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

  shown(digest: string, route: string, atMs: number, isForm = false): void {
    const pages = this.#read();
    if (pages.some((page) => page.digest === digest)) return;
    const chain = pages.findLast(({ next }) => next === undefined)?.chain ?? digest;
    this.#write([...pages, { digest, route, atMs, chain, isForm }]);
    this.say();
  }

  /** A page without an error was asked for at this time and is shown. */
  reached(route: string, askedMs: number): void {
    // After the error of a form, the same page alone is not what its visitor wanted.
    this.#decide(askedMs, (page) => (page.route !== route ? "further" : page.isForm ? undefined : "through"));
  }

  /** A form of a page has its result. One that was refused may be sent again. */
  submitted(
    outcome: NavigationOutcome,
    { route, sentMs, atMs }: { route: string; sentMs: number; atMs: number },
  ): void {
    const isDone = outcome.kind === "redirected" || (outcome.kind === "committed" && outcome.status < 400);
    if (isDone) this.#decide(sentMs, (page) => (page.route === route ? "through" : "further"));
    else if (outcome.kind === "failed" && outcome.digest) this.shown(outcome.digest, route, atMs, true);
  }

  #decide(askedMs: number, nextOf: (page: RememberedPage) => NextStep | undefined): void {
    this.#write(
      this.#read().map((page) => {
        const next = page.next === undefined && page.atMs < askedMs ? nextOf(page) : undefined;
        return next === undefined ? page : { ...page, next, isSaid: false };
      }),
    );
    this.say();
  }

  /** Sends what the service does not know yet. */
  say(): void {
    const pages = this.#read().filter(({ isSaid }) => !isSaid);
    if (pages.length === 0) return;
    const stated = pages.map(({ isSaid: _, isForm: __, ...page }): StatedPage => ({ ...page, side: "browser" }));
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
