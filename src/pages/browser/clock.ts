/** A clock in milliseconds that never goes back. */
export interface BrowserClock {
  now(): number;
}

/** Smaller differences between the two clocks come from rounding and from small corrections of the wall clock. */
const sleepNoticedMs = 5_000;

/**
 * Creates a monotonic clock that also counts the time a device slept: browsers may stop `performance.now()` during
 * sleep, and a page prefetched before the lid was closed is not fresh when it opens again. Setting the wall clock back
 * changes nothing.
 */
export function createClock(monotonic: () => number, wall: () => number): BrowserClock {
  let sleptMs = 0;
  let apart = wall() - monotonic();
  return {
    now() {
      const awakeMs = monotonic();
      const apartNow = wall() - awakeMs;
      if (apartNow - apart > sleepNoticedMs) sleptMs += apartNow - apart;
      // Small differences may add up over hours without being sleep, so each call compares with the previous one.
      apart = apartNow;
      return awakeMs + sleptMs;
    },
  };
}
