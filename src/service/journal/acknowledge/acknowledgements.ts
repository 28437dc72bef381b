import type { Clock } from "../../clock.ts";
import type { JournalLimits } from "../limits.ts";
import type { SegmentFiles } from "../segment-files.ts";
import type { AppendOutcome, KeptBy } from "./append-outcome.ts";
import { Bridge } from "./bridge.ts";
import { Unacknowledged, type WrittenGroup } from "./unacknowledged.ts";

export interface AcknowledgementsOptions {
  readonly files: Pick<SegmentFiles, "readableEnd" | "releasedUpTo">;
  readonly limits: JournalLimits;
  readonly clock: Clock;
  /** Called when clients wait for a sync. */
  readonly onWaiting: () => void;
}

/**
 * Acknowledges written records: by the store's commits, and by syncs of the journal while it bridges an outage or a
 * delay of the store.
 */
export class Acknowledgements {
  readonly #files: Pick<SegmentFiles, "readableEnd">;
  readonly #onWaiting: () => void;
  readonly #unacknowledged = new Unacknowledged();
  readonly #bridge: Bridge;
  #bridgeTimer: NodeJS.Timeout | undefined;
  /** Nothing before it needs a sync: it is synced, committed by the store, or refused. */
  #syncedEnd: number;
  readonly #counts: Record<KeptBy, number> = { store: 0, journal: 0 };

  constructor({ files, limits, clock, onWaiting }: AcknowledgementsOptions) {
    this.#files = files;
    this.#onWaiting = onWaiting;
    this.#bridge = new Bridge(limits.bridgeAfterMs, clock, files.releasedUpTo);
    this.#syncedEnd = files.readableEnd;
  }

  /** Records by what kept them when they were acknowledged. */
  get counts(): Readonly<Record<KeptBy, number>> {
    return { ...this.#counts };
  }

  /** Whether records are acknowledged in place of the store. */
  get isBridging(): boolean {
    return this.#bridge.isBridging;
  }

  /** Whether records wait, of which the disk may lose some. */
  get hasUnsynced(): boolean {
    return this.#syncedEnd < this.#files.readableEnd && !this.#unacknowledged.isEmpty;
  }

  /** A group that was written without sync. */
  add(group: WrittenGroup): void {
    this.#unacknowledged.add(group);
  }

  /** Records that were synced with their write. Their listeners are called by the caller. */
  keptByWrite(records: number): void {
    this.#syncedEnd = this.#files.readableEnd;
    this.#counts.journal += records;
  }

  /** The store has committed everything before this position. */
  committed(position: number): void {
    this.#settle(position, "store");
    this.#bridge.committed(position, this.#files.readableEnd);
  }

  storeIsAway(isAway: boolean): void {
    this.#bridge.storeIsAway(isAway, this.#files.readableEnd);
    this.#settleBridged();
  }

  /** Waits for the store no longer. */
  bridge(): void {
    this.#bridge.begin(this.#files.readableEnd);
    this.#settleBridged();
  }

  /** Everything before this position is on disk. */
  synced(end: number): void {
    this.#syncedEnd = end;
  }

  settleSynced(): void {
    this.#settle(this.#syncedEnd, "journal");
  }

  /** Refuses the records whose only copy may be in a file that was given up. */
  refuseUnsynced(refused: AppendOutcome): void {
    this.settleSynced();
    this.#unacknowledged.settle(Number.POSITIVE_INFINITY, refused);
    this.#syncedEnd = this.#files.readableEnd;
  }

  /** Begins to bridge when the oldest record has waited too long. */
  watchOldest(): void {
    const { oldestMs } = this.#unacknowledged;
    if (oldestMs === undefined || this.#bridge.isBridging || this.#bridgeTimer !== undefined) return;
    const leftMs = this.#bridge.leftMs(oldestMs);
    if (leftMs <= 0) return this.bridge();
    this.#bridgeTimer = setTimeout(() => {
      this.#bridgeTimer = undefined;
      this.watchOldest();
    }, Math.ceil(leftMs)).unref();
  }

  close(): void {
    clearTimeout(this.#bridgeTimer);
  }

  #settle(upTo: number, by: KeptBy): void {
    this.#counts[by] += this.#unacknowledged.settle(upTo, { kind: "kept", by });
  }

  #settleBridged(): void {
    if (!this.#bridge.isBridging) return;
    // A segment that was left before is synced already.
    this.settleSynced();
    this.#onWaiting();
  }
}
