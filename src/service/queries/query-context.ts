import type { StoreReader } from "../stores/store.ts";
import type { ScanLimits } from "./scan-limits.ts";

/** First parameter of every query. */
export interface QueryContext {
  readonly store: StoreReader;
  /** Time of the query. */
  readonly now: number;
  /** Of searches, if the operator has changed them. */
  readonly limits?: ScanLimits;
}
