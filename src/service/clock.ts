/** Time as it is handed to everything that needs it, so that a test moves it instead of waiting. */
export interface Clock {
  /** Milliseconds since 1970; may jump when somebody sets the clock. */
  now(): number;
  /** Milliseconds since some moment; never jumps. Ages and rates are measured with it. */
  elapsed(): number;
}

export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

export const hourMs = 3_600_000;
export const dayMs = 86_400_000;
