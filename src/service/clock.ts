/** Injected time, so that tests move it instead of waiting. */
export interface Clock {
  /** Milliseconds since 1970. Jumps when the system clock is set. */
  now(): number;
  /** Milliseconds since an arbitrary moment. Never jumps; for ages and rates. */
  elapsed(): number;
}

export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

export const quarterMs = 900_000;
export const hourMs = 3_600_000;
export const dayMs = 86_400_000;

/** A smaller difference between two clocks is latency of the network and a sufficiently exact clock. */
export const clocksAgreeMs = 60_000;
