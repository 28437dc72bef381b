/**
 * Limits of the cache of first events. The bytes are one buffer, whose memory the system assigns as it fills. Each
 * entry takes about 150 bytes beside its body, so very small ones need a limit too.
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
 * Cache of the first events of groups, decompressed, for the next event of the same group. A ring buffer, in which the
 * oldest are overwritten. Separate buffers would retain far more memory: Node allocates small ones from slabs of 64
 * KiB, and a slab lives as long as its last buffer.
 */
export class KeptReferences {
  readonly #limits: ReferenceLimits;
  #ring: Buffer | undefined;
  /** In the order of the ring, from the oldest. */
  readonly #places = new Map<string, Place>();
  #at = 0;

  constructor(limits: ReferenceLimits) {
    this.#limits = limits;
  }

  get entries(): number {
    return this.#places.size;
  }

  /** Returns a view of the ring, valid until the next `keep`. */
  get(week: string, group: number): Buffer | undefined {
    const place = this.#places.get(keyOf(week, group));
    return place && this.#ring?.subarray(place.from, place.until);
  }

  /** Stores a body, unless it would evict more than a quarter of the others. */
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

  /** The oldest entries are first, and they are next in the ring. */
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
