/**
 * Id below which all batches are folded, as far as this process knows. Folded rows are deleted, but as long as any
 * transaction of the database could still see them, such as a dump, every scan passes over them. Scans therefore begin
 * at this id. A scan from the beginning, once a minute, finds a batch that became visible later than others.
 */
export class LowMark {
  readonly #visibleAfterMs: number;
  readonly #now: () => number;
  #id = 0;
  /** The highest folded id when `#nextSince` was set. */
  #next = 0;
  #nextSince: number;
  #highest = 0;

  constructor(visibleAfterMs: number, now: () => number) {
    this.#visibleAfterMs = visibleAfterMs;
    this.#now = now;
    this.#nextSince = now();
  }

  get id(): number {
    return this.#id;
  }

  /** A batch with this id was folded. */
  folded(id: number): void {
    const now = this.#now();
    if (now - this.#nextSince >= this.#visibleAfterMs) {
      this.#id = this.#next;
      this.#next = this.#highest;
      this.#nextSince = now;
    }
    this.#highest = Math.max(this.#highest, id);
  }
}
