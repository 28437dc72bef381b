// Size of the references of a usual block. Larger ones get their own memory until the next block.
const usualBytes = 131_072;

/**
 * Concatenated references that a block is compressed against. Copied, because the originals may be overwritten by the
 * next.
 */
export class Dictionary {
  #room: Buffer | undefined;
  #bytes = 0;

  add(reference: Uint8Array): void {
    const needed = this.#bytes + reference.length;
    const room = this.#room !== undefined && needed <= this.#room.length ? this.#room : this.#larger(needed);
    room.set(reference, this.#bytes);
    this.#bytes = needed;
  }

  /** `undefined` without any reference. */
  get content(): Buffer | undefined {
    return this.#bytes === 0 ? undefined : this.#room?.subarray(0, this.#bytes);
  }

  clear(): void {
    this.#bytes = 0;
    if (this.#room !== undefined && this.#room.length > usualBytes) this.#room = undefined;
  }

  #larger(bytes: number): Buffer {
    const larger = Buffer.allocUnsafeSlow(Math.max(usualBytes, bytes));
    if (this.#room !== undefined) larger.set(this.#room.subarray(0, this.#bytes));
    this.#room = larger;
    return larger;
  }
}
