/** Milliseconds that only grow. */
export interface BrowserClock {
  now(): number;
}

/** Below this the two clocks differ by rounding and by small corrections of the wall clock. */
const sleepNoticedMs = 5_000;

/**
 * A monotonic clock that also counts the time a device slept: browsers may stop `performance.now()` during sleep, and a
 * page prefetched before the lid was closed is not fresh when it opens again. A wall clock that is set back changes
 * nothing.
 */
export function createClock(monotonic: () => number, wall: () => number): BrowserClock {
  let sleptMs = 0;
  let apart = wall() - monotonic();
  return {
    now() {
      const awake = monotonic();
      const apartNow = wall() - awake;
      if (apartNow - apart > sleepNoticedMs) sleptMs += apartNow - apart;
      // Small differences may add up over hours without being sleep, so the comparison always starts from the last
      // look.
      apart = apartNow;
      return awake + sleptMs;
    },
  };
}
