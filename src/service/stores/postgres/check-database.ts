import { hourMs } from "../../clock.ts";
import type { CheckDepth, ShouldContinue } from "../store-requests.ts";
import type { Pool, Queries } from "./connect/connections.ts";
import { eventsInDelta } from "./fold/delta.ts";
import { listParts } from "./parts.ts";
import { type BodyLocation, readBodies } from "./read/read-bodies.ts";

// More of the same tells nothing new.
const findingsOfAKind = 20;
// So many bodies are read at once.
const bodiesAtOnce = 200;

/** What is wrong with the database, in sentences. Rows and counters are seen as of one moment. */
export async function checkDatabase(
  pool: Pool,
  depth: CheckDepth = "thorough",
  shouldContinue: ShouldContinue = () => true,
): Promise<readonly string[]> {
  const counters = await pool.transaction(async (queries) => {
    await queries.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
    return wrongCounters(queries);
  });
  return depth === "quick" ? counters : [...counters, ...(await damagedBodies(pool, shouldContinue))];
}

/**
 * The counter of a group and what waits to be folded are together the number of its rows; of a group that is older than
 * the oldest part some rows are gone, and its counter still counts them, as of an imported one. An issue counts what
 * its groups count.
 */
async function wrongCounters(queries: Queries): Promise<string[]> {
  const oldest = (await listParts(queries)).at(-1);
  const waiting = await waitingEvents(queries);
  const completeSince = (oldest?.from ?? 0) + hourMs;
  const rows = await queries.all<{
    id: number;
    events: number;
    first_seen: number;
    imported: boolean;
    there: number;
  }>(
    `SELECT g.id, g.events, g.first_seen, coalesce(e.n, 0) AS there, EXISTS (SELECT 1 FROM holdfast.issue_history h
       WHERE h.issue = g.id AND h.what::jsonb ->> 'kind' = 'imported') AS imported
     FROM holdfast.issue_group g
     LEFT JOIN (SELECT grp, count(*) AS n FROM holdfast.event GROUP BY grp) e ON e.grp = g.id`,
  );
  const groups = rows.flatMap(({ id, events, first_seen, imported, there }) => {
    const counted = events + (waiting.get(id) ?? 0);
    const isWrong = first_seen >= completeSince && !imported ? counted !== there : counted < there;
    return isWrong ? [`Group ${id} counts ${counted} events, and there are ${there}.`] : [];
  });
  const issues = await queries.all<{ number: number; project: number; events: number; sum: number }>(
    `SELECT i.number, i.project, i.events, sum(g.events) AS sum FROM holdfast.issue i
     JOIN holdfast.issue_group g ON g.issue = i.id GROUP BY i.id HAVING i.events <> sum(g.events)`,
  );
  const findings = [
    ...groups,
    ...issues.map(
      ({ number, project, events, sum }) =>
        `Issue ${number} of project ${project} counts ${events} events, its groups ${sum}.`,
    ),
  ];
  const more = findings.length - findingsOfAKind;
  return more <= 0 ? findings : [...findings.slice(0, findingsOfAKind), `${more} more counters are wrong.`];
}

async function waitingEvents(queries: Queries): Promise<ReadonlyMap<number, number>> {
  const waiting = new Map<number, number>();
  for (const { packed } of await queries.all<{ packed: Uint8Array }>("SELECT packed FROM holdfast.delta"))
    for (const { group, events } of eventsInDelta(packed)) waiting.set(group, (waiting.get(group) ?? 0) + events);
  return waiting;
}

/** Every packed body is unpacked once and compared with its checksum, those of the newest part first. */
async function damagedBodies(pool: Pool, shouldContinue: ShouldContinue): Promise<string[]> {
  const findings: string[] = [];
  const of = (await pool.one<{ n: number }>("SELECT count(*) AS n FROM holdfast.event"))?.n ?? 0;
  const progress = { events: 0, of };
  for (const part of await listParts(pool)) {
    for (const [table, what] of [
      ["event", "event bodies"],
      ["span_block", "span blocks"],
    ] as const) {
      const damaged = await damagedIn(pool, { table, part: part.id }, (events) => {
        if (table === "event") progress.events += events;
        return shouldContinue({ ...progress });
      });
      if (damaged > 0) findings.push(`${part.name}: ${damaged} ${what} are damaged.`);
    }
  }
  return findings;
}

async function damagedIn(
  pool: Pool,
  { table, part }: { table: "event" | "span_block"; part: number },
  onRead: (rows: number) => boolean,
): Promise<number> {
  let damaged = 0;
  let after = { block: -1, slot: -1 };
  while (onRead(0)) {
    const locations = await pool.all<BodyLocation & { block: number; slot: number }>(
      `SELECT part, block, slot FROM holdfast.${table} WHERE part = $1 AND (block, slot) > ($2, $3)
       ORDER BY block, slot LIMIT $4`,
      part,
      after.block,
      after.slot,
      bodiesAtOnce,
    );
    const bodyAt = await readBodies(pool, locations);
    damaged += locations.filter((location) => bodyAt(location).kind === "damaged").length;
    const last = locations.at(-1);
    if (!onRead(locations.length) || last === undefined || locations.length < bodiesAtOnce) break;
    after = last;
  }
  return damaged;
}
