import { sourceOf, TokenBuckets } from "#bounds";
import type { TokenLimits } from "./limits.ts";

/**
 * Slows down clients that send refused tokens. A token that worked before passes nevertheless: it may be another
 * client behind the same address.
 */
export class RefusedTries {
  readonly #tries: TokenBuckets;
  /** Look-ups that have not ended, by token. */
  readonly #running = new Map<string, number>();
  /** Ordered by the last use. */
  readonly #worked = new Set<string>();
  readonly #limits: Pick<TokenLimits, "rememberedTokens">;

  constructor(limits: Pick<TokenLimits, "refusedBurst" | "refusedPerSecond" | "rememberedTokens">) {
    this.#limits = limits;
    this.#tries = new TokenBuckets(limits.refusedBurst, limits.refusedPerSecond);
  }

  /**
   * Returns the seconds to wait before the token may be looked up. Counts the try before its result is known, so that
   * many guesses at once are no more than one after another. The same token at the same time is one try.
   */
  begin(address: string, hash: string, nowMs: number): number {
    const running = this.#running.get(hash) ?? 0;
    const isCounted = running > 0 || this.#worked.has(hash);
    const seconds = isCounted ? 0 : this.#tries.take(sourceOf(address), nowMs);
    if (seconds === 0) this.#running.set(hash, running + 1);
    return seconds;
  }

  /** After each look-up that has begun. */
  end(hash: string): void {
    const running = this.#running.get(hash) ?? 0;
    if (running > 1) this.#running.set(hash, running - 1);
    else this.#running.delete(hash);
  }

  worked(address: string, hash: string): void {
    if (!this.#worked.has(hash)) this.#tries.giveBack(sourceOf(address));
    this.#worked.delete(hash);
    this.#worked.add(hash);
    if (this.#worked.size <= this.#limits.rememberedTokens) return;
    for (const oldest of this.#worked) {
      this.#worked.delete(oldest);
      break;
    }
  }

  refused(hash: string): void {
    this.#worked.delete(hash);
  }
}
