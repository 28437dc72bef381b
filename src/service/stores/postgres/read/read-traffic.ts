import { hourMs, quarterMs } from "../../../clock.ts";
import type { AffectedRecord, TrafficRecord } from "../../records.ts";
import { quartersOf } from "../../series-step.ts";
import type { TrafficQuery } from "../../store-requests.ts";
import type { ReadDeps } from "./reader.ts";

export async function readTraffic(
  { pool }: ReadDeps,
  { project, step, from, to }: TrafficQuery,
): Promise<readonly TrafficRecord[]> {
  const quarters = quartersOf(step);
  const rows = await pool.all<TrafficRecord>(
    `SELECT quarter / $1::int AS at, sum(errors)::bigint AS errors, sum(error_pages)::bigint AS "errorPages",
       sum(visits)::bigint AS visits, sum(failed_visits)::bigint AS "failedVisits"
     FROM holdfast.traffic_quarter WHERE project = $2 AND quarter BETWEEN $3 AND $4 GROUP BY 1 ORDER BY 1`,
    quarters,
    project,
    Math.floor(from / quarterMs),
    Math.floor(to / quarterMs),
  );
  return rows.map((row) => ({ ...row, at: row.at * quarters * quarterMs }));
}

export async function readAffected(
  { pool }: ReadDeps,
  project: number,
  from: number,
  to: number,
): Promise<readonly AffectedRecord[]> {
  const rows = await pool.all<{ hour: number; packed: Uint8Array }>(
    "SELECT hour, packed FROM holdfast.affected_hour WHERE project = $1 AND hour BETWEEN $2 AND $3 ORDER BY hour",
    project,
    Math.floor(from / hourMs),
    Math.floor(to / hourMs),
  );
  return rows.map(({ hour, packed }) => ({ at: hour * hourMs, visitors: packed }));
}
