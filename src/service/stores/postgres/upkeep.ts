import { dayMs, hourMs, quarterMs } from "../../clock.ts";
import type { DeletionReason, DeletionRecord, PartitionRecord } from "../records.ts";
import type { TrafficAges } from "../store-requests.ts";
import { weekOf } from "../weeks.ts";
import type { Pool, Queries } from "./connect/connections.ts";
import { partitioned } from "./migrations/part-tables.ts";
import { listParts, type Part, partitionOf } from "./parts.ts";

export async function readPartitions(queries: Queries): Promise<readonly PartitionRecord[]> {
  const records: PartitionRecord[] = [];
  for (const part of await listParts(queries)) {
    const sizes = partitioned.map(
      (table) => `coalesce(pg_total_relation_size(to_regclass('${partitionOf(table, part.id)}')), 0)`,
    );
    const size = await queries.one<{ bytes: number }>(`SELECT ${sizes.join(" + ")} AS bytes`);
    const { name, from, to } = part;
    records.push({ name, from, to, bytes: size?.bytes ?? 0, isLater: from > weekOf(from).from });
  }
  return records;
}

/** What is kept beside the parts. */
export async function lastingBytes(queries: Queries): Promise<number> {
  const row = await queries.one<{ bytes: number | null }>(
    `SELECT sum(pg_total_relation_size(c.oid)) AS bytes FROM pg_class c
     WHERE c.relnamespace = 'holdfast'::regnamespace AND c.relkind = 'r' AND NOT c.relispartition`,
  );
  return row?.bytes ?? 0;
}

export async function readDeletions(queries: Queries): Promise<readonly DeletionRecord[]> {
  return queries.all<DeletionRecord>(
    'SELECT what, why, n FROM holdfast.gone ORDER BY what COLLATE "C", why COLLATE "C"',
  );
}

async function countDeleted(
  queries: Queries,
  what: DeletionRecord["what"],
  why: DeletionReason,
  n: number,
): Promise<void> {
  if (n === 0) return;
  await queries.run(
    "INSERT INTO holdfast.gone VALUES ($1, $2, $3) ON CONFLICT (what, why) DO UPDATE SET n = gone.n + excluded.n",
    what,
    why,
    n,
  );
}

async function partNamed(queries: Queries, name: string): Promise<Part | undefined> {
  return (await listParts(queries)).find((part) => part.name === name);
}

/** Counts what goes and drops it in one transaction: after a crash all of it is there, or nothing. */
export async function dropPart(pool: Pool, name: string, why: DeletionReason): Promise<void> {
  await pool.transaction(async (queries) => {
    // Who reads or writes another part goes on; who waits for this longer than so would keep others waiting.
    await queries.run("SET LOCAL lock_timeout = '5s'");
    const part = await partNamed(queries, name);
    if (part === undefined) return;
    const row = await queries.one<{ n: number }>(`SELECT count(*) AS n FROM ${partitionOf("event", part.id)}`);
    await countDeleted(queries, "events", why, row?.n ?? 0);
    for (const table of partitioned) await queries.run(`DROP TABLE ${partitionOf(table, part.id)}`);
    await queries.run("DELETE FROM holdfast.part WHERE id = $1", part.id);
  });
}

/** Takes the oldest out of a part until it has about this size. */
export async function cutPart(pool: Pool, name: string, toBytes: number, why: DeletionReason): Promise<void> {
  const record = (await readPartitions(pool)).find((partition) => partition.name === name);
  if (record === undefined || record.bytes <= toBytes) return;
  const share = 1 - toBytes / Math.max(1, record.bytes);
  const part = await pool.transaction(async (queries) => {
    const found = await partNamed(queries, name);
    if (found !== undefined) await deleteOldest(queries, found, share, why);
    return found;
  });
  // Gives the room back; only this part is locked meanwhile. It cannot run in a transaction.
  if (part !== undefined)
    for (const table of partitioned) await pool.run(`VACUUM (FULL, ANALYZE) ${partitionOf(table, part.id)}`);
}

async function deleteOldest(queries: Queries, part: Part, share: number, why: DeletionReason): Promise<void> {
  const of = (table: string): string => partitionOf(table, part.id);
  const rows = await queries.one<{ from: number | null }>(
    `SELECT percentile_disc($1) WITHIN GROUP (ORDER BY id) AS "from" FROM (
       SELECT id FROM ${of("event")} UNION ALL SELECT id FROM ${of("span_block")} UNION ALL SELECT id FROM ${of("log_block")}
     ) rows`,
    share,
  );
  const from = rows?.from ?? 0;
  const first = await queries.one<{ at: number | null }>(
    `SELECT min(received_at) AS at FROM ${of("event")} WHERE id >= $1`,
    from,
  );
  await countDeleted(queries, "events", why, await queries.run(`DELETE FROM ${of("event")} WHERE id < $1`, from));
  for (const table of ["span_block", "log_block", "attachment"])
    await queries.run(`DELETE FROM ${of(table)} WHERE id < $1`, from);
  await queries.run(`DELETE FROM ${of("segment")} WHERE block < $1`, from);
  await queries.run(`DELETE FROM ${of("other_id")} WHERE event < $1`, from);
  await queries.run(
    `DELETE FROM ${of("body_block")} b WHERE NOT EXISTS (SELECT 1 FROM ${of("event")} WHERE block = b.id)
       AND NOT EXISTS (SELECT 1 FROM ${of("span_block")} WHERE block = b.id)`,
  );
  await queries.run(
    `DELETE FROM ${of("body_reference")} WHERE id NOT IN (SELECT unnest(refs) FROM ${of("body_block")})`,
  );
  const startsAt = Math.min(Math.max(first?.at ?? part.from, part.from), part.to - 1);
  await queries.run("UPDATE holdfast.part SET starts_at = $2 WHERE id = $1", part.id, startsAt);
}

// What Live follows is younger than this.
const arrivalRetention = "1 day";

export async function dropHoursBefore(pool: Pool, at: number): Promise<void> {
  const hour = Math.floor(at / hourMs);
  for (const table of ["group_hour", "sketch_hour", "count_hour", "discard_hour"])
    await pool.run(`DELETE FROM holdfast.${table} WHERE hour < $1`, hour);
  await pool.run(`DELETE FROM holdfast.arrival WHERE at < now() - interval '${arrivalRetention}'`);
}

export async function dropTrafficBefore(pool: Pool, { quarters, visitors }: TrafficAges): Promise<void> {
  await pool.run("DELETE FROM holdfast.traffic_quarter WHERE quarter < $1", Math.floor(quarters / quarterMs));
  await pool.run("DELETE FROM holdfast.affected_hour WHERE hour < $1", Math.floor(visitors / hourMs));
}

// As many builds of a project as the page server keeps files of: open tabs may still have them.
const retainedBuilds = 3;

const oldBuilds = `SELECT project, build FROM (
    SELECT project, build, added, used, row_number() OVER (PARTITION BY project ORDER BY added DESC, build DESC) AS place
    FROM (
      SELECT m.project, coalesce(m.release, '') AS build, max(m.added_at) AS added, coalesce(max(r.last_seen), 0) AS used
      FROM holdfast.source_map m
      LEFT JOIN holdfast.release_chunk c ON c.project = m.project AND c.debug_id = m.debug_id
      LEFT JOIN holdfast.name n ON n.id = c.release
      LEFT JOIN holdfast.release r ON r.project = m.project AND r.name = n.text
      GROUP BY 1, 2
    ) builds
  ) placed WHERE place > $1 AND added < $2 ORDER BY greatest(added, used) LIMIT $3`;

/** Builds beyond the newest of each project, those first that no event has named for longest. Returns how many maps. */
function forgetBuilds(
  pool: Pool,
  retained: number,
  { addedBefore, builds, why }: { addedBefore: number; builds: number; why: DeletionReason },
): Promise<number> {
  return pool.transaction(async (queries) => {
    let maps = 0;
    for (const { project, build } of await queries.all<{ project: number; build: string }>(
      oldBuilds,
      retained,
      addedBefore,
      builds,
    ))
      maps += await queries.run(
        "DELETE FROM holdfast.source_map WHERE project = $1 AND coalesce(release, '') = $2",
        project,
        build,
      );
    if (maps > 0)
      await queries.run(
        "DELETE FROM holdfast.map_file f WHERE NOT EXISTS (SELECT 1 FROM holdfast.source_map m WHERE m.hash = f.hash)",
      );
    await countDeleted(queries, "source-maps", why, maps);
    return maps;
  });
}

export async function forgetMapsBefore(pool: Pool, at: number): Promise<void> {
  await forgetBuilds(pool, retainedBuilds, { addedBefore: at, builds: 1_000, why: "age" });
}

// So many issues go in one transaction.
const issuesAtOnce = 1_000;
// Counters by the day go by so many days at once.
const daysAtOnce = 30;

/**
 * Gives up one piece of what lasts, the least missed first: a build, else issues of which no event is kept, else the
 * oldest days. One piece at a time: the room shows only after the database has swept up, so that the next turn decides.
 */
export async function shrinkLasting(pool: Pool, toBytes: number): Promise<void> {
  if ((await lastingBytes(pool)) <= toBytes) return;
  const oneBuild = { addedBefore: Number.MAX_SAFE_INTEGER, builds: 1, why: "bytes" } as const;
  if ((await forgetBuilds(pool, retainedBuilds, oneBuild)) > 0) return;
  if ((await forgetIssues(pool)) > 0) return;
  if ((await forgetBuilds(pool, 1, oneBuild)) > 0) return;
  if ((await forgetOldestDays(pool)) > 0) return;
  await forgetBuilds(pool, 0, oneBuild);
}

export const tablesOfGroups: readonly string[] = [
  "group_hour",
  "group_day",
  "group_visitor",
  "group_tag",
  "group_release",
  "group_text",
  "fingerprint",
];

/** Issues of which no event is kept. The newest number of a project stays, so that no number is given twice. */
function forgetIssues(pool: Pool): Promise<number> {
  return pool.transaction(async (queries) => {
    const oldest = (await listParts(queries)).at(-1)?.from ?? Number.MAX_SAFE_INTEGER;
    const found = await queries.all<{ id: number }>(
      `SELECT i.id FROM holdfast.issue i WHERE i.last_seen < $1 AND i.status <> 'merged' AND i.events > 0
         AND NOT EXISTS (SELECT 1 FROM holdfast.issue_group g JOIN holdfast.event e ON e.grp = g.id WHERE g.issue = i.id)
       ORDER BY i.last_seen LIMIT $2`,
      oldest,
      issuesAtOnce,
    );
    const issues = found.map(({ id }) => id);
    if (issues.length === 0) return 0;
    const rows = await queries.all<{ id: number }>(
      "DELETE FROM holdfast.issue_group WHERE issue = ANY ($1) RETURNING id",
      issues,
    );
    const groups = rows.map(({ id }) => id);
    for (const table of tablesOfGroups) await queries.run(`DELETE FROM holdfast.${table} WHERE grp = ANY ($1)`, groups);
    // Those that were merged into them went with them.
    await queries.run(
      `WITH gone AS (DELETE FROM holdfast.issue WHERE id = ANY ($1) OR merged_into = ANY ($1) RETURNING id)
       DELETE FROM holdfast.issue_history WHERE issue IN (SELECT id FROM gone)`,
      issues,
    );
    await countDeleted(queries, "issues", "bytes", issues.length);
    return issues.length;
  });
}

const tablesByDay = ["group_day", "count_day", "sketch_day"];

/** The newest days stay: they are what is counted now. */
function forgetOldestDays(pool: Pool): Promise<number> {
  return pool.transaction(async (queries) => {
    const all = tablesByDay.map((table) => `SELECT min(day) AS first, max(day) AS last FROM holdfast.${table}`);
    const days = await queries.one<{ first: number | null; last: number | null }>(
      `SELECT min(first) AS first, max(last) AS last FROM (${all.join(" UNION ALL ")}) days`,
    );
    if (days === undefined || days.first === null || days.last === null) return 0;
    const before = Math.min(days.first + daysAtOnce, days.last);
    for (const table of tablesByDay) await queries.run(`DELETE FROM holdfast.${table} WHERE day < $1`, before);
    await queries.run("DELETE FROM holdfast.session_hour WHERE hour < $1", before * 24);
    await queries.run("DELETE FROM holdfast.feedback WHERE at < $1", before * dayMs);
    await countDeleted(queries, "days", "bytes", before - days.first);
    return before - days.first;
  });
}
