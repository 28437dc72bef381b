import { describe, expect, test } from "vitest";
import { defaultSampleRate } from "../settings.ts";
import { createSampling, type Sampled } from "./sampling.ts";

const stranger = { method: "GET", target: "/", header: () => undefined };

describe("sampling", () => {
  test("a tenth of the requests is traced while there are few", () => {
    const rates = seconds(3, 100, createSampling({}, 20)).map(({ rate }) => rate);
    expect(new Set(rates)).toEqual(new Set([defaultSampleRate]));
  });

  test("about a fixed number of requests per second is traced in a rush, each with its true rate", () => {
    const decided = seconds(5, 20_000, createSampling({}, 20));
    const settled = decided.slice(20_000);
    const traced = settled.filter(({ sampled }) => sampled);
    // 20 per second over four seconds; the limits are six standard deviations away.
    expect(traced.length).toBeGreaterThan(26);
    expect(traced.length).toBeLessThan(134);
    // 20,000 in steps of 1,024.
    expect(traced.every(({ rate }) => rate === 20 / 20_480)).toBe(true);
    // The first second of a rush is unpredictable: it has more traces, but far fewer than a tenth.
    expect(decided.slice(0, 20_000).filter(({ sampled }) => sampled).length).toBeLessThan(220);
    // Above 200 requests, each of that second would have a rate of its own: sixteen for each doubling are left.
    expect(new Set(decided.slice(0, 20_000).map(({ rate }) => rate)).size).toBeLessThan(7 * 16 + 8);
  });

  test("as many requests as before are traced after the rush", () => {
    const sampling = createSampling({}, 20);
    seconds(2, 5_000, sampling);
    expect(sampling(undefined, stranger, "/", 10_000).rate).toBe(defaultSampleRate);
  });

  test("all requests are traced if the application sets this, however many there are", () => {
    expect(seconds(1, 1_000, createSampling({ sampleRate: 1 }, 20)).every(({ sampled }) => sampled)).toBe(true);
    expect(seconds(1, 1_000, createSampling({ sampleRate: 0 }, 20)).some(({ sampled }) => sampled)).toBe(false);
  });
});

/** A number of requests in each of some seconds. */
function seconds(count: number, perSecond: number, sampling: ReturnType<typeof createSampling>): Sampled[] {
  return Array.from({ length: count * perSecond }, (_, at) =>
    sampling(undefined, stranger, "/", (at / perSecond) * 1_000),
  );
}
