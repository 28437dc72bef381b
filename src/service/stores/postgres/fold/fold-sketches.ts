import { mergeSketchSet, packSketches, type SketchSet, unpackSketches } from "../../../sketches/quantile-sketch.ts";
import type { BatchSums } from "../../batch-sums.ts";
import type { OpenFold } from "./open-fold.ts";

/** Sketches are read, merged and written back: who folds is alone. */
export async function foldSketches(open: OpenFold, sums: BatchSums): Promise<void> {
  const ofRoutes = [...sums.sketches.values()];
  const ofReleases = [...sums.releaseSketches.values()];
  const names = await open.names.make([
    ...ofRoutes.map(({ route }) => route),
    ...ofReleases.map(({ release }) => release),
  ]);
  const byHour = new SketchesByKey();
  const byDay = new SketchesByKey();
  for (const { hour, route, set } of ofRoutes) {
    byHour.add(hour, names.number(route), set);
    byDay.add(Math.floor(hour / 24), names.number(route), set);
  }
  await mergeInto(open, "hour", byHour);
  await mergeInto(open, "day", byDay);
  const byRelease = new SketchesByKey();
  for (const { release, set } of ofReleases) byRelease.add(0, names.number(release), set);
  await mergeIntoReleases(open, byRelease);
}

/** Several routes may have one number, if they were refused. */
class SketchesByKey {
  readonly all = new Map<string, { at: number; name: number; set: SketchSet }>();

  add(at: number, name: number, set: SketchSet): void {
    const key = `${at} ${name}`;
    const known = this.all.get(key);
    const sum = known?.set ?? new Map();
    mergeSketchSet(sum, set);
    if (known === undefined) this.all.set(key, { at, name, set: sum });
  }
}

interface Row {
  at: number;
  name: number;
  packed: Uint8Array;
}

async function mergeInto({ queries, project }: OpenFold, step: "hour" | "day", sketches: SketchesByKey): Promise<void> {
  const rows = [...sketches.all.values()];
  if (rows.length === 0) return;
  const keys = [rows.map(({ at }) => at), rows.map(({ name }) => name)] as const;
  const known = await queries.all<Row>(
    `SELECT s.${step} AS at, s.route AS name, s.packed FROM unnest($2::int[], $3::int[]) AS u (at, route)
     JOIN holdfast.sketch_${step} s ON s.project = $1 AND s.${step} = u.at AND s.route = u.route`,
    project,
    ...keys,
  );
  await queries.run(
    `INSERT INTO holdfast.sketch_${step} SELECT $1, * FROM unnest($2::int[], $3::int[], $4::bytea[])
     ON CONFLICT (project, ${step}, route) DO UPDATE SET packed = excluded.packed`,
    project,
    ...keys,
    merged(sketches, known),
  );
}

async function mergeIntoReleases({ queries, project }: OpenFold, sketches: SketchesByKey): Promise<void> {
  const releases = [...sketches.all.values()].map(({ name }) => name);
  if (releases.length === 0) return;
  const known = await queries.all<Row>(
    "SELECT 0 AS at, release AS name, packed FROM holdfast.sketch_release WHERE project = $1 AND release = ANY ($2)",
    project,
    releases,
  );
  await queries.run(
    `INSERT INTO holdfast.sketch_release SELECT $1, * FROM unnest($2::int[], $3::bytea[])
     ON CONFLICT (project, release) DO UPDATE SET packed = excluded.packed`,
    project,
    releases,
    merged(sketches, known),
  );
}

function merged(sketches: SketchesByKey, known: readonly Row[]): Uint8Array[] {
  for (const { at, name, packed } of known) sketches.add(at, name, unpackSketches(packed));
  return [...sketches.all.values()].map(({ set }) => packSketches(set));
}
