import type { BrowserLimits } from "../../limits.ts";

export interface CachedPage<Page> {
  page: Page;
  /** When the request was sent: later changes on the server are not included. */
  sentAt: number;
  freshMs: number;
  expiresMs: number;
  bytes: number;
}

export type CacheLookup<Page> = { kind: "fresh" | "stale"; page: Page; ageMs: number } | { kind: "absent" };

export type UnusedReason = "expired" | "evicted";

/**
 * Prefetched pages by address. Age counts from the request, and reading never extends it. A page is fresh below
 * `freshMs`, shown and revalidated below `expiresMs`, and absent after that.
 */
export class PrefetchCache<Page> {
  /** In order of use, least recently used first: a Map keeps insertion order. */
  readonly #entries = new Map<string, CachedPage<Page>>();
  readonly #limits: Pick<BrowserLimits, "cacheEntries" | "cacheBytes">;
  readonly #left: (key: string, why: UnusedReason, ageMs: number) => void;
  #bytes = 0;

  constructor(
    limits: Pick<BrowserLimits, "cacheEntries" | "cacheBytes">,
    left: (key: string, why: UnusedReason, ageMs: number) => void,
  ) {
    this.#limits = limits;
    this.#left = left;
  }

  get size(): number {
    return this.#entries.size;
  }

  find(key: string, now: number): CacheLookup<Page> {
    const entry = this.#entries.get(key);
    if (entry === undefined) return { kind: "absent" };
    const ageMs = now - entry.sentAt;
    if (ageMs >= entry.expiresMs) {
      this.#remove(key, "expired", now);
      return { kind: "absent" };
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return { kind: ageMs < entry.freshMs ? "fresh" : "stale", page: entry.page, ageMs };
  }

  keep(key: string, entry: CachedPage<Page>, now: number): void {
    this.drop(key);
    if (entry.bytes > this.#limits.cacheBytes) return;
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
    this.sweep(now);
  }

  /** Drops expired pages, then the least recently used until the limits hold. */
  sweep(now: number): void {
    for (const [key, entry] of this.#entries)
      if (now - entry.sentAt >= entry.expiresMs) this.#remove(key, "expired", now);
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= this.#limits.cacheEntries && this.#bytes <= this.#limits.cacheBytes) return;
      this.#remove(key, "evicted", now);
    }
  }

  keepOnly(isKept: (page: Page) => boolean): void {
    for (const [key, { page }] of this.#entries) if (!isKept(page)) this.drop(key);
  }

  empty(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  drop(key: string): CachedPage<Page> | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
    return entry;
  }

  #remove(key: string, why: UnusedReason, now: number): void {
    const entry = this.drop(key);
    if (entry !== undefined) this.#left(key, why, now - entry.sentAt);
  }
}
