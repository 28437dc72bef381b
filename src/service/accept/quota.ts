import type { Category } from "#protocol";
import type { Clock } from "../clock.ts";
import type { AcceptLimits } from "./limits.ts";
import type { RateLimit } from "./outcome.ts";

interface Bucket {
  tokens: number;
  filledAt: number;
}

/**
 * How much each project may send: a bucket of requests, looked at before a body is read, and one for each category of items.
 * Buckets fill with a clock that does not jump.
 */
export class Quota {
  readonly #limits: AcceptLimits;
  readonly #clock: Clock;
  readonly #requests = new Map<number, Bucket>();
  readonly #items = new Map<string, Bucket>();

  constructor(limits: AcceptLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Takes one request out of the project's bucket; a limit when there is none left. */
  takeRequest(project: number): RateLimit | undefined {
    const { requestsPerSecond, requestBurst } = this.#limits;
    const wait = this.#take(this.#requests, project, 1, requestsPerSecond, requestBurst);
    return wait === undefined ? undefined : { seconds: wait, categories: [], reason: "requests" };
  }

  takeItem(project: number, category: Category): RateLimit | undefined {
    const { itemsPerSecond, itemBurst } = this.#limits;
    const wait = this.#take(this.#items, `${project} ${category}`, 1, itemsPerSecond, itemBurst);
    return wait === undefined ? undefined : { seconds: wait, categories: [category], reason: "quota" };
  }

  /** Seconds to wait until a tenth of the burst is there again, or nothing when there was enough. */
  #take<Key>(
    buckets: Map<Key, Bucket>,
    key: Key,
    amount: number,
    perSecond: number,
    burst: number,
  ): number | undefined {
    const now = this.#clock.elapsed();
    const bucket = buckets.get(key) ?? { tokens: burst, filledAt: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledAt) / 1000) * perSecond);
    bucket.filledAt = now;
    buckets.set(key, bucket);
    if (bucket.tokens >= amount) {
      bucket.tokens -= amount;
      return undefined;
    }
    return Math.min(this.#limits.backOffSeconds, Math.max(1, Math.ceil(burst / 10 / perSecond)));
  }
}
