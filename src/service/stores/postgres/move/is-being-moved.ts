import type { Queries } from "../connect/connections.ts";

/** Whether a move has begun to fill the database and is not finished. */
export async function isBeingMoved(queries: Queries): Promise<boolean> {
  const row = await queries.one<{ there: boolean }>("SELECT to_regclass('holdfast.move') IS NOT NULL AS there");
  return row?.there === true;
}
