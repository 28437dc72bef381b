import type { BatchSums, SessionSums } from "../../batch-sums.ts";
import type { OpenFold } from "./open-fold.ts";

/** Releases, counters, sessions and discards: each table in one statement, its rows in the order of their keys. */
export async function foldCounts(open: OpenFold, sums: BatchSums): Promise<void> {
  const names = await open.names.make([
    ...[...sums.releases.values()].map(({ name }) => name),
    ...[...sums.counts.values()].flatMap(({ name, route, label }) => [name, route, label]),
    ...[...sums.sessions.values()].flatMap(({ release, environment }) => [release, environment]).filter(isText),
    ...[...sums.discards.values()].flatMap(({ reason, category }) => [reason, category]),
  ]);
  const { queries, project } = open;
  // One that was refused is no release of its own.
  const releases = [...sums.releases.values()].filter(({ name }) => names.known(name) !== undefined);
  await queries.run(
    `INSERT INTO holdfast.release SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
     ON CONFLICT (project, name) DO UPDATE SET first_seen = least(release.first_seen, excluded.first_seen),
       last_seen = greatest(release.last_seen, excluded.last_seen), events = release.events + excluded.events`,
    project,
    releases.map(({ name }) => name),
    releases.map(({ firstAt }) => firstAt),
    releases.map(({ lastAt }) => lastAt),
    releases.map(({ events }) => events),
  );
  const counts = [...sums.counts.values()].map(({ hour, name, route, label, n }) => ({
    hour,
    key: [names.number(name), names.number(route), names.number(label)] as const,
    n,
  }));
  for (const [step, at] of [
    ["hour", (hour: number) => hour],
    ["day", (hour: number) => Math.floor(hour / 24)],
  ] as const)
    await queries.run(
      `INSERT INTO holdfast.count_${step} SELECT $1, at, name, route, label, sum(n)
       FROM unnest($2::int[], $3::int[], $4::int[], $5::int[], $6::float8[]) AS u (at, name, route, label, n)
       GROUP BY at, name, route, label ORDER BY at, name, route, label
       ON CONFLICT (project, ${step}, name, route, label) DO UPDATE SET n = count_${step}.n + excluded.n`,
      project,
      counts.map(({ hour }) => at(hour)),
      counts.map(({ key }) => key[0]),
      counts.map(({ key }) => key[1]),
      counts.map(({ key }) => key[2]),
      counts.map(({ n }) => n),
    );
  await foldSessions(open, [...sums.sessions.values()]);
  const discards = [...sums.discards.values()];
  await queries.run(
    `INSERT INTO holdfast.discard_hour SELECT $1, hour, reason, category, sum(n)
     FROM unnest($2::int[], $3::int[], $4::int[], $5::bigint[]) AS u (hour, reason, category, n) GROUP BY 2, 3, 4
     ON CONFLICT (project, hour, reason, category) DO UPDATE SET n = discard_hour.n + excluded.n`,
    project,
    discards.map(({ hour }) => hour),
    discards.map(({ reason }) => names.number(reason)),
    discards.map(({ category }) => names.number(category)),
    discards.map(({ n }) => n),
  );
}

async function foldSessions({ queries, project, names }: OpenFold, sessions: readonly SessionSums[]): Promise<void> {
  const numbers = await names.find(
    sessions.flatMap(({ release, environment }) => [release, environment]).filter(isText),
  );
  await queries.run(
    `INSERT INTO holdfast.session_hour SELECT $1, hour, release, environment, sum(s), sum(e), sum(c), sum(a)
     FROM unnest($2::int[], $3::int[], $4::int[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[])
       AS u (hour, release, environment, s, e, c, a) GROUP BY 2, 3, 4
     ON CONFLICT (project, hour, release, environment) DO UPDATE SET started = session_hour.started + excluded.started,
       errored = session_hour.errored + excluded.errored, crashed = session_hour.crashed + excluded.crashed,
       abnormal = session_hour.abnormal + excluded.abnormal`,
    project,
    sessions.map(({ hour }) => hour),
    sessions.map(({ release }) => numbers.number(release)),
    sessions.map(({ environment }) => numbers.number(environment)),
    sessions.map(({ started }) => started),
    sessions.map(({ errored }) => errored),
    sessions.map(({ crashed }) => crashed),
    sessions.map(({ abnormal }) => abnormal),
  );
}

function isText(text: string | undefined): text is string {
  return text !== undefined;
}
