import type { JournalReader } from "../journal/journal-reader.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { CommitSummary } from "../stores/filed.ts";
import type { FilingLimits } from "./limits.ts";
import type { FilingProgress } from "./messages.ts";

/** What the loop needs of the rest, so that a test can stand in for each. */
export interface FilingLoopDeps {
  readonly reader: JournalReader;
  readonly limits: FilingLimits;
  /** Files records; throws when the store can take nothing now, and the same records are due again then. */
  file(records: readonly JournalRecord[], upTo: number): CommitSummary;
  makeDurable(): number;
  filed(progress: FilingProgress): void;
  fault(error: unknown): void;
}

/** Follows the journal: reads what has become durable, files it in batches, and says how far it has got. */
export class FilingLoop {
  readonly #parts: FilingLoopDeps;
  #applied: number;
  #releasable: number;
  #end = 0;
  #next: NodeJS.Timeout | NodeJS.Immediate | undefined;
  #durableTimer: NodeJS.Timeout | undefined;
  /** Whether the next batch waits for nothing more, or for the store to come back. */
  #isUnderWay = false;
  /** When the next batch is due, unless it is full before. */
  #nextCommit = Number.NEGATIVE_INFINITY;
  /** When all small transactions so far would be made, had each waited for its time. */
  #smallUntil = Number.NEGATIVE_INFINITY;

  constructor(parts: FilingLoopDeps, applied: number) {
    this.#parts = parts;
    this.#applied = applied;
    this.#releasable = applied;
  }

  readUpTo(end: number): void {
    this.#end = Math.max(this.#end, end);
    this.#schedule();
  }

  /** Files everything that is there and makes it durable. */
  finish(): number {
    clearTimeout(this.#durableTimer);
    this.#stopWaiting();
    try {
      while (this.#applied < this.#end) this.#fileOnce();
      this.#makeDurable();
    } catch (error) {
      // What is not filed stays in the journal and is filed at the next start.
      this.#parts.fault(error);
    }
    return this.#releasable;
  }

  #schedule(): void {
    if (this.#applied >= this.#end || this.#isUnderWay) return;
    const wait = this.#nextCommit - performance.now();
    const isFull = this.#end - this.#applied >= this.#parts.limits.batchBytes;
    this.#isUnderWay = wait <= 0 || isFull;
    if (this.#isUnderWay) {
      this.#stopWaiting();
      this.#next = setImmediate(() => this.#run());
    } else this.#next ??= setTimeout(() => this.#run(), wait);
  }

  #run(): void {
    this.#stopWaiting();
    this.#isUnderWay = false;
    try {
      this.#fileOnce();
    } catch (error) {
      this.#parts.fault(error);
      // However much comes meanwhile, the store is left alone for so long.
      this.#isUnderWay = true;
      this.#next = setTimeout(() => this.#run(), this.#parts.limits.retryMs);
      return;
    }
    this.#schedule();
  }

  #fileOnce(): void {
    if (this.#applied >= this.#end) return;
    const part = this.#parts.reader.read(this.#applied, this.#end, this.#parts.limits.batchBytes);
    const records = part.records.slice(0, this.#parts.limits.batchRecords);
    const upTo = records.length < part.records.length ? (records.at(-1)?.next ?? part.next) : part.next;
    const summary = this.#parts.file(records, upTo);
    this.#applied = upTo;
    this.#nextCommit = performance.now() + this.#pauseAfter(records.length);
    this.#keepReleasing();
    this.#parts.filed({
      applied: this.#applied,
      releasable: this.#releasable,
      records: records.length,
      events: summary.events,
      duplicates: summary.duplicates,
      collected: summary.collected,
      damagedBytes: part.damagedBytes,
    });
  }

  #pauseAfter(records: number): number {
    const { pauses, small } = this.#parts.limits;
    const pause = pauses.findLast((each) => records >= each.records);
    if (pause !== undefined) return pause.ms;
    const now = performance.now();
    this.#smallUntil = Math.max(this.#smallUntil, now) + small.everyMs;
    return Math.max(0, this.#smallUntil - now - (small.atOnce - 1) * small.everyMs);
  }

  #keepReleasing(): void {
    if (this.#applied - this.#releasable >= this.#parts.limits.makeDurableBytes) this.#makeDurable();
    else this.#durableTimer ??= setTimeout(() => this.#makeDurableLater(), this.#parts.limits.makeDurableMs);
  }

  #makeDurableLater(): void {
    try {
      this.#makeDurable();
    } catch (error) {
      this.#parts.fault(error);
      this.#durableTimer = setTimeout(() => this.#makeDurableLater(), this.#parts.limits.makeDurableMs);
      return;
    }
    this.#parts.filed({
      applied: this.#applied,
      releasable: this.#releasable,
      records: 0,
      events: 0,
      duplicates: 0,
      collected: 0,
      damagedBytes: 0,
    });
  }

  #makeDurable(): void {
    this.#releasable = this.#parts.makeDurable();
    // What has been filed is deleted now, and a file that is held open would stay on the disk.
    if (this.#applied >= this.#end) this.#parts.reader.close();
    clearTimeout(this.#durableTimer);
    this.#durableTimer = undefined;
  }

  #stopWaiting(): void {
    if (this.#next !== undefined) {
      // Node takes either kind of handle here and leaves the other alone.
      clearTimeout(this.#next as NodeJS.Timeout);
      clearImmediate(this.#next as NodeJS.Immediate);
    }
    this.#next = undefined;
  }
}
