import { setTimeout as delay } from "node:timers/promises";

export interface BackOffLimits {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** When to try again after failures in a row. */
export class BackOff {
  #failures = 0;
  #notBefore = 0;

  failed({ firstMs, longestMs }: BackOffLimits): void {
    const most = Math.min(longestMs, firstMs * 2 ** this.#failures);
    this.#failures += 1;
    // Many processes lose the database in the same moment; they shall not all come back in the same moment.
    this.#notBefore = performance.now() + most * (0.5 + Math.random() / 2);
  }

  succeeded(): void {
    this.#failures = 0;
    this.#notBefore = 0;
  }

  /** How long the next try has to wait. */
  get remainingMs(): number {
    return Math.max(0, this.#notBefore - performance.now());
  }

  async wait(signal: AbortSignal): Promise<void> {
    if (this.remainingMs > 0) await delay(this.remainingMs, undefined, { signal });
  }
}
