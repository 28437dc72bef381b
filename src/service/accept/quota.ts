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
  /** Bytes of attached files. */
  files: Bucket | undefined;
}

const daySeconds = 86_400;

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

  /** Takes an attached file from the project's bytes of a day. */
  takeFile(project: number, bytes: number, dayBytes: number): RateLimit | undefined {
    const buckets = this.#bucketsOf(project);
    buckets.files ??= this.#fullBucket(dayBytes);
    const bucket = this.#filled(buckets.files, dayBytes / daySeconds, dayBytes);
    if (bucket.tokens < bytes)
      return { seconds: this.#limits.backOffSeconds, categories: ["attachment"], reason: "quota" };
    bucket.tokens -= bytes;
    return undefined;
  }

  #bucketsOf(project: number): ProjectBuckets {
    const known = this.#projects.get(project);
    if (known !== undefined) return known;
    const requests = this.#fullBucket(this.#limits.requestBurst);
    const fresh: ProjectBuckets = { requests, items: new Map(), files: undefined };
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
    if (this.#filled(bucket, perSecond, burst).tokens >= 1) {
      bucket.tokens -= 1;
      return undefined;
    }
    return Math.min(this.#limits.backOffSeconds, Math.max(1, Math.ceil(burst / 10 / perSecond)));
  }

  #filled(bucket: Bucket, perSecond: number, burst: number): Bucket {
    const now = this.#clock.elapsed();
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledAt) / 1000) * perSecond);
    bucket.filledAt = now;
    return bucket;
  }
}
