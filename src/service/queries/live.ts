import type { LiveRecord, StoreReader } from "../stores/store.ts";

export interface LiveAnswer {
  /** In the order of their arrival. */
  records: readonly LiveRecord[];
  /** What to ask after the next time. */
  after: number | undefined;
}

// More at once cannot be read; who fell behind goes on with the newest.
const mostAtOnce = 200;

/** What came in since the last question; the first answer has the newest there is. */
export function live(store: StoreReader, project: number, after?: number): LiveAnswer {
  const records = store.recent(project, after, mostAtOnce);
  return { records, after: records.at(-1)?.rowId ?? after };
}
