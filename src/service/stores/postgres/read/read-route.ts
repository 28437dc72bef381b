import { unpackSketches } from "../../../sketches/quantile-sketch.ts";
import type { RouteRecord } from "../../records.ts";
import { unitOf } from "../../series-step.ts";
import type { RouteQuery } from "../../store-requests.ts";
import type { ReadDeps } from "./reader.ts";

/** Looks up each step by its key. A scan would read the rows of all routes. */
export async function readRouteSteps(
  { pool, names }: ReadDeps,
  { project, route, step, from, to, counters }: RouteQuery,
): Promise<RouteRecord> {
  const unit = unitOf(step);
  const range = [Math.floor(from / unit), Math.floor(to / unit)] as const;
  const [measures, counts] = await Promise.all([
    pool.all<{ at: number; packed: Uint8Array }>(
      `SELECT s.${step} AS at, s.packed FROM generate_series($2::int, $3::int) AS wanted (at)
       JOIN holdfast.sketch_${step} s ON s.project = $1 AND s.${step} = wanted.at
         AND s.route = (SELECT id FROM holdfast.name WHERE text = $4)
       ORDER BY s.${step}`,
      project,
      ...range,
      route,
    ),
    pool.all<{ at: number; name: number; label: number; n: number }>(
      `SELECT c.${step} AS at, c.name, c.label, c.n FROM generate_series($2::int, $3::int) AS wanted (at)
       CROSS JOIN (SELECT id FROM holdfast.name WHERE text = ANY ($5)) counter
       JOIN holdfast.count_${step} c ON c.project = $1 AND c.${step} = wanted.at AND c.name = counter.id
         AND c.route = (SELECT id FROM holdfast.name WHERE text = $4)
       ORDER BY c.${step}`,
      project,
      ...range,
      route,
      counters,
    ),
  ]);
  const text = await names.read(counts.flatMap(({ name, label }) => [name, label]));
  return {
    measures: measures.map(({ at, packed }) => ({ at: at * unit, sketches: unpackSketches(packed) })),
    counts: counts.map(({ at, name, label, n }) => ({
      name: text(name) ?? "",
      label: text(label) ?? "",
      at: at * unit,
      n,
    })),
  };
}
