import type { Category, RateLimit } from "#protocol";
import type { Clock } from "../clock.ts";
import type { AcceptLimits } from "./limits.ts";

interface Bucket {
  tokens: number;
  filledAt: number;
}

interface ProjectBuckets {
  readonly requests: Bucket;
  readonly items: Map<Category, Bucket>;
}

/**
 * Token buckets of each project: one for requests, checked before a body is read, and one for each category of items.
 * They fill by a clock that does not jump.
 */
export class Quota {
  readonly #limits: AcceptLimits;
  readonly #clock: Clock;
  readonly #projects = new Map<number, ProjectBuckets>();

  constructor(limits: AcceptLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Takes a request from the project's bucket. Returns a limit if the bucket is empty. */
  takeRequest(project: number): RateLimit | undefined {
    const { requestsPerSecond, requestBurst } = this.#limits;
    const wait = this.#takeOne(this.#bucketsOf(project).requests, requestsPerSecond, requestBurst);
    return wait === undefined ? undefined : { seconds: wait, categories: [], reason: "requests" };
  }

  takeItem(project: number, category: Category): RateLimit | undefined {
    const { itemsPerSecond, itemBurst } = this.#limits;
    const wait = this.#takeOne(this.#bucketOf(project, category), itemsPerSecond, itemBurst);
    return wait === undefined ? undefined : { seconds: wait, categories: [category], reason: "quota" };
  }

  #bucketsOf(project: number): ProjectBuckets {
    const known = this.#projects.get(project);
    if (known !== undefined) return known;
    const fresh = { requests: this.#fullBucket(this.#limits.requestBurst), items: new Map<Category, Bucket>() };
    this.#projects.set(project, fresh);
    return fresh;
  }

  #bucketOf(project: number, category: Category): Bucket {
    const { items } = this.#bucketsOf(project);
    const known = items.get(category);
    if (known !== undefined) return known;
    const fresh = this.#fullBucket(this.#limits.itemBurst);
    items.set(category, fresh);
    return fresh;
  }

  #fullBucket(burst: number): Bucket {
    return { tokens: burst, filledAt: this.#clock.elapsed() };
  }

  /** Takes a token. If there is none, returns the seconds until a tenth of the burst is available. */
  #takeOne(bucket: Bucket, perSecond: number, burst: number): number | undefined {
    const now = this.#clock.elapsed();
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledAt) / 1000) * perSecond);
    bucket.filledAt = now;
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return undefined;
    }
    return Math.min(this.#limits.backOffSeconds, Math.max(1, Math.ceil(burst / 10 / perSecond)));
  }
}
