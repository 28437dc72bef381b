import type { StoreReader } from "../stores/store.ts";

/** The first parameter of every query. */
export interface QueryContext {
  readonly store: StoreReader;
  /** When the question is asked. */
  readonly now: number;
}
