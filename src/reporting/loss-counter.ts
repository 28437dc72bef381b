import type { Category } from "#protocol";

/** Why a report was not delivered: a filter's rule, or a reason of the protocol. */
export type LossReason =
  | `filter:${string}`
  | "ratelimit_backoff"
  | "cache_overflow"
  | "queue_overflow"
  | "send_error"
  | "internal_sdk_error";

/** Counts reports that were left out or lost, by reason and category, until the counts are sent to the service. */
export class LossCounter {
  readonly #counts = new Map<string, { reason: LossReason; category: Category; quantity: number }>();

  add(reason: LossReason, category: Category, quantity = 1): void {
    const key = `${reason} ${category}`;
    const known = this.#counts.get(key);
    if (known) known.quantity += quantity;
    else this.#counts.set(key, { reason, category, quantity });
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  /** Returns the payload of a client report with all counts since the last call. */
  take(nowMs: number): object {
    const discarded_events = [...this.#counts.values()];
    this.#counts.clear();
    return { timestamp: nowMs / 1000, discarded_events };
  }
}
