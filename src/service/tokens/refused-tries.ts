import { sourceOf, TokenBuckets } from "#bounds";
import type { TokenLimits } from "./limits.ts";

/**
 * Slows down clients that send refused tokens. A token that worked before passes nevertheless: it may be another
 * client behind the same address.
 */
export class RefusedTries {
  readonly #tries: TokenBuckets;
  /** Ordered by the last use. */
  readonly #worked = new Set<string>();
  readonly #limits: Pick<TokenLimits, "rememberedTokens">;

  constructor(limits: Pick<TokenLimits, "refusedBurst" | "refusedPerSecond" | "rememberedTokens">) {
    this.#limits = limits;
    this.#tries = new TokenBuckets(limits.refusedBurst, limits.refusedPerSecond);
  }

  /** Returns the seconds to wait before the token may be looked up. */
  waitFor(address: string, hash: string, nowMs: number): number {
    return this.#worked.has(hash) ? 0 : this.#tries.waitFor(sourceOf(address), nowMs);
  }

  worked(hash: string): void {
    this.#worked.delete(hash);
    this.#worked.add(hash);
    if (this.#worked.size <= this.#limits.rememberedTokens) return;
    for (const oldest of this.#worked) {
      this.#worked.delete(oldest);
      break;
    }
  }

  refused(address: string, hash: string, nowMs: number): void {
    this.#worked.delete(hash);
    this.#tries.take(sourceOf(address), nowMs);
  }
}
