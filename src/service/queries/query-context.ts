import type { StoreReader } from "../stores/store.ts";

/** First parameter of every query. */
export interface QueryContext {
  readonly store: StoreReader;
  /** Time of the query. */
  readonly now: number;
}
