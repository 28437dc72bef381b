import { unpackSketches } from "../../../sketches/quantile-sketch.ts";
import type { RouteRecord } from "../../records.ts";
import { unitOf } from "../../series-step.ts";
import type { RouteQuery } from "../../store-requests.ts";
import type { StoreFiles } from "../store-files.ts";

/** Looks up each step by its key. A scan would read the rows of all routes. */
export function readRouteSteps({ meta, names }: StoreFiles, query: RouteQuery): RouteRecord {
  const { project, step } = query;
  const unit = unitOf(step);
  const route = names.find(query.route);
  if (route === undefined) return { measures: [], counts: [] };
  const first = Math.floor(query.from / unit);
  const steps = JSON.stringify(
    Array.from({ length: Math.floor(query.to / unit) - first + 1 }, (_, index) => first + index),
  );
  const measures = meta.tuples<[at: number, packed: Uint8Array]>(
    `SELECT s.${step}, s.packed FROM json_each(?) AS wanted
     CROSS JOIN sketch_${step} AS s ON s.project = ? AND s.${step} = wanted.value AND s.route = ?`,
    steps,
    project,
    route,
  );
  const numbers = query.counters.flatMap((name) => names.find(name) ?? []);
  const counts = meta.tuples<[at: number, name: number, label: number, n: number]>(
    `SELECT c.${step}, c.name, c.label, c.n FROM json_each(?) AS wanted CROSS JOIN json_each(?) AS counter
     CROSS JOIN count_${step} AS c
       ON c.project = ? AND c.${step} = wanted.value AND c.name = counter.value AND c.route = ?`,
    steps,
    JSON.stringify(numbers),
    project,
    route,
  );
  return {
    measures: measures.map(([at, packed]) => ({ at: at * unit, sketches: unpackSketches(packed) })),
    counts: counts.map(([at, name, label, n]) => ({
      name: names.text(name) ?? "",
      label: names.text(label) ?? "",
      at: at * unit,
      n,
    })),
  };
}
