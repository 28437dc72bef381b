import { dayMs } from "../clock.ts";
import { readCount } from "../read-count.ts";

export interface TokenLimits {
  /** Tokens of one person and of one project: one for each machine and program. More are a sign of forgotten ones. */
  readonly tokensEach: number;
  /** Characters of a name: one line of a list. */
  readonly longestName: number;
  /** An expired token stays in the list, where its owner sees why a program fails. */
  readonly keepExpiredMs: number;
  /** So exactly is known when a token was used last. Each use would be a write. */
  readonly usedEveryMs: number;
  /**
   * Refused tokens of one client address: a burst, then this many per second. A program with a revoked token reaches
   * it; its neighbours behind the same address go on, because tokens that worked before are still looked up.
   */
  readonly refusedBurst: number;
  readonly refusedPerSecond: number;
  /** Tokens that worked, by hash: 1 MB. */
  readonly rememberedTokens: number;
}

export const tokenLimits: TokenLimits = {
  tokensEach: 50,
  longestName: 60,
  keepExpiredMs: 30 * dayMs,
  usedEveryMs: 60_000,
  refusedBurst: 20,
  refusedPerSecond: 0.2,
  rememberedTokens: 10_000,
};

/** Applies the operator's setting, `HOLDFAST_TOKENS_EACH`. */
export function tokenLimitsOf(env: NodeJS.ProcessEnv): TokenLimits {
  const tokensEach = readCount(env, "HOLDFAST_TOKENS_EACH");
  return tokensEach === undefined ? tokenLimits : { ...tokenLimits, tokensEach };
}
