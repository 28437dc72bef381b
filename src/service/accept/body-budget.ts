/**
 * What the bodies of all requests under way may hold in memory together. Each of them has its own limit, but a thousand that
 * stay just below it would still fill any machine.
 */
export class BodyBudget {
  readonly #maxBytes: number;
  #heldBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** What one request holds, given back when it is answered. */
  hold(): HeldBytes {
    return new HeldBytes(this);
  }

  /** `false`: there is no room for them now. */
  take(bytes: number): boolean {
    if (this.#heldBytes + bytes > this.#maxBytes) return false;
    this.#heldBytes += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#heldBytes -= bytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }
}

/** The share of one request. */
export class HeldBytes {
  readonly #budget: BodyBudget;
  #bytes = 0;

  constructor(budget: BodyBudget) {
    this.#budget = budget;
  }

  /** `false`: there is no room for them now. */
  take(bytes: number): boolean {
    if (!this.#budget.take(bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  giveBack(): void {
    this.#budget.giveBack(this.#bytes);
    this.#bytes = 0;
  }
}
