/**
 * Durations and vitals as counts in logarithmic buckets. Any quantile is within 0.75 % of the exact value, sketches of
 * any hours can be added up, and an hour of a route takes a few dozen bytes instead of a row per page view.
 */

// Half the width of a bucket: its middle is at most 0.75 % from either end.
const relativeError = 0.0075;
const growth = (1 + relativeError) / (1 - relativeError);
const logGrowth = Math.log(growth);

// Smaller measured values (milliseconds, layout shift) count as zero.
const smallest = 1e-4;
const zeroBucket = -1;

// Larger values, from 1e304 on, count as one bucket, whose ends are numbers. Their ratio to the smallest is infinite.
const largestRatio = Number.MAX_VALUE / growth;

/** Bucket number → number of values in it. */
export type QuantileSketch = Map<number, number>;

export function addToSketch(sketch: QuantileSketch, value: number, times = 1): void {
  if (!Number.isFinite(value) || value < 0) return;
  const bucket = bucketOf(value);
  sketch.set(bucket, (sketch.get(bucket) ?? 0) + times);
}

export function mergeSketch(into: QuantileSketch, from: QuantileSketch): void {
  for (const [bucket, n] of from) into.set(bucket, (into.get(bucket) ?? 0) + n);
}

export function sketchCount(sketch: QuantileSketch): number {
  let count = 0;
  for (const n of sketch.values()) count += n;
  return count;
}

/** Value below which the given share (0 to 1) of all values is. `undefined` if nothing was measured. */
export function quantileOf(sketch: QuantileSketch, share: number): number | undefined {
  return quantilesOf(sketch, [share])?.[0];
}

/** The same for several shares in ascending order, which takes one pass for all of them. */
export function quantilesOf(sketch: QuantileSketch, shares: readonly number[]): readonly number[] | undefined {
  const count = sketchCount(sketch);
  if (count === 0) return undefined;
  const found: number[] = [];
  const rankOf = (share = 1): number => Math.min(count - 1, Math.floor(share * count));
  let rank = rankOf(shares[0]);
  let passed = 0;
  for (const bucket of bucketsInOrder(sketch)) {
    passed += sketch.get(bucket) ?? 0;
    while (found.length < shares.length && passed > rank) {
      found.push(valueOfBucket(bucket));
      rank = rankOf(shares[found.length]);
    }
    if (found.length === shares.length) break;
  }
  return found;
}

/** A sketch that was read is in order. Sorting it again took most of the time of a quantile. */
function bucketsInOrder(sketch: QuantileSketch): Iterable<number> {
  let last = Number.NEGATIVE_INFINITY;
  for (const bucket of sketch.keys()) {
    if (bucket < last) return [...sketch.keys()].sort((a, b) => a - b);
    last = bucket;
  }
  return sketch.keys();
}

function bucketOf(value: number): number {
  if (value < smallest) return zeroBucket;
  return Math.ceil(Math.log(Math.min(value / smallest, largestRatio)) / logGrowth);
}

/** No value is in a higher one (47,317). Counts are added up in arrays from bucket to bucket. */
const highestBucket = bucketOf(Number.MAX_VALUE);

/** The middle of a bucket, which is what its values count as. */
export function valueOfBucket(bucket: number): number {
  if (bucket === zeroBucket) return 0;
  return (smallest * growth ** bucket * 2) / (1 + growth);
}

/** All measures of one route and hour, with a sketch each. */
export type SketchSet = Map<string, QuantileSketch>;

export function mergeSketchSet(into: SketchSet, from: SketchSet): void {
  for (const [measure, sketch] of from) {
    const known = into.get(measure);
    if (known) mergeSketch(known, sketch);
    else into.set(measure, new Map(sketch));
  }
}

// Common measures are encoded by their index in this list, so it only grows at its end.
const knownMeasures: readonly string[] = [
  "pageload",
  "navigation",
  "request",
  "task",
  "lcp",
  "inp",
  "cls",
  "fcp",
  "ttfb",
  "fp",
];

/**
 * Packed as variable-length integers: per measure its number in the list (from 1), or 0 and its name; the number of
 * buckets; then for each the distance to the previous one and its count.
 */
export function packSketches(set: SketchSet): Uint8Array {
  const bytes: number[] = [];
  pushInteger(bytes, set.size);
  for (const [measure, sketch] of set) {
    const known = knownMeasures.indexOf(measure) + 1;
    pushInteger(bytes, known);
    if (known === 0) {
      const name = Buffer.from(measure, "utf8");
      pushInteger(bytes, name.length);
      bytes.push(...name);
    }
    pushInteger(bytes, sketch.size);
    let last = zeroBucket;
    for (const bucket of bucketsInOrder(sketch)) {
      pushInteger(bytes, bucket - last);
      pushInteger(bytes, sketch.get(bucket) ?? 0);
      last = bucket;
    }
  }
  return Uint8Array.from(bytes);
}

/** Buckets are packed in order, and remain so in the map. Without those that no measurement has. */
export function unpackSketches(packed: Uint8Array): SketchSet {
  const reader = new PackedReader(packed);
  const set: SketchSet = new Map();
  for (let measures = reader.integer(); measures > 0; measures--) {
    const measure = reader.measure();
    const sketch: QuantileSketch = new Map();
    let bucket = zeroBucket;
    for (let buckets = reader.integer(); buckets > 0; buckets--) {
      bucket += reader.integer();
      const n = reader.integer();
      if (bucket <= highestBucket) sketch.set(bucket, n);
    }
    set.set(measure, sketch);
  }
  return set;
}

/**
 * Whether bytes from elsewhere are sketches: reading them ends exactly at their end, and their buckets and counts are
 * some that measurements can have.
 */
export function isPackedSketches(packed: Uint8Array): boolean {
  const reader = new PackedReader(packed);
  for (let measures = reader.integer(); measures > 0; measures--) {
    reader.measure();
    let bucket = zeroBucket;
    for (let buckets = reader.integer(); buckets > 0; buckets--) {
      bucket += reader.integer();
      const n = reader.integer();
      // An integer of very many bytes is not a number, which is not below a limit either.
      if (reader.left < 0 || !(bucket <= highestBucket) || !Number.isSafeInteger(n)) return false;
    }
    if (reader.left < 0) return false;
  }
  return reader.left === 0;
}

/** A stored row with its sketches. */
interface PackedRow {
  packed: Uint8Array;
}

/** Adds up the sketches of all rows with the same key: all measures, or some. */
export function sumSketchesBy<Row extends PackedRow, Key>(
  rows: readonly Row[],
  keyOf: (row: Row) => Key,
  only?: readonly string[],
): Map<Key, SketchSet> {
  const sums = new Map<Key, SketchSet>();
  const wanted = only && new Set(only);
  for (const [key, ofKey] of Map.groupBy(rows, keyOf)) sums.set(key, sumSketches(ofKey, wanted));
  return sums;
}

/** Adds sketches while reading them: two weeks of sixty routes without unpacking each day of each. */
function sumSketches(rows: readonly PackedRow[], wanted: ReadonlySet<string> | undefined): SketchSet {
  const sums = new Map<string, BucketCounts>();
  for (const { packed } of rows) {
    const reader = new PackedReader(packed);
    for (let measures = reader.integer(); measures > 0; measures--) {
      const measure = reader.measure();
      if (wanted?.has(measure) === false) {
        reader.skipBuckets();
        continue;
      }
      const sum = sums.get(measure) ?? spareCounts.pop() ?? new BucketCounts();
      sum.addFrom(reader);
      sums.set(measure, sum);
    }
  }
  const set: SketchSet = new Map();
  for (const [measure, sum] of sums) {
    set.set(measure, sum.take());
    if (spareCounts.length < mostSpareCounts) spareCounts.push(sum);
  }
  return set;
}

/** Emptied counts for the next sum. A list of pages adds up ten measures for each of its routes. */
const spareCounts: BucketCounts[] = [];
const mostSpareCounts = 16;

// Enough for more than 15 minutes in milliseconds. The array grows for longer durations.
const usualBuckets = 1_536;

/** Counts by bucket in an array, where adding takes less time than in a map. */
class BucketCounts {
  // The bucket for zero has the number -1, so indexes are one higher.
  #counts: Float64Array = new Float64Array(usualBuckets);
  #first = Number.POSITIVE_INFINITY;
  #last = -1;

  /** Adds the buckets of the measure at which the reader is. */
  addFrom(reader: PackedReader): void {
    let index = 0;
    for (let buckets = reader.integer(); buckets > 0; buckets--) {
      index += reader.integer();
      const n = reader.integer();
      if (!(index + zeroBucket <= highestBucket)) continue;
      if (index >= this.#counts.length) this.#counts = grown(this.#counts, index);
      this.#counts[index] = (this.#counts[index] ?? 0) + n;
      if (index < this.#first) this.#first = index;
      if (index > this.#last) this.#last = index;
    }
  }

  /** Returns the counts as a sketch, and is empty afterwards. */
  take(): QuantileSketch {
    const sketch: QuantileSketch = new Map();
    for (let index = this.#first; index <= this.#last; index++) {
      const count = this.#counts[index] ?? 0;
      if (count > 0) sketch.set(index + zeroBucket, count);
    }
    if (this.#last >= 0) this.#counts.fill(0, this.#first, this.#last + 1);
    this.#first = Number.POSITIVE_INFINITY;
    this.#last = -1;
    return sketch;
  }
}

class PackedReader {
  readonly #packed: Uint8Array;
  #at = 0;

  constructor(packed: Uint8Array) {
    this.#packed = packed;
  }

  /** Below 0 after reading beyond the end. */
  get left(): number {
    return this.#packed.length - this.#at;
  }

  measure(): string {
    const known = this.integer();
    if (known > 0) return knownMeasures[known - 1] ?? `measure ${known}`;
    const end = this.integer() + this.#at;
    const name = Buffer.from(this.#packed.subarray(this.#at, end)).toString("utf8");
    this.#at = end;
    return name;
  }

  /** Each bucket is two integers, and the last byte of an integer is below 128. */
  skipBuckets(): void {
    const packed = this.#packed;
    let left = 2 * this.integer();
    let at = this.#at;
    for (; left > 0 && at < packed.length; at += 1) if ((packed[at] ?? 0) < 128) left -= 1;
    this.#at = at;
  }

  integer(): number {
    const first = this.#packed[this.#at++] ?? 0;
    if (first < 128) return first;
    let value = first & 127;
    for (let factor = 128; ; factor *= 128) {
      const byte = this.#packed[this.#at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }
}

function grown(counts: Float64Array, index: number): Float64Array {
  const larger = new Float64Array(Math.max(index + 1, counts.length * 2));
  larger.set(counts);
  return larger;
}

function pushInteger(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
}
