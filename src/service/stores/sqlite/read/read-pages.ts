import { hourMs } from "../../../clock.ts";
import { type SketchSet, sumSketchesBy, unpackSketches } from "../../../sketches/quantile-sketch.ts";
import type {
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
import type { StoreFiles } from "../store-files.ts";

export function readMeasures(files: StoreFiles, query: StepQuery): readonly MeasureRecord[] {
  return sketchRows(files, query).map(({ at, route, packed }) => ({
    route: files.names.text(route) ?? "",
    at: at * unitOf(query.step),
    sketches: unpackSketches(packed),
  }));
}

export function readMeasuresByRoute(files: StoreFiles, query: StepQuery): ReadonlyMap<string, SketchSet> {
  return sumByRoute(files, sketchRows(files, query));
}

export function readMeasuresBothWays(files: StoreFiles, query: BothWaysQuery): MeasuresBothWays {
  const rows = sketchRows(files, query);
  const unit = unitOf(query.step);
  return {
    byRoute: sumByRoute(files, rows),
    byStep: sumSketchesBy(rows, ({ at }) => at * unit, query.ofSteps),
  };
}

function sumByRoute({ names }: StoreFiles, rows: readonly SketchRow[]): ReadonlyMap<string, SketchSet> {
  const byRoute = sumSketchesBy(rows, ({ route }) => route);
  return new Map([...byRoute].map(([route, sketches]) => [names.text(route) ?? "", sketches]));
}

interface SketchRow {
  at: number;
  route: number;
  packed: Uint8Array;
}

function sketchRows({ meta }: StoreFiles, { project, step, from, to }: StepQuery): SketchRow[] {
  const rows = meta.tuples<[at: number, route: number, packed: Uint8Array]>(
    `SELECT ${step}, route, packed FROM sketch_${step} WHERE project = ? AND ${step} BETWEEN ? AND ?`,
    project,
    Math.floor(from / unitOf(step)),
    Math.floor(to / unitOf(step)),
  );
  return rows.map(([at, route, packed]) => ({ at, route, packed }));
}

export function readCounts(
  { meta, names }: StoreFiles,
  { project, step, from, to, name }: CountQuery,
): readonly CountRecord[] {
  const unit = unitOf(step);
  const only = name === undefined ? 0 : (names.find(name) ?? -1);
  const rows = meta.tuples<[at: number, name: number, route: number, label: number, n: number]>(
    `SELECT ${step}, name, route, label, n FROM count_${step} WHERE project = ?1 AND ${step} BETWEEN ?2 AND ?3 AND (?4 = 0 OR name = ?4)`,
    project,
    Math.floor(from / unit),
    Math.floor(to / unit),
    only,
  );
  return rows.map(([at, name, route, label, n]) => ({
    name: names.text(name) ?? "",
    route: names.text(route) ?? "",
    label: names.text(label) ?? "",
    at: at * unit,
    n,
  }));
}

/** Newest first. */
export function readReleases({ meta }: StoreFiles, project: number): readonly ReleaseRecord[] {
  return meta.all<ReleaseRecord>(
    `SELECT name, first_seen AS firstSeen, last_seen AS lastSeen, events,
       (SELECT count(*) FROM issue WHERE issue.project = release.project AND issue.first_release = release.name AND status <> 'merged') AS newIssues,
       (SELECT count(*) FROM issue WHERE issue.project = release.project AND regressed_in = release.name) AS regressedIssues,
       (SELECT count(*) FROM issue WHERE issue.project = release.project AND fixed_in = release.name) AS resolvedIn,
       (SELECT count(*) FROM issue WHERE issue.project = release.project AND fixed_after = release.name) AS resolvedAfter
     FROM release WHERE project = ? ORDER BY first_seen DESC LIMIT 500`,
    project,
  );
}

/** Newest first. Names only, because counting the issues of each release takes longer the more issues there are. */
export function readReleaseNames({ meta }: StoreFiles, project: number): readonly string[] {
  return meta
    .all<{ name: string }>("SELECT name FROM release WHERE project = ? ORDER BY first_seen DESC LIMIT 500", project)
    .map(({ name }) => name);
}

export function readReleaseIssues(
  { meta, names }: StoreFiles,
  project: number,
  release: string,
  limit: number,
): readonly ReleaseIssueRecord[] {
  return meta.all<ReleaseIssueRecord>(
    `SELECT g.issue, sum(r.n) AS events FROM group_release r JOIN issue_group g ON g.id = r.grp
     WHERE r.release = ? AND g.project = ? GROUP BY g.issue ORDER BY events DESC, g.issue LIMIT ?`,
    names.find(release) ?? -1,
    project,
    limit,
  );
}

export function readReleaseMeasures({ meta, names }: StoreFiles, project: number, release: string): SketchSet {
  const name = names.find(release);
  if (name === undefined) return new Map();
  const row = meta.one<{ packed: Uint8Array }>(
    "SELECT packed FROM sketch_release WHERE project = ? AND release = ?",
    project,
    name,
  );
  return row === undefined ? new Map() : unpackSketches(row.packed);
}

export function readSessions(
  { meta, names }: StoreFiles,
  project: number,
  from: number,
  to: number,
): readonly SessionRecord[] {
  const rows = meta.all<{
    hour: number;
    release: number;
    environment: number;
    started: number;
    errored: number;
    crashed: number;
    abnormal: number;
  }>(
    "SELECT hour, release, environment, started, errored, crashed, abnormal FROM session_hour WHERE project = ? AND hour BETWEEN ? AND ?",
    project,
    Math.floor(from / hourMs),
    Math.floor(to / hourMs),
  );
  return rows.map(({ hour, release, environment, ...counts }) => ({
    at: hour * hourMs,
    release: names.text(release),
    environment: names.text(environment),
    ...counts,
  }));
}

export function readDiscards(
  { meta, names }: StoreFiles,
  project: number,
  from: number,
  to: number,
): readonly DiscardRecord[] {
  const rows = meta.all<{ hour: number; reason: number; category: number; n: number }>(
    "SELECT hour, reason, category, n FROM discard_hour WHERE project = ? AND hour BETWEEN ? AND ?",
    project,
    Math.floor(from / hourMs),
    Math.floor(to / hourMs),
  );
  return rows.map(({ hour, reason, category, n }) => ({
    at: hour * hourMs,
    reason: names.text(reason) ?? "",
    category: names.text(category) ?? "",
    n,
  }));
}
