import type { BrowserLimits } from "../../limits.ts";

/** Why a page is prefetched, most urgent first. */
export const urgency = { press: 0, intent: 1, viewport: 2, render: 3 } as const;
export type Trigger = keyof typeof urgency;

interface Wish {
  url: string;
  urgency: number;
  /** Pixels from the middle of the viewport; among equals the nearest goes first. */
  distance: number;
}

export interface PrefetchQueueDeps {
  now(): number;
  /** `pressed`: the visitor holds the link down, so this is the start of a click. */
  send(url: string, pressed: boolean): void;
  suppressed(url: string): void;
}

type QueueLimits = Pick<
  BrowserLimits,
  "prefetchesAtOnce" | "prefetchesPerMinute" | "prefetchBurst" | "prefetchSameUrlMs"
>;

/**
 * Decides which page is prefetched when. At most `prefetchesAtOnce` run, nothing is sent during a navigation, and a
 * token bucket bounds the rate per tab, so that an endless loop of requests cannot exceed it.
 */
export class PrefetchQueue {
  readonly #limits: QueueLimits;
  readonly #deps: PrefetchQueueDeps;
  readonly #running = new Set<string>();
  /** When each address was last sent; entries older than `prefetchSameUrlMs` are dropped. */
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

  /** Queues an address. A repeated request only raises its urgency. */
  want(url: string, trigger: Trigger, distance = 0): void {
    if (this.#running.has(url) || this.#sentLately(url)) return;
    const known = this.#waiting.find((wish) => wish.url === url);
    const wish = { url, urgency: Math.min(urgency[trigger], known?.urgency ?? urgency.render), distance };
    this.#waiting = this.#waiting.filter((other) => other !== known);
    // Among intents the newest goes first: the pointer is on that link now.
    const index = this.#waiting.findIndex((other) => isBefore(wish, other));
    this.#waiting.splice(index < 0 ? this.#waiting.length : index, 0, wish);
    this.#sendNext();
  }

  /**
   * Removes an address from the queue, because its link has left the viewport or was clicked. Returns false if it was
   * not queued.
   */
  drop(url: string): boolean {
    const before = this.#waiting.length;
    this.#waiting = this.#waiting.filter((wish) => wish.url !== url);
    return this.#waiting.length < before;
  }

  /** This prefetch has ended or was aborted: its slot is free. */
  ended(url: string): void {
    if (this.#running.delete(url)) this.#sendNext();
  }

  pause(paused: boolean): void {
    this.#paused = paused;
    this.#sendNext();
  }

  /** The server asked for fewer requests: nothing is sent for this long, and the queue is emptied. */
  stopFor(ms: number): void {
    this.#stoppedUntil = this.#deps.now() + ms;
    this.#suppressAll();
  }

  /** Earlier prefetches are worthless now, so their addresses may be fetched again at once. The rate limit stays. */
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
      // Entries are in order of sending, so the first recent one ends the search.
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
