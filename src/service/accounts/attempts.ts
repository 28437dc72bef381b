import type { Clock } from "../clock.ts";

/** So many wrong passwords are a person who mistypes; more are somebody who guesses. */
const freeFailures = 5;
const firstWaitMs = 1_000;
const longestWaitMs = 900_000;
/** A flood of made-up addresses may not fill the memory; those who fail longest ago are forgotten first. */
const mostRemembered = 10_000;

/** Slows down guessing: after some failures each further one doubles the wait, for that account alone. */
export class Attempts {
  readonly #clock: Clock;
  readonly #failures = new Map<string, { count: number; until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Seconds until the next try is looked at; 0 for now. */
  waitFor(name: string): number {
    const until = this.#failures.get(name)?.until ?? 0;
    return Math.max(0, Math.ceil((until - this.#clock.elapsed()) / 1_000));
  }

  failed(name: string): void {
    const count = (this.#failures.get(name)?.count ?? 0) + 1;
    const waitMs = count <= freeFailures ? 0 : Math.min(longestWaitMs, firstWaitMs * 2 ** (count - freeFailures - 1));
    this.#failures.delete(name);
    this.#failures.set(name, { count, until: this.#clock.elapsed() + waitMs });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > mostRemembered && oldest !== undefined) this.#failures.delete(oldest);
  }

  succeeded(name: string): void {
    this.#failures.delete(name);
  }
}
