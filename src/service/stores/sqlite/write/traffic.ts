import { hourMs, quarterMs } from "../../../clock.ts";
import { mergeVisitors } from "../../../sketches/visitor-count.ts";
import type { BatchSums } from "../../batch-sums.ts";
import type { AffectedRecord, TrafficRecord } from "../../records.ts";
import { quartersOf } from "../../series-step.ts";
import type { TrafficAges, TrafficQuery } from "../../store-requests.ts";
import type { StoreFiles } from "../store-files.ts";

export function writeTraffic({ meta }: StoreFiles, sums: BatchSums): void {
  for (const { project, quarter, errors, errorPages, visits, failedVisits } of sums.traffic.values())
    meta.run(
      `INSERT INTO traffic_quarter VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET errors = errors + excluded.errors,
         error_pages = error_pages + excluded.error_pages, visits = visits + excluded.visits,
         failed_visits = failed_visits + excluded.failed_visits`,
      project,
      quarter,
      errors,
      errorPages,
      visits,
      failedVisits,
    );
  for (const { project, hour, registers } of sums.affected.values()) {
    const key = [project, hour] as const;
    const known = meta.one<{ packed: Uint8Array }>(
      "SELECT packed FROM affected_hour WHERE project = ? AND hour = ?",
      ...key,
    );
    const packed = Uint8Array.from(registers);
    if (known !== undefined) mergeVisitors(packed, known.packed);
    meta.run("INSERT OR REPLACE INTO affected_hour VALUES (?, ?, ?)", ...key, packed);
  }
}

export function readTraffic({ meta }: StoreFiles, { project, step, from, to }: TrafficQuery): readonly TrafficRecord[] {
  const quarters = quartersOf(step);
  const among = "FROM traffic_quarter WHERE project = ? AND quarter BETWEEN ? AND ?";
  // Quarters need no sums, which would take longer than reading them.
  const sql =
    quarters === 1
      ? `SELECT quarter, errors, error_pages, visits, failed_visits ${among} ORDER BY quarter`
      : `SELECT quarter / ${quarters}, sum(errors), sum(error_pages), sum(visits), sum(failed_visits) ${among}
         GROUP BY 1 ORDER BY 1`;
  const rows = meta.tuples<[number, number, number, number, number]>(
    sql,
    project,
    Math.floor(from / quarterMs),
    Math.floor(to / quarterMs),
  );
  return rows.map(([at, errors, errorPages, visits, failedVisits]) => ({
    at: at * quarters * quarterMs,
    errors,
    errorPages,
    visits,
    failedVisits,
  }));
}

export function readAffected(
  { meta }: StoreFiles,
  project: number,
  from: number,
  to: number,
): readonly AffectedRecord[] {
  return meta.all<AffectedRecord>(
    `SELECT hour * ${hourMs} AS at, packed AS visitors FROM affected_hour
     WHERE project = ? AND hour BETWEEN ? AND ? ORDER BY hour`,
    project,
    Math.floor(from / hourMs),
    Math.floor(to / hourMs),
  );
}

export function dropTrafficBefore({ meta }: StoreFiles, { quarters, visitors }: TrafficAges): void {
  meta.run("DELETE FROM traffic_quarter WHERE quarter < ?", Math.floor(quarters / quarterMs));
  meta.run("DELETE FROM affected_hour WHERE hour < ?", Math.floor(visitors / hourMs));
}
