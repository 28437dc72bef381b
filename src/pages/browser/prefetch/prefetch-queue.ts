import type { BrowserLimits } from "../../limits.ts";

/** Why a page is wanted ahead, most pressing first. */
export const urgency = { press: 0, intent: 1, viewport: 2, render: 3 } as const;
export type Trigger = keyof typeof urgency;

interface Wish {
  url: string;
  urgency: number;
  /** Pixels from the middle of what is seen; nearer goes first among equals. */
  distance: number;
}

export interface PrefetchQueueDeps {
  now(): number;
  /** `pressed`: the visitor holds the link down, so that this is the beginning of a click. */
  send(url: string, pressed: boolean): void;
  suppressed(url: string): void;
}

type QueueLimits = Pick<
  BrowserLimits,
  "prefetchesAtOnce" | "prefetchesPerMinute" | "prefetchBurst" | "prefetchSameUrlMs"
>;

/**
 * Decides which page is prefetched when. Never more than `prefetchesAtOnce` run, nothing is sent while a navigation is
 * pending, and a token bucket bounds the rate per tab: a loop that asks for ever sends no more than the bucket gives.
 */
export class PrefetchQueue {
  readonly #limits: QueueLimits;
  readonly #deps: PrefetchQueueDeps;
  readonly #running = new Set<string>();
  /** When each address was last sent; older than `prefetchSameUrlMs` is forgotten. */
  readonly #sentAt = new Map<string, number>();
  #waiting: Wish[] = [];
  #paused = false;
  #tokens: number;
  #filledAt: number;
  #stoppedUntil = Number.NEGATIVE_INFINITY;

  constructor(limits: QueueLimits, deps: PrefetchQueueDeps) {
    this.#limits = limits;
    this.#deps = deps;
    this.#tokens = limits.prefetchBurst;
    this.#filledAt = deps.now();
  }

  get runningCount(): number {
    return this.#running.size;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** A second wish for the same address only raises its place. */
  want(url: string, trigger: Trigger, distance = 0): void {
    if (this.#running.has(url) || this.#sentLately(url)) return;
    const known = this.#waiting.find((wish) => wish.url === url);
    const wish = { url, urgency: Math.min(urgency[trigger], known?.urgency ?? urgency.render), distance };
    this.#waiting = this.#waiting.filter((other) => other !== known);
    // Newest first among intents: the pointer is on the last one.
    const place = this.#waiting.findIndex((other) => isBefore(wish, other));
    this.#waiting.splice(place < 0 ? this.#waiting.length : place, 0, wish);
    this.#sendNext();
  }

  /**
   * Takes an address out of the queue: its link is gone from view, or the visitor clicked it. False when it was not
   * waiting.
   */
  drop(url: string): boolean {
    const before = this.#waiting.length;
    this.#waiting = this.#waiting.filter((wish) => wish.url !== url);
    return this.#waiting.length < before;
  }

  /** The body of this prefetch has ended, or it was aborted: its slot is free. */
  ended(url: string): void {
    if (this.#running.delete(url)) this.#sendNext();
  }

  pause(paused: boolean): void {
    this.#paused = paused;
    this.#sendNext();
  }

  /** The server asked for less: nothing is sent for so long, and nothing waits for the time after. */
  stopFor(ms: number): void {
    this.#stoppedUntil = this.#deps.now() + ms;
    this.#suppressAll();
  }

  /** What was fetched before is worth nothing now, so it may be fetched again at once. The rate bound stays. */
  forget(): void {
    this.#sentAt.clear();
  }

  #sendNext(): void {
    while (!this.#paused && this.#waiting.length > 0 && this.#running.size < this.#limits.prefetchesAtOnce) {
      const wish = this.#takeToken() ? this.#waiting.shift() : this.#suppressAll();
      if (wish === undefined) return;
      this.#running.add(wish.url);
      this.#sentAt.set(wish.url, this.#deps.now());
      this.#deps.send(wish.url, wish.urgency === urgency.press);
    }
  }

  #sentLately(url: string): boolean {
    const now = this.#deps.now();
    for (const [sent, at] of this.#sentAt) {
      // In order of sending: the first young one ends the search.
      if (now - at < this.#limits.prefetchSameUrlMs) break;
      this.#sentAt.delete(sent);
    }
    return this.#sentAt.has(url);
  }

  #takeToken(): boolean {
    const now = this.#deps.now();
    const { prefetchBurst, prefetchesPerMinute } = this.#limits;
    this.#tokens = Math.min(prefetchBurst, this.#tokens + ((now - this.#filledAt) * prefetchesPerMinute) / 60_000);
    this.#filledAt = now;
    if (now < this.#stoppedUntil || this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  #suppressAll(): undefined {
    for (const { url } of this.#waiting.splice(0)) this.#deps.suppressed(url);
  }
}

function isBefore(wish: Wish, other: Wish): boolean {
  return wish.urgency === other.urgency
    ? wish.urgency <= urgency.intent || wish.distance < other.distance
    : wish.urgency < other.urgency;
}
