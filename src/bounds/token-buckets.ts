/** Allows a burst and then a rate per second, for each key separately. Stores a limited number of keys. */
export class TokenBuckets {
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>();
  readonly #burst: number;
  readonly #perSecond: number;
  readonly #keysAtMost: number;

  constructor(burst: number, perSecond: number, keysAtMost = 10_000) {
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#keysAtMost = keysAtMost;
  }

  /** Returns 0 if it may pass, else the seconds to wait. */
  take(key: string, nowMs: number): number {
    const tokens = this.#tokensOf(key, nowMs);
    // Deleted and inserted again, so that the keys stay ordered by their last use.
    this.#buckets.delete(key);
    const passes = tokens >= 1;
    this.#buckets.set(key, { tokens: passes ? tokens - 1 : tokens, atMs: nowMs });
    if (this.#buckets.size > this.#keysAtMost)
      for (const oldest of this.#buckets.keys()) {
        this.#buckets.delete(oldest);
        break;
      }
    return this.#secondsUntilOne(tokens);
  }

  /** Takes back one that was taken for something that does not count after all. */
  giveBack(key: string): void {
    const known = this.#buckets.get(key);
    if (known !== undefined) known.tokens = Math.min(this.#burst, known.tokens + 1);
  }

  #tokensOf(key: string, nowMs: number): number {
    const known = this.#buckets.get(key);
    if (known === undefined) return this.#burst;
    return Math.min(this.#burst, known.tokens + ((nowMs - known.atMs) / 1_000) * this.#perSecond);
  }

  #secondsUntilOne(tokens: number): number {
    return tokens >= 1 ? 0 : Math.ceil((1 - tokens) / this.#perSecond);
  }
}
