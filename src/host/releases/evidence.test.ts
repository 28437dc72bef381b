import { describe, expect, it } from "vitest";
import { randomFrom } from "../../../tests/kit/random-from.ts";
import { failsMore, highestRate, noRequests, nothingSeen, type Observation, observe, type Tally } from "./evidence.ts";

const healthy: Tally = { requests: 1_000, failures: 0 };

describe("a route that fails more often than before", () => {
  it("a broken route is found within eight requests, if twenty before it have succeeded", () => {
    const needed = (before: Tally): number => requestsUntil(nothingSeen, before);
    expect([20, 50, 100, 1_000].map((requests) => needed({ requests, failures: 0 }))).toEqual([8, 5, 4, 3]);
    // Without anything to compare it with there is no evidence.
    expect(needed(noRequests)).toBe(Number.POSITIVE_INFINITY);
    expect(needed({ requests: 500, failures: 500 })).toBe(Number.POSITIVE_INFINITY);
  });

  it("a route that breaks later is found within twenty requests, however much has succeeded before", () => {
    const needed = [50, 99, 150, 1_000, 9_990].map((requests) => requestsUntil(successes(requests), healthy));
    expect(Math.max(...needed)).toBeLessThanOrEqual(20);
  });

  it("a route of which every tenth request fails is found, too; one that fails as rarely as 1 % is let be", () => {
    expect(failsMore(seenAtOnce({ requests: 200, failures: 20 }), healthy, 0)).toBe(true);
    expect(failsMore(seenAtOnce({ requests: 1_000_000, failures: 10_000 }), healthy, 0)).toBe(false);
    expect(failsMore(seenAtOnce({ requests: 3, failures: 2 }), healthy, 0)).toBe(false);
  });

  it("each healing of a route doubles the evidence that the next one needs", () => {
    const seen = seenAtOnce({ requests: 3, failures: 3 });
    expect([0, 1, 20].map((heals) => failsMore(seen, healthy, heals))).toEqual([true, true, false]);
  });

  it("the rate of before is an upper bound, which comes closer with every request", () => {
    const bounds = [10, 100, 10_000].map((requests) => highestRate({ requests, failures: requests / 10 }));
    expect(bounds).toEqual([...bounds].sort((a, b) => b - a));
    for (const bound of bounds) expect(bound).toBeGreaterThan(0.1);
    expect(bounds[2]).toBeLessThan(0.115);
    expect(highestRate(noRequests)).toBe(1);
  });

  // With a chance of 1e-3 for each of 200 releases, two false alarms would have a chance of 2 %.
  it.each([0.01, 0.1, 0.5])(
    "two releases of which a share of %d fails are not told apart in 10,000 requests",
    (rate) => {
      const random = randomFrom(rate * 1_000);
      const batch = (requests: number): Tally => {
        let failures = 0;
        for (let at = 0; at < requests; at++) if (random() < rate) failures += 1;
        return { requests, failures };
      };
      let alarms = 0;
      for (let release = 0; release < 200; release++) {
        const before = batch(300);
        let [seen, isAlarm] = [nothingSeen, false];
        // Looked at after every twenty requests, as counts arrive.
        for (let turn = 0; turn < 500 && !isAlarm; turn++) {
          seen = observe(seen, batch(20));
          isAlarm = failsMore(seen, before, 0);
        }
        if (isAlarm) alarms += 1;
      }
      expect(alarms).toBeLessThanOrEqual(1);
    },
  );
});

/** Requests that all fail, until that is found. */
function requestsUntil(begin: Observation, before: Tally): number {
  let seen = begin;
  for (let requests = 1; requests < 1_000; requests++) {
    seen = observe(seen, { requests: 1, failures: 1 });
    if (failsMore(seen, before, 0)) return requests;
  }
  return Number.POSITIVE_INFINITY;
}

function successes(requests: number): Observation {
  let seen = nothingSeen;
  for (let at = 0; at < requests; at++) seen = observe(seen, { requests: 1, failures: 0 });
  return seen;
}

function seenAtOnce(tally: Tally): Observation {
  return observe(nothingSeen, tally);
}
