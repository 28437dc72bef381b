import type { RowQueries } from "../rows/rows.ts";

/**
 * Counts changes of error pages, in the transaction that makes them. Any process may make one, so the number is in the
 * tables. What is computed of all pages is computed again only when it has grown.
 */
export async function noteChange(queries: RowQueries): Promise<void> {
  await queries.run("UPDATE holdfast.balance_changes SET n = n + 1");
}

export async function changesSoFar(queries: RowQueries): Promise<number> {
  const row = await queries.one<{ n: number }>("SELECT n FROM holdfast.balance_changes");
  return row?.n ?? 0;
}
