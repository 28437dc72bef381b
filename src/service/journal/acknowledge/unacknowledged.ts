import type { AppendListener, AppendOutcome } from "./append-outcome.ts";

/** Records that were written together, with their listeners. */
export interface WrittenGroup {
  /** Position of the first record. */
  readonly start: number;
  /** End of each record, in bytes after the start. */
  readonly ends: readonly number[];
  readonly listeners: readonly AppendListener[];
  /** When the first record arrived. Monotonic clock. */
  readonly arrivedMs: number;
}

/** Written records whose clients wait for the store, oldest first. */
export class Unacknowledged {
  readonly #groups: { readonly group: WrittenGroup; settled: number }[] = [];

  get isEmpty(): boolean {
    return this.#groups.length === 0;
  }

  /** When the oldest arrived. */
  get oldestMs(): number | undefined {
    return this.#groups[0]?.group.arrivedMs;
  }

  add(group: WrittenGroup): void {
    this.#groups.push({ group, settled: 0 });
  }

  /** Notifies the listeners of all records that end at or before this position. Returns their number. */
  settle(upTo: number, outcome: AppendOutcome): number {
    let count = 0;
    for (let first = this.#groups[0]; first !== undefined; first = this.#groups[0]) {
      const { start, ends, listeners } = first.group;
      const from = first.settled;
      // The store commits batches of its own size, so its position may be inside a group.
      while (first.settled < ends.length && start + (ends[first.settled] ?? 0) <= upTo) first.settled += 1;
      const isWhole = first.settled === ends.length;
      if (isWhole) this.#groups.shift();
      for (const listener of listeners.slice(from, first.settled)) listener(outcome);
      count += first.settled - from;
      if (!isWhole) break;
    }
    return count;
  }
}
