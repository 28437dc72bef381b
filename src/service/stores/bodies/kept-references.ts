/**
 * How much is kept of first events. The bytes are one piece of memory, which is taken from the system as it fills; each
 * entry takes some 150 bytes beside its body, so that there is a bound for very small ones too.
 */
export interface ReferenceLimits {
  readonly bytes: number;
  readonly entries: number;
}

interface Place {
  readonly from: number;
  readonly until: number;
}

/**
 * First events of groups, unpacked, as they are needed again for the next event of the same group. They lie in a ring
 * in which the oldest are overwritten. As buffers of their own they would hold far more than their bytes: Node cuts
 * small buffers out of pieces of 64 KiB, and a piece lives as long as the last buffer of it.
 */
export class KeptReferences {
  readonly #limits: ReferenceLimits;
  #ring: Buffer | undefined;
  /** In the order in which they lie in the ring, from the oldest on. */
  readonly #places = new Map<string, Place>();
  #at = 0;

  constructor(limits: ReferenceLimits) {
    this.#limits = limits;
  }

  get entries(): number {
    return this.#places.size;
  }

  /** A view of the ring: what it shows lasts until the next `keep`. */
  get(week: string, group: number): Buffer | undefined {
    const place = this.#places.get(keyOf(week, group));
    return place && this.#ring?.subarray(place.from, place.until);
  }

  /** A body that would push out more than a quarter of the others is not kept. */
  keep(week: string, group: number, body: Uint8Array): void {
    const key = keyOf(week, group);
    if (body.length === 0 || body.length > this.#limits.bytes / 4 || this.#places.has(key)) return;
    this.#ring ??= Buffer.allocUnsafeSlow(this.#limits.bytes);
    if (this.#at + body.length > this.#ring.length) {
      this.#overwrite(this.#at, this.#ring.length);
      this.#at = 0;
    }
    const place = { from: this.#at, until: this.#at + body.length };
    this.#overwrite(place.from, place.until);
    this.#ring.set(body, place.from);
    this.#places.set(key, place);
    this.#at = place.until;
    for (const oldest of this.#places.keys()) {
      if (this.#places.size <= this.#limits.entries) return;
      this.#places.delete(oldest);
    }
  }

  forget(week: string): void {
    for (const key of this.#places.keys()) if (key.startsWith(`${week} `)) this.#places.delete(key);
  }

  /** The oldest come first, and they lie where the ring goes on. */
  #overwrite(from: number, until: number): void {
    for (const [key, place] of this.#places) {
      if (place.until <= from || place.from >= until) return;
      this.#places.delete(key);
    }
  }
}

function keyOf(week: string, group: number): string {
  return `${week} ${group}`;
}
