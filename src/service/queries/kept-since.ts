import type { QueryContext } from "./query-context.ts";

/** Time from which on events are stored, by the week. Undefined if there are none. */
export async function keptSince({ store }: QueryContext): Promise<number | undefined> {
  const weeks = await store.partitions();
  return weeks.length === 0 ? undefined : Math.min(...weeks.map(({ from }) => from));
}
