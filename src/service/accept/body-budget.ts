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
    let own = 0;
    return {
      take: (bytes) => {
        if (this.#heldBytes + bytes > this.#maxBytes) return false;
        own += bytes;
        this.#heldBytes += bytes;
        return true;
      },
      giveBack: () => {
        this.#heldBytes -= own;
        own = 0;
      },
    };
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }
}

export interface HeldBytes {
  /** `false`: there is no room for them now. */
  take(bytes: number): boolean;
  giveBack(): void;
}
