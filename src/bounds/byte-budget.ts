/**
 * Limits the bytes of all concurrent request bodies together. Each body has its own limit, but a thousand just below it
 * would still fill any machine. No owner (a project, a client) may hold more than its share, so that none can use up
 * the whole budget.
 */
export class ByteBudget {
  readonly #maxBytes: number;
  readonly #ownerBytes: number;
  readonly #byOwner = new Map<string | number, number>();
  #heldBytes = 0;

  constructor(maxBytes: number, ownerBytes: number = maxBytes) {
    this.#maxBytes = maxBytes;
    this.#ownerBytes = ownerBytes;
  }

  /** Opens the account of one request. It must be given back when the request ends. */
  hold(owner?: string | number): HeldBytes {
    return new HeldBytes(this, owner);
  }

  /** Returns false if there is no room. */
  take(bytes: number, owner: string | number | undefined): boolean {
    if (this.#heldBytes + bytes > this.#maxBytes) return false;
    if (owner !== undefined) {
      const held = (this.#byOwner.get(owner) ?? 0) + bytes;
      if (held > this.#ownerBytes) return false;
      this.#byOwner.set(owner, held);
    }
    this.#heldBytes += bytes;
    return true;
  }

  release(bytes: number, owner: string | number | undefined): void {
    this.#heldBytes -= bytes;
    if (owner === undefined) return;
    const left = (this.#byOwner.get(owner) ?? 0) - bytes;
    if (left > 0) this.#byOwner.set(owner, left);
    else this.#byOwner.delete(owner);
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }
}

/** The bytes that one request holds. */
export class HeldBytes {
  readonly #budget: ByteBudget;
  #owner: string | number | undefined;
  #bytes = 0;

  constructor(budget: ByteBudget, owner: string | number | undefined) {
    this.#budget = budget;
    this.#owner = owner;
  }

  /** Sets the owner of a request if it is only known later. Nothing may be held yet. */
  belongsTo(owner: string | number): void {
    if (this.#bytes === 0) this.#owner = owner;
  }

  /** Returns false if there is no room. */
  take(bytes: number): boolean {
    if (!this.#budget.take(bytes, this.#owner)) return false;
    this.#bytes += bytes;
    return true;
  }

  release(): void {
    this.#budget.release(this.#bytes, this.#owner);
    this.#bytes = 0;
  }
}
