import { hourMs } from "../../../clock.ts";
import { type SketchSet, sumSketchesBy, unpackSketches } from "../../../sketches/quantile-sketch.ts";
import type {
  ChunkCounts,
  ChunkRecord,
  Commit,
  CountRecord,
  DiscardRecord,
  MeasureRecord,
  MeasuresBothWays,
  ReleaseIssueRecord,
  ReleaseRecord,
  SessionRecord,
} from "../../records.ts";
import { unitOf } from "../../series-step.ts";
import type { BothWaysQuery, CountQuery, StepQuery } from "../../store-requests.ts";
import type { ReadDeps } from "./reader.ts";

export async function readMeasures(deps: ReadDeps, query: StepQuery): Promise<readonly MeasureRecord[]> {
  const rows = await sketchRows(deps, query);
  const text = await deps.names.read(rows.map(({ route }) => route));
  return rows.map(({ at, route, packed }) => ({
    route: text(route) ?? "",
    at: at * unitOf(query.step),
    sketches: unpackSketches(packed),
  }));
}

export async function readMeasuresByRoute(deps: ReadDeps, query: StepQuery): Promise<ReadonlyMap<string, SketchSet>> {
  return sumByRoute(deps, await sketchRows(deps, query));
}

export async function readMeasuresBothWays(deps: ReadDeps, query: BothWaysQuery): Promise<MeasuresBothWays> {
  const rows = await sketchRows(deps, query);
  const unit = unitOf(query.step);
  return {
    byRoute: await sumByRoute(deps, rows),
    byStep: sumSketchesBy(rows, ({ at }) => at * unit, query.ofSteps),
  };
}

async function sumByRoute({ names }: ReadDeps, rows: readonly SketchRow[]): Promise<ReadonlyMap<string, SketchSet>> {
  const byRoute = sumSketchesBy(rows, ({ route }) => route);
  const text = await names.read(byRoute.keys());
  return new Map([...byRoute].map(([route, sketches]) => [text(route) ?? "", sketches]));
}

interface SketchRow {
  at: number;
  route: number;
  packed: Uint8Array;
}

function sketchRows({ pool }: ReadDeps, { project, step, from, to }: StepQuery): Promise<SketchRow[]> {
  return pool.all<SketchRow>(
    `SELECT ${step} AS at, route, packed FROM holdfast.sketch_${step}
     WHERE project = $1 AND ${step} BETWEEN $2 AND $3 ORDER BY ${step}, route`,
    project,
    Math.floor(from / unitOf(step)),
    Math.floor(to / unitOf(step)),
  );
}

export async function readCounts(
  { pool, names }: ReadDeps,
  { project, step, from, to, name }: CountQuery,
): Promise<readonly CountRecord[]> {
  const unit = unitOf(step);
  const rows = await pool.all<{ at: number; name: number; route: number; label: number; n: number }>(
    `SELECT ${step} AS at, name, route, label, n FROM holdfast.count_${step}
     WHERE project = $1 AND ${step} BETWEEN $2 AND $3
       AND ($4::text IS NULL OR name = (SELECT id FROM holdfast.name WHERE text = $4))
     ORDER BY ${step}, name, route, label`,
    project,
    Math.floor(from / unit),
    Math.floor(to / unit),
    name ?? null,
  );
  const text = await names.read(rows.flatMap((row) => [row.name, row.route, row.label]));
  return rows.map((row) => ({
    name: text(row.name) ?? "",
    route: text(row.route) ?? "",
    label: text(row.label) ?? "",
    at: row.at * unit,
    n: row.n,
  }));
}

/** Newest first. */
export function readReleases({ pool }: ReadDeps, project: number): Promise<readonly ReleaseRecord[]> {
  const count = (where: string): string =>
    `(SELECT count(*) FROM holdfast.issue i WHERE i.project = release.project AND i.events > 0 AND ${where})`;
  return pool.all<ReleaseRecord>(
    `SELECT name, first_seen AS "firstSeen", last_seen AS "lastSeen", events,
       ${count("i.first_release = release.name AND i.status <> 'merged'")} AS "newIssues",
       ${count("i.regressed_in = release.name")} AS "regressedIssues",
       ${count("i.fixed_in = release.name")} AS "resolvedIn",
       ${count("i.fixed_after = release.name")} AS "resolvedAfter"
     FROM holdfast.release WHERE project = $1 ORDER BY first_seen DESC, name COLLATE "C" LIMIT 500`,
    project,
  );
}

/** Newest first, with nothing counted. */
export async function readReleaseNames({ pool }: ReadDeps, project: number): Promise<readonly string[]> {
  const rows = await pool.all<{ name: string }>(
    `SELECT name FROM holdfast.release WHERE project = $1 ORDER BY first_seen DESC, name COLLATE "C" LIMIT 500`,
    project,
  );
  return rows.map(({ name }) => name);
}

export function readReleaseIssues(
  { pool }: ReadDeps,
  project: number,
  release: string,
  limit: number,
): Promise<readonly ReleaseIssueRecord[]> {
  return pool.all<ReleaseIssueRecord>(
    `SELECT g.issue, sum(r.n)::bigint AS events FROM holdfast.group_release r
     JOIN holdfast.issue_group g ON g.id = r.grp
     WHERE r.release = (SELECT id FROM holdfast.name WHERE text = $2) AND g.project = $1
     GROUP BY g.issue ORDER BY events DESC, g.issue LIMIT $3`,
    project,
    release,
    limit,
  );
}

export async function readReleaseMeasures({ pool }: ReadDeps, project: number, release: string): Promise<SketchSet> {
  const row = await pool.one<{ packed: Uint8Array }>(
    `SELECT packed FROM holdfast.sketch_release
     WHERE project = $1 AND release = (SELECT id FROM holdfast.name WHERE text = $2)`,
    project,
    release,
  );
  return row === undefined ? new Map() : unpackSketches(row.packed);
}

export async function readCommits({ pool }: ReadDeps, project: number, release: string): Promise<readonly Commit[]> {
  const row = await pool.one<{ commits: string }>(
    "SELECT commits FROM holdfast.release_commits WHERE project = $1 AND release = $2",
    project,
    release,
  );
  // Checked when they were read from the build.
  return row === undefined ? [] : (JSON.parse(row.commits) as Commit[]);
}

const withMap = "LEFT JOIN holdfast.source_map m ON m.project = c.project AND m.debug_id = c.debug_id";

export async function readChunkCounts(
  { pool, names }: ReadDeps,
  project: number,
): Promise<ReadonlyMap<string, ChunkCounts>> {
  const rows = await pool.all<{ release: number; chunks: number; withoutMap: number }>(
    `SELECT c.release, count(*) AS chunks, count(*) FILTER (WHERE m.hash IS NULL) AS "withoutMap"
     FROM holdfast.release_chunk c ${withMap} WHERE c.project = $1 GROUP BY c.release`,
    project,
  );
  const text = await names.read(rows.map(({ release }) => release));
  return new Map(rows.map(({ release, chunks, withoutMap }) => [text(release) ?? "", { chunks, withoutMap }]));
}

export async function readReleaseChunks(
  { pool }: ReadDeps,
  project: number,
  release: string,
): Promise<readonly ChunkRecord[]> {
  const rows = await pool.all<Omit<ChunkRecord, "debugId"> & { debugId: string }>(
    `SELECT c.debug_id AS "debugId", c.file, c.mapped, c.unmapped, c.last_event AS "lastEventId",
       m.hash IS NOT NULL AS "hasMap"
     FROM holdfast.release_chunk c ${withMap}
     WHERE c.project = $1 AND c.release = (SELECT id FROM holdfast.name WHERE text = $2)
     ORDER BY 6, c.unmapped DESC, c.file COLLATE "C", c.debug_id COLLATE "C"`,
    project,
    release,
  );
  return rows.map(({ debugId, ...row }) => ({ debugId: debugId === "" ? undefined : debugId, ...row }));
}

export async function readSessions(
  { pool, names }: ReadDeps,
  project: number,
  from: number,
  to: number,
): Promise<readonly SessionRecord[]> {
  const rows = await pool.all<{
    hour: number;
    release: number;
    environment: number;
    started: number;
    errored: number;
    crashed: number;
    abnormal: number;
  }>(
    `SELECT hour, release, environment, started, errored, crashed, abnormal FROM holdfast.session_hour
     WHERE project = $1 AND hour BETWEEN $2 AND $3 ORDER BY hour, release, environment`,
    project,
    Math.floor(from / hourMs),
    Math.floor(to / hourMs),
  );
  const text = await names.read(rows.flatMap(({ release, environment }) => [release, environment]));
  return rows.map(({ hour, release, environment, ...counts }) => ({
    at: hour * hourMs,
    release: text(release),
    environment: text(environment),
    ...counts,
  }));
}

export async function readDiscards(
  { pool, names }: ReadDeps,
  project: number,
  from: number,
  to: number,
): Promise<readonly DiscardRecord[]> {
  const rows = await pool.all<{ hour: number; reason: number; category: number; n: number }>(
    `SELECT hour, reason, category, n FROM holdfast.discard_hour
     WHERE project = $1 AND hour BETWEEN $2 AND $3 ORDER BY hour, reason, category`,
    project,
    Math.floor(from / hourMs),
    Math.floor(to / hourMs),
  );
  const text = await names.read(rows.flatMap(({ reason, category }) => [reason, category]));
  return rows.map(({ hour, reason, category, n }) => ({
    at: hour * hourMs,
    reason: text(reason) ?? "",
    category: text(category) ?? "",
    n,
  }));
}
