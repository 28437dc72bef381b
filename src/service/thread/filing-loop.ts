import type { JournalReader } from "../journal/journal-reader.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { CommitSummary } from "../stores/filed.ts";
import type { FilingLimits } from "./limits.ts";
import type { FilingProgress } from "./messages.ts";
import type { SerialQueue } from "./serial-queue.ts";

/** Injected, so that a test can replace each of them. */
export interface FilingLoopDeps {
  readonly reader: JournalReader;
  readonly limits: FilingLimits;
  /** Everything that writes uses this queue, so that nothing interrupts the statements of a transaction. */
  readonly queue: SerialQueue;
  /** Files records. Throws if the store is unavailable; then the same records are due again. */
  file(records: readonly JournalRecord[], upTo: number): Promise<CommitSummary>;
  makeDurable(): Promise<number>;
  filed(progress: FilingProgress): void;
  /** Called when the store cannot be written. */
  storeIsAway(error: unknown): void;
  /** Called when it can be written again. */
  storeIsBack(): void;
  fault(error: unknown): void;
}

/** Follows the journal: reads its records, files them in batches, and reports its progress. */
export class FilingLoop {
  readonly #deps: FilingLoopDeps;
  #applied: number;
  #releasable: number;
  #end = 0;
  #next: NodeJS.Timeout | NodeJS.Immediate | undefined;
  #durableTimer: NodeJS.Timeout | undefined;
  /** Whether a batch is being filed or scheduled, or the loop waits for the store. */
  #isUnderWay = false;
  #isFinished = false;
  /** Failed attempts since the last success. */
  #failures = 0;
  /** When the next batch is due, unless it is full before. */
  #nextCommit = Number.NEGATIVE_INFINITY;
  /** When all small transactions so far would be finished, had each waited for its turn. */
  #smallUntil = Number.NEGATIVE_INFINITY;

  constructor(deps: FilingLoopDeps, applied: number) {
    this.#deps = deps;
    this.#applied = applied;
    this.#releasable = applied;
  }

  /** Whether everything that can be read is filed. */
  get hasFiledAll(): boolean {
    return this.#applied >= this.#end;
  }

  readUpTo(end: number): void {
    this.#end = Math.max(this.#end, end);
    this.#schedule();
  }

  /** Files everything available and makes it durable. */
  async finish(): Promise<number> {
    this.#isFinished = true;
    this.#stopWaiting();
    try {
      await this.#deps.queue.run(async () => {
        while (this.#applied < this.#end) await this.#fileOnce();
        await this.#makeDurable();
      });
    } catch (error) {
      // Unfiled records stay in the journal until the next start.
      this.#deps.fault(error);
    }
    clearTimeout(this.#durableTimer);
    return this.#releasable;
  }

  #schedule(): void {
    if (this.#applied >= this.#end || this.#isUnderWay || this.#isFinished) return;
    const wait = this.#nextCommit - performance.now();
    const isFull = this.#end - this.#applied >= this.#deps.limits.batchBytes;
    this.#isUnderWay = wait <= 0 || isFull;
    if (this.#isUnderWay) {
      this.#stopWaiting();
      this.#next = setImmediate(() => void this.#run());
    } else this.#next ??= setTimeout(() => void this.#run(), wait);
  }

  async #run(): Promise<void> {
    this.#stopWaiting();
    this.#isUnderWay = true;
    try {
      await this.#deps.queue.run(() => this.#fileOnce());
    } catch (error) {
      this.#deps.fault(error);
      if (this.#failures === 0) this.#deps.storeIsAway(error);
      this.#failures += 1;
      // Pauses, regardless of new records.
      if (!this.#isFinished) this.#next = setTimeout(() => void this.#run(), this.#retryMs());
      return;
    }
    this.#isUnderWay = false;
    this.#schedule();
  }

  async #fileOnce(): Promise<void> {
    if (this.#applied >= this.#end) return;
    const part = this.#deps.reader.read(this.#applied, this.#end, this.#deps.limits.batchBytes);
    const records = part.records.slice(0, this.#deps.limits.batchRecords);
    const upTo = records.length < part.records.length ? (records.at(-1)?.next ?? part.next) : part.next;
    const summary = await this.#deps.file(records, upTo);
    this.#applied = upTo;
    if (this.#failures > 0) this.#deps.storeIsBack();
    this.#failures = 0;
    this.#nextCommit = performance.now() + this.#pauseAfter(records.length);
    await this.#keepReleasing();
    this.#deps.filed({
      applied: this.#applied,
      releasable: this.#releasable,
      records: records.length,
      events: summary.events,
      duplicates: summary.duplicates,
      collected: summary.collected,
      damagedBytes: part.damagedBytes,
    });
  }

  #retryMs(): number {
    const { retryMs, retryAtMostMs } = this.#deps.limits;
    return Math.min(retryMs * 2 ** (this.#failures - 1), retryAtMostMs);
  }

  #pauseAfter(records: number): number {
    const { pauses, small } = this.#deps.limits;
    const pause = pauses.findLast((each) => records >= each.records);
    if (pause !== undefined) return pause.ms;
    const now = performance.now();
    this.#smallUntil = Math.max(this.#smallUntil, now) + small.everyMs;
    return Math.max(0, this.#smallUntil - now - (small.atOnce - 1) * small.everyMs);
  }

  async #keepReleasing(): Promise<void> {
    if (this.#applied - this.#releasable >= this.#deps.limits.makeDurableBytes) await this.#makeDurable();
    else this.#durableTimer ??= setTimeout(() => void this.#makeDurableLater(), this.#deps.limits.makeDurableMs);
  }

  async #makeDurableLater(): Promise<void> {
    try {
      await this.#deps.queue.run(() => this.#makeDurable());
    } catch (error) {
      this.#deps.fault(error);
      if (!this.#isFinished)
        this.#durableTimer = setTimeout(() => void this.#makeDurableLater(), this.#deps.limits.makeDurableMs);
      return;
    }
    this.#deps.filed({
      applied: this.#applied,
      releasable: this.#releasable,
      records: 0,
      events: 0,
      duplicates: 0,
      collected: 0,
      damagedBytes: 0,
    });
  }

  async #makeDurable(): Promise<void> {
    this.#releasable = await this.#deps.makeDurable();
    // Closes the file: filed segments are deleted, and an open handle would keep their disk space.
    if (this.#applied >= this.#end) this.#deps.reader.close();
    clearTimeout(this.#durableTimer);
    this.#durableTimer = undefined;
  }

  #stopWaiting(): void {
    if (this.#next !== undefined) {
      // Node accepts either kind of handle in each function and ignores the other.
      clearTimeout(this.#next as NodeJS.Timeout);
      clearImmediate(this.#next as NodeJS.Immediate);
    }
    this.#next = undefined;
  }
}
