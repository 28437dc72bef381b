import type { Category, RateLimit } from "#protocol";
import type { Clock } from "../clock.ts";
import type { AcceptLimits } from "./limits.ts";
import type { Sending } from "./sending.ts";

const noLimits: readonly OwnLimit[] = [];

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
const minuteSeconds = 60;

/** A limit that an owner has set, and its bucket for one category. */
interface OwnLimit {
  readonly scope: "key" | "project";
  readonly perMinute: number;
  readonly bucket: Bucket;
}

/** Losses must be seen, and a lost check-in would be a false alarm. Both are few. */
const neverLimited: ReadonlySet<Category> = new Set(["internal", "monitor"]);

/**
 * Token buckets of each project: one for requests, checked before a body is read, and one for each category of items.
 * A key or project with a limit of its own has further ones. They fill by a clock that does not jump.
 */
export class Quota {
  readonly #limits: AcceptLimits;
  readonly #clock: Clock;
  readonly #projects = new Map<number, ProjectBuckets>();
  /** By category, with the key or the project. Only known ones get here, so it is bounded. */
  readonly #own = new Map<string, Bucket>();

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

  /** Takes an item from the limits that owners set, then from the service's. If one is used up, takes from none. */
  takeItem(sending: Sending, category: Category): RateLimit | undefined {
    const own = neverLimited.has(category) ? noLimits : this.#ownLimitsOf(sending, category);
    for (const { scope, perMinute, bucket } of own) {
      const perSecond = perMinute / minuteSeconds;
      if (this.#filled(bucket, perSecond, perMinute).tokens >= 1) continue;
      const seconds = this.#secondsUntilMore(perSecond, perMinute);
      return { seconds, categories: [category], scope, reason: `${scope}_quota` };
    }
    const limit = this.#takeFromService(sending.project.id, category);
    if (limit === undefined) for (const { bucket } of own) bucket.tokens -= 1;
    return limit;
  }

  #ownLimitsOf({ project, key }: Sending, category: Category): readonly OwnLimit[] {
    const ofKey = key?.perMinute;
    const ofProject = project.perMinute;
    // Nearly every project has none.
    if (ofKey === undefined && ofProject === undefined) return noLimits;
    const limits: OwnLimit[] = [];
    if (key !== undefined && ofKey !== undefined)
      limits.push({ scope: "key", perMinute: ofKey, bucket: this.#ownBucket(`${category} ${key.publicKey}`, ofKey) });
    if (ofProject !== undefined)
      limits.push({
        scope: "project",
        perMinute: ofProject,
        bucket: this.#ownBucket(`${category} ${project.id}`, ofProject),
      });
    return limits;
  }

  #ownBucket(name: string, burst: number): Bucket {
    const known = this.#own.get(name);
    if (known !== undefined) return known;
    const fresh = this.#fullBucket(burst);
    this.#own.set(name, fresh);
    return fresh;
  }

  #takeFromService(project: number, category: Category): RateLimit | undefined {
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

  /** Takes a token. If there is none, returns the seconds to wait. */
  #takeOne(bucket: Bucket, perSecond: number, burst: number): number | undefined {
    if (this.#filled(bucket, perSecond, burst).tokens >= 1) {
      bucket.tokens -= 1;
      return undefined;
    }
    return this.#secondsUntilMore(perSecond, burst);
  }

  /** Seconds until a tenth of the burst is available, and at least one token. */
  #secondsUntilMore(perSecond: number, burst: number): number {
    return Math.min(this.#limits.backOffSeconds, Math.max(1, Math.ceil(Math.max(1, burst / 10) / perSecond)));
  }

  #filled(bucket: Bucket, perSecond: number, burst: number): Bucket {
    const now = this.#clock.elapsed();
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledAt) / 1000) * perSecond);
    bucket.filledAt = now;
    return bucket;
  }
}
