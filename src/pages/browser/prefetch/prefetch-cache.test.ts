import { describe, expect, it } from "vitest";
import { browserLimits } from "../../limits.ts";
import { PrefetchCache } from "./prefetch-cache.ts";

describe("a prefetched page", () => {
  it.each([
    [0, "fresh"],
    [29_999, "fresh"],
    [30_000, "stale"],
    [299_999, "stale"],
    [300_000, "absent"],
  ])("a prefetched page that is %i ms old is %s", (age, kind) => {
    const { cache } = cacheHolding("/a", { sentAt: 1_000 });
    expect(cache.find("/a", 1_000 + age).kind).toBe(kind);
  });

  it("does not stay fresh longer because it is read", () => {
    const { cache } = cacheHolding("/a", { sentAt: 0 });
    for (let now = 0; now < 30_000; now += 1_000) expect(cache.find("/a", now).kind).toBe("fresh");
    expect(cache.find("/a", 30_000).kind).toBe("stale");
  });

  it("keeps the windows that its page declares", () => {
    const { cache } = cacheHolding("/a", { sentAt: 0, freshMs: 0, expiresMs: 1_000 });
    expect(cache.find("/a", 0).kind).toBe("stale");
    expect(cache.find("/a", 999).kind).toBe("stale");
    expect(cache.find("/a", 1_000).kind).toBe("absent");
  });

  it("is reported when it expires unused", () => {
    const { cache, left } = cacheHolding("/a", { sentAt: 0 });
    cache.sweep(299_999);
    expect(left).toEqual([]);
    cache.sweep(300_000);
    expect(left).toEqual([["/a", "expired", 300_000]]);
    expect(cache.size).toBe(0);
  });
});

describe("the prefetch cache", () => {
  it("evicts the least recently used beyond 200 entries", () => {
    const { cache, keep, left } = cacheHolding("/0", { sentAt: 0 });
    for (let i = 1; i < 200; i++) keep(`/${i}`);
    expect(cache.find("/0", 1).kind).toBe("fresh");
    keep("/200");
    expect(cache.size).toBe(200);
    expect(left).toEqual([["/1", "evicted", 0]]);
    expect(cache.find("/0", 1).kind).toBe("fresh");
  });

  it("evicts the least recently used beyond 10 MB", () => {
    const { cache, keep, left } = cacheHolding("/a", { sentAt: 0, bytes: 6_000_000 });
    keep("/b", 4_000_000);
    expect(cache.size).toBe(2);
    keep("/c", 1);
    expect(left).toEqual([["/a", "evicted", 1]]);
    keep("/b", 1);
    keep("/d", 9_999_998);
    expect(cache.size).toBe(3);
  });

  it("does not keep a page larger than its whole limit, nor evict others for it", () => {
    const { cache, keep } = cacheHolding("/a", { sentAt: 0 });
    keep("/huge", 10_000_001);
    expect(cache.find("/huge", 1).kind).toBe("absent");
    expect(cache.find("/a", 1).kind).toBe("fresh");
  });

  it("contains nothing after it was emptied", () => {
    const { cache, keep } = cacheHolding("/a", { sentAt: 0, bytes: 9_000_000 });
    cache.empty();
    keep("/b", 9_000_000);
    expect(cache.find("/a", 1).kind).toBe("absent");
    expect(cache.find("/b", 1).kind).toBe("fresh");
  });
});

function cacheHolding(key: string, entry: { sentAt: number; freshMs?: number; expiresMs?: number; bytes?: number }) {
  const left: [string, string, number][] = [];
  const cache = new PrefetchCache<string>(browserLimits, (...facts) => left.push(facts));
  const windows = { freshMs: browserLimits.prefetchFreshMs, expiresMs: browserLimits.prefetchExpiresMs };
  cache.keep(key, { page: key, bytes: 100, ...windows, ...entry }, entry.sentAt);
  const keep = (other: string, bytes = 100) => cache.keep(other, { page: other, sentAt: 1, bytes, ...windows }, 1);
  return { cache, left, keep };
}
