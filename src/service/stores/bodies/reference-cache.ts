/**
 * Limits of the cache of first events. The bytes are one buffer, whose memory the system assigns as it fills. Each
 * entry takes about 150 bytes beside its body, so very small ones need a limit too.
 */
export interface ReferenceLimits {
  readonly bytes: number;
  readonly entries: number;
}

interface ByteRange {
  readonly from: number;
  readonly until: number;
}

/**
 * Cache of the first events of groups, decompressed, for the next event of the same group. A ring buffer, in which the
 * oldest are overwritten. Separate buffers would retain far more memory: Node allocates small ones from slabs of 64
 * KiB, and a slab lives as long as its last buffer.
 */
export class ReferenceCache {
  readonly #limits: ReferenceLimits;
  #ring: Buffer | undefined;
  /** In the order of the ring, from the oldest. */
  readonly #ranges = new Map<string, ByteRange>();
  #at = 0;

  constructor(limits: ReferenceLimits) {
    this.#limits = limits;
  }

  get entries(): number {
    return this.#ranges.size;
  }

  /** Returns a view of the ring, valid until the next `keep`. */
  get(week: string, group: number): Buffer | undefined {
    const range = this.#ranges.get(keyOf(week, group));
    return range && this.#ring?.subarray(range.from, range.until);
  }

  /** Stores a body, unless it would evict more than a quarter of the others. */
  keep(week: string, group: number, body: Uint8Array): void {
    const key = keyOf(week, group);
    if (body.length === 0 || body.length > this.#limits.bytes / 4 || this.#ranges.has(key)) return;
    this.#ring ??= Buffer.allocUnsafeSlow(this.#limits.bytes);
    if (this.#at + body.length > this.#ring.length) {
      this.#overwrite(this.#at, this.#ring.length);
      this.#at = 0;
    }
    const range = { from: this.#at, until: this.#at + body.length };
    this.#overwrite(range.from, range.until);
    this.#ring.set(body, range.from);
    this.#ranges.set(key, range);
    this.#at = range.until;
    for (const oldest of this.#ranges.keys()) {
      if (this.#ranges.size <= this.#limits.entries) return;
      this.#ranges.delete(oldest);
    }
  }

  forget(week: string): void {
    for (const key of this.#ranges.keys()) if (key.startsWith(`${week} `)) this.#ranges.delete(key);
  }

  /** The oldest entries are first, and they are next in the ring. */
  #overwrite(from: number, until: number): void {
    for (const [key, range] of this.#ranges) {
      if (range.until <= from || range.from >= until) return;
      this.#ranges.delete(key);
    }
  }
}

function keyOf(week: string, group: number): string {
  return `${week} ${group}`;
}
