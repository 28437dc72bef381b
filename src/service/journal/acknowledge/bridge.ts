import type { Clock } from "../../clock.ts";

/**
 * Decides when the journal acknowledges in place of the store. It begins when a client has waited too long, or when the
 * store is known to be away. It ends when the store has everything, or commits in time what arrives.
 */
export class Bridge {
  readonly #afterMs: number;
  readonly #clock: Clock;
  #isBridging = false;
  #isStoreAway = false;
  #committed: number;
  /** A position, and when it was the end of the journal. Shows how long the store takes. */
  #probe = { position: 0, atMs: 0 };

  constructor(afterMs: number, clock: Clock, committed: number) {
    this.#afterMs = afterMs;
    this.#clock = clock;
    this.#committed = committed;
  }

  get isBridging(): boolean {
    return this.#isBridging;
  }

  /** Milliseconds until a record that arrived then has waited too long. */
  leftMs(arrivedMs: number): number {
    return arrivedMs + this.#afterMs - this.#clock.elapsed();
  }

  begin(end: number): void {
    if (this.#isBridging) return;
    this.#isBridging = true;
    this.#probe = { position: end, atMs: this.#clock.elapsed() };
  }

  storeIsAway(isAway: boolean, end: number): void {
    this.#isStoreAway = isAway;
    if (isAway) this.begin(end);
    else this.#endIfInTime(end);
  }

  committed(position: number, end: number): void {
    this.#committed = Math.max(this.#committed, position);
    this.#endIfInTime(end);
  }

  /**
   * Under load, the store never has everything, and after an outage it first files the backlog. Its delay decides, so
   * that clients do not wait for a backlog.
   */
  #endIfInTime(end: number): void {
    if (!this.#isBridging || this.#isStoreAway) return;
    const { position, atMs } = this.#probe;
    const now = this.#clock.elapsed();
    if (this.#committed >= end || (this.#committed >= position && now - atMs < this.#afterMs)) this.#isBridging = false;
    else if (this.#committed >= position) this.#probe = { position: end, atMs: now };
  }
}
