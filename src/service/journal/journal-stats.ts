import type { KeptBy } from "./acknowledge/append-outcome.ts";

/** Fill level of the journal. At each stage less is accepted. */
export type Pressure = "none" | "half" | "high" | "full";

export interface JournalStats {
  /** Bytes not filed yet. */
  readonly backlogBytes: number;
  readonly readableEnd: number;
  readonly releasedUpTo: number;
  readonly appendedRecords: number;
  /** Records by what kept them when they were acknowledged. */
  readonly acknowledged: Readonly<Record<KeptBy, number>>;
  /** Whether records are acknowledged in place of the store. */
  readonly isBridging: boolean;
  readonly syncs: number;
  readonly failures: number;
  /** Bytes of a half-written record at the end of the last segment, cut off at the start. */
  readonly cutBytes: number;
}
