import type { Rows } from "../../../rows/rows.ts";
import { connect } from "../connect/connections.ts";
import { postgresLimits } from "../limits.ts";
import { postgresRows } from "../shared/postgres-rows.ts";

/** Small tables of a database, on a connection of their own. */
export async function openPostgresRows(address: string): Promise<Rows> {
  const connections = await connect(address, postgresLimits);
  return { ...postgresRows(connections.preparing), close: () => connections.close() };
}
