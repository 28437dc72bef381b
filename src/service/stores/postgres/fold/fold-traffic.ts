import { mergeVisitors } from "../../../sketches/visitor-count.ts";
import type { BatchSums } from "../../batch-sums.ts";
import type { OpenFold } from "./open-fold.ts";

/** Errors and visits by quarters of an hour, and visitors with an error by hours. */
export async function foldTraffic({ queries, project }: OpenFold, sums: BatchSums): Promise<void> {
  const traffic = [...sums.traffic.values()];
  await queries.run(
    `INSERT INTO holdfast.traffic_quarter
     SELECT $1, * FROM unnest($2::int[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
     ON CONFLICT (project, quarter) DO UPDATE SET errors = traffic_quarter.errors + excluded.errors,
       error_pages = traffic_quarter.error_pages + excluded.error_pages, visits = traffic_quarter.visits + excluded.visits,
       failed_visits = traffic_quarter.failed_visits + excluded.failed_visits`,
    project,
    traffic.map(({ quarter }) => quarter),
    traffic.map(({ errors }) => errors),
    traffic.map(({ errorPages }) => errorPages),
    traffic.map(({ visits }) => visits),
    traffic.map(({ failedVisits }) => failedVisits),
  );
  const affected = [...sums.affected.values()];
  if (affected.length === 0) return;
  const known = await queries.all<{ hour: number; packed: Uint8Array }>(
    "SELECT hour, packed FROM holdfast.affected_hour WHERE project = $1 AND hour = ANY ($2)",
    project,
    affected.map(({ hour }) => hour),
  );
  for (const { hour, packed } of known) mergeVisitors(sums.affectedIn(project, hour).registers, packed);
  await queries.run(
    `INSERT INTO holdfast.affected_hour SELECT $1, * FROM unnest($2::int[], $3::bytea[])
     ON CONFLICT (project, hour) DO UPDATE SET packed = excluded.packed`,
    project,
    affected.map(({ hour }) => hour),
    affected.map(({ registers }) => registers),
  );
}
