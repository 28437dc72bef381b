import type { BatchSums } from "../../batch-sums.ts";
import { foldTags } from "./fold-tags.ts";
import { foldTexts } from "./fold-texts.ts";
import { foldVisitors } from "./fold-visitors.ts";
import type { GroupEntry, KnownGroup } from "./group-entry.ts";
import type { OpenFold } from "./open-fold.ts";

/** What the batches brought for each group. Returns the groups that had no event before: their issues are new. */
export async function foldGroups(open: OpenFold, sums: BatchSums): Promise<readonly number[]> {
  const groups = [...sums.groups].sort(([a], [b]) => a - b);
  if (groups.length === 0) return [];
  await foldTimes(open, groups);
  await foldReleases(open, groups);
  await foldTags(open, groups);
  const known = await knownGroups(open, groups);
  const visitors = await foldVisitors(open, groups, known);
  const texts = await foldTexts(open, groups, known);
  await updateGroups(open, groups, { visitors, texts });
  return groups.flatMap(([id]) => ((known.get(id)?.events ?? 0) === 0 ? [id] : []));
}

async function knownGroups(
  { queries }: OpenFold,
  groups: readonly GroupEntry[],
): Promise<ReadonlyMap<number, KnownGroup>> {
  const rows = await queries.all<KnownGroup>(
    "SELECT id, texts, events, visitors, registers FROM holdfast.issue_group WHERE id = ANY ($1)",
    groups.map(([id]) => id),
  );
  return new Map(rows.map((row) => [row.id, row]));
}

async function foldTimes({ queries, names }: OpenFold, groups: readonly GroupEntry[]): Promise<void> {
  const hours = groups.flatMap(([grp, { hours }]) => [...hours.values()].map((hour) => ({ grp, ...hour })));
  const days = groups.flatMap(([grp, { days }]) => [...days.values()].map((day) => ({ grp, ...day })));
  const numbers = await names.make(
    hours.flatMap(({ environment, release }) => [environment, release]).filter((text) => text !== undefined),
  );
  await queries.run(
    `INSERT INTO holdfast.group_hour SELECT grp, hour, environment, release, sum(n)
     FROM unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::bigint[]) AS u (grp, hour, environment, release, n)
     GROUP BY 1, 2, 3, 4
     ON CONFLICT (grp, hour, environment, release) DO UPDATE SET n = group_hour.n + excluded.n`,
    hours.map(({ grp }) => grp),
    hours.map(({ hour }) => hour),
    hours.map(({ environment }) => numbers.number(environment)),
    hours.map(({ release }) => numbers.number(release)),
    hours.map(({ n }) => n),
  );
  await queries.run(
    `INSERT INTO holdfast.group_day SELECT grp, day, environment, sum(n)
     FROM unnest($1::bigint[], $2::int[], $3::int[], $4::bigint[]) AS u (grp, day, environment, n) GROUP BY 1, 2, 3
     ON CONFLICT (grp, day, environment) DO UPDATE SET n = group_day.n + excluded.n`,
    days.map(({ grp }) => grp),
    days.map(({ day }) => day),
    days.map(({ environment }) => numbers.number(environment)),
    days.map(({ n }) => n),
  );
}

async function foldReleases({ queries, names }: OpenFold, groups: readonly GroupEntry[]): Promise<void> {
  const rows = groups.flatMap(([grp, { releases }]) =>
    [...releases].flatMap(([release, seen]) => (release === undefined ? [] : [{ grp, release, ...seen }])),
  );
  const numbers = await names.find([...rows.map(({ release }) => release)]);
  await queries.run(
    `INSERT INTO holdfast.group_release SELECT grp, release, min(f), max(l), sum(n)
     FROM unnest($1::bigint[], $2::int[], $3::bigint[], $4::bigint[], $5::bigint[]) AS u (grp, release, f, l, n)
     GROUP BY 1, 2
     ON CONFLICT (grp, release) DO UPDATE SET first_seen = least(group_release.first_seen, excluded.first_seen),
       last_seen = greatest(group_release.last_seen, excluded.last_seen), n = group_release.n + excluded.n`,
    rows.map(({ grp }) => grp),
    rows.map(({ release }) => numbers.number(release)),
    rows.map(({ firstAt }) => firstAt),
    rows.map(({ lastAt }) => lastAt),
    rows.map(({ n }) => n),
  );
}

/** A group keeps what its newest event says, for the issue that has the group. */
async function updateGroups(
  { queries }: OpenFold,
  groups: readonly GroupEntry[],
  {
    visitors,
    texts,
  }: {
    visitors: ReadonlyMap<number, { count: number; registers: Uint8Array | null }>;
    texts: ReadonlyMap<number, number>;
  },
): Promise<void> {
  const last = groups.map(([, sums]) => sums.last);
  await queries.run(
    `UPDATE holdfast.issue_group g SET events = g.events + u.n, first_seen = least(g.first_seen, u.f),
       last_seen = greatest(g.last_seen, u.l), visitors = coalesce(u.v, g.visitors),
       registers = coalesce(u.r, g.registers), texts = g.texts + u.x,
       type = CASE WHEN u.l >= g.last_seen OR g.last_event IS NULL THEN u.type ELSE g.type END,
       title = CASE WHEN u.l >= g.last_seen OR g.last_event IS NULL THEN u.title ELSE g.title END,
       culprit = CASE WHEN u.l >= g.last_seen OR g.last_event IS NULL THEN u.culprit ELSE g.culprit END,
       level = CASE WHEN u.l >= g.last_seen OR g.last_event IS NULL THEN u.level ELSE g.level END,
       last_release = CASE WHEN u.l >= g.last_seen OR g.last_event IS NULL THEN u.release ELSE g.last_release END,
       last_event = CASE WHEN u.l >= g.last_seen OR g.last_event IS NULL THEN u.event ELSE g.last_event END
     FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bytea[], $7::int[],
       $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::uuid[])
       AS u (id, n, f, l, v, r, x, type, title, culprit, level, release, event)
     WHERE g.id = u.id`,
    groups.map(([id]) => id),
    groups.map(([, { events }]) => events),
    groups.map(([, { firstAt }]) => firstAt),
    last.map(({ at }) => at),
    groups.map(([id]) => visitors.get(id)?.count ?? null),
    groups.map(([id]) => visitors.get(id)?.registers ?? null),
    groups.map(([id]) => texts.get(id) ?? 0),
    last.map(({ title }) => title.type ?? null),
    last.map(({ title }) => title.text),
    last.map(({ title }) => title.culprit ?? null),
    last.map(({ level }) => level),
    last.map(({ release }) => release ?? null),
    last.map(({ eventId }) => eventId),
  );
}
