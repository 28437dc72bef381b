/** Requests of one route on one build, and those of them that failed. */
export interface Tally {
  requests: number;
  failures: number;
}

export const noRequests: Readonly<Tally> = { requests: 0, failures: 0 };

export function addTallies(one: Tally, two: Tally): Tally {
  return { requests: one.requests + two.requests, failures: one.failures + two.failures };
}

/** A healthy route is wrongly judged at most once in a thousand releases. Half of it is for the rate of before. */
const falseAlarms = 0.001;

/** Fewer failures are never enough, whatever the numbers say. */
const fewestFailures = 3;

/** A route that fails more rarely is not worth another build. */
const leastRate = 0.02;

/** The rates that are tried as an explanation: this one for a route that is broken, and as many between. */
const brokenRate = 0.98;
const ratesBetween = 11;

/**
 * The rate of failures that the build before stays below, with a chance of error of half of `falseAlarms` (Chernoff's
 * bound). 1 if it has answered nothing: then no failure of the new build is evidence against it.
 */
export function highestRate({ requests, failures }: Tally): number {
  if (requests <= 0) return 1;
  const seen = Math.min(1, failures / requests);
  const enough = Math.log(2 / falseAlarms) / requests;
  let [low, high] = [seen, 1];
  for (let turn = 0; turn < 50; turn++) {
    const middle = (low + high) / 2;
    if (divergence(seen, middle) < enough) low = middle;
    else high = middle;
  }
  return high;
}

/**
 * How much better a higher rate explains what was seen than `rate` does, as a logarithm. It is a mixture of likelihood
 * ratios: for a route that fails at `rate` or less, it ever reaches log(x) with a chance of 1/x at most (Ville's
 * inequality). So it may be read after each request, and the number of requests need not be known before.
 */
export function evidenceAgainst(rate: number, { requests, failures }: Tally): number {
  if (rate >= brokenRate) return Number.NEGATIVE_INFINITY;
  const terms = [explainedBy(brokenRate) - Math.log(2)];
  for (let at = 1; at <= ratesBetween; at++)
    terms.push(explainedBy(rate * (brokenRate / rate) ** (at / (ratesBetween + 1))) - Math.log(2 * ratesBetween));
  const most = Math.max(...terms);
  return most + Math.log(terms.reduce((sum, term) => sum + Math.exp(term - most), 0));

  function explainedBy(other: number): number {
    return failures * Math.log(other / rate) + (requests - failures) * Math.log((1 - other) / (1 - rate));
  }
}

/** What was seen of a route on the new build: since it is watched, and in the last requests of these. */
export interface Observation {
  all: Tally;
  recent: Tally;
  /** How often the recent requests were begun again. */
  windows: number;
}

export const nothingSeen: Observation = { all: noRequests, recent: noRequests, windows: 0 };

/** A route that breaks later would otherwise be measured by everything that has succeeded before. */
const recentRequests = 100;

export function observe({ all, recent, windows }: Observation, tally: Tally): Observation {
  const isFull = recent.requests >= recentRequests;
  return {
    all: addTallies(all, tally),
    recent: isFull ? tally : addTallies(recent, tally),
    windows: isFull ? windows + 1 : windows,
  };
}

/**
 * Whether a route fails more often on this build than on the one before. The chance of a false alarm is shared out:
 * three quarters for all requests since it is watched, and the rest for the recent ones, less for each time they begin
 * again. `heals` is how often the route was healed in this release already, and halves the chance each time. So all
 * chances together stay below the bound.
 */
export function failsMore({ all, recent, windows }: Observation, before: Tally, heals: number): boolean {
  const enough = Math.log(2 / falseAlarms) + heals * Math.log(2);
  if (hasEvidence(all, before, enough - Math.log(3 / 4))) return true;
  return windows > 0 && hasEvidence(recent, before, enough + Math.log(4 * windows * (windows + 1)));
}

function hasEvidence(now: Tally, before: Tally, enough: number): boolean {
  // Most questions end here, and cost nothing.
  if (now.failures < fewestFailures || now.failures <= now.requests * leastRate) return false;
  const rate = Math.max(highestRate(before), leastRate);
  return now.failures > now.requests * rate && evidenceAgainst(rate, now) >= enough;
}

/** Kullback–Leibler divergence of two coins. */
function divergence(seen: number, rate: number): number {
  const part = (share: number, expected: number): number => (share === 0 ? 0 : share * Math.log(share / expected));
  return part(seen, rate) + part(1 - seen, 1 - rate);
}
