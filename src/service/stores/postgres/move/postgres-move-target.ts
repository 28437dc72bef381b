import { stateOf } from "../../issue-row.ts";
import {
  type LastingTable,
  type MovedPart,
  type MovedRow,
  type MoveTarget,
  type PartRows,
  type PartTable,
  partTables,
} from "../../moved-rows.ts";
import { type Connections, connect, type Queries } from "../connect/connections.ts";
import { postgresErrors } from "../errors.ts";
import { stateColumns } from "../issues/issue-history.ts";
import { postgresLimits } from "../limits.ts";
import { locks } from "../locks.ts";
import { migrate } from "../migrations/migrate.ts";
import { partitioned } from "../migrations/part-tables.ts";
import { Names } from "../names.ts";
import { listParts, makeNamedPart, type Part, partitionOf } from "../parts.ts";
import { idsPerBlock } from "../row-ids.ts";
import { indexOf } from "../search-words.ts";
import { isBeingMoved } from "./is-being-moved.ts";
import { type ColumnKind, insertion, makeNames, ownersCondition } from "./moved-columns.ts";
import { postgresMoveReader } from "./postgres-move-source.ts";

const limits = { ...postgresLimits, questionMs: postgresLimits.upkeepMs, readConnections: 2 };

/** Opens an empty database, or one that an earlier move has begun to fill. Changes nothing yet. */
export async function openPostgresMoveTarget(address: string): Promise<MoveTarget> {
  const connections = await connect(address, limits);
  try {
    // Says at once what is wrong with the address or the rights.
    await connections.upkeep.one("SELECT 1");
    return targetOf(connections);
  } catch (error) {
    await connections.close();
    throw error;
  }
}

function targetOf(connections: Connections): MoveTarget {
  const { upkeep: pool, preparing } = connections;
  const names = new Names(preparing);
  let parts: readonly Part[] = [];
  const partOf = (part: MovedPart): number => {
    const found = parts.find(({ name }) => name === part.name);
    if (found === undefined) throw new Error(`The part ${part.name} was not made.`);
    return found.id;
  };
  return {
    ...postgresMoveReader(connections),
    begin: (source) => begin(pool, source),
    async cursor(part) {
      await pool.transaction((queries) => takeOver(queries, part));
      parts = await listParts(pool);
      return (await pool.one<{ value: string }>("SELECT value FROM holdfast.move WHERE what = $1", keyOf(part)))?.value;
    },
    async add(part, { rows, cursor }) {
      const id = partOf(part);
      const tables = Object.entries(rows) as [PartTable, readonly MovedRow[]][];
      const numbers = await makeNames(
        names,
        tables.map(([table, list]) => [partTables[table], list] as const),
      );
      await pool.transaction(async (queries) => {
        // What a crash takes back, the cursor included, comes again.
        await queries.run("SET LOCAL synchronous_commit = off");
        for (const [table, list] of tables) {
          if (list.length === 0) continue;
          const columns = { ...partTables[table], part: "number" } as const satisfies Record<string, ColumnKind>;
          const inPart = list.map((row) => ({ ...row, part: id }));
          const { sql, values } = insertion(table, columns, inPart, numbers);
          await queries.run(sql, ...values);
        }
        await addArrivals(queries, rows);
        await queries.run(
          "INSERT INTO holdfast.move VALUES ($1, $2) ON CONFLICT (what) DO UPDATE SET value = excluded.value",
          keyOf(part),
          cursor,
        );
      });
    },
    removePart: (part) =>
      pool.transaction(async (queries) => {
        const found = (await listParts(queries)).find(({ name }) => name === part.name);
        if (found === undefined) return;
        for (const table of partitioned) await queries.run(`DROP TABLE ${partitionOf(table, found.id)}`);
        await queries.run("DELETE FROM holdfast.part WHERE id = $1", found.id);
        await queries.run("DELETE FROM holdfast.move WHERE what = $1", keyOf(part));
      }),
    replace: (table, owners, rows) =>
      pool.transaction(async (queries) => {
        await queries.run("SET LOCAL synchronous_commit = off");
        await replaceRows({ queries, names }, table, owners, rows);
      }),
    finish: ({ idsEnd, journal }) =>
      pool.transaction(async (queries) => {
        await queries.run("SELECT setval('holdfast.row_block', $1)", Math.ceil(idsEnd / idsPerBlock) + 1);
        for (const table of ["issue_history", "group_text"])
          await queries.run(
            `SELECT setval(pg_get_serial_sequence('holdfast.${table}', 'id'), 1 + coalesce(max(id), 0))
             FROM holdfast.${table}`,
          );
        await queries.run(
          `INSERT INTO holdfast.project_number (project, last_issue)
           SELECT project, max(number) FROM holdfast.issue GROUP BY project
           ON CONFLICT (project) DO UPDATE SET last_issue = excluded.last_issue`,
        );
        if (journal !== undefined)
          await queries.run(
            `INSERT INTO holdfast.writer (name, position) VALUES ($1, $2)
             ON CONFLICT (name) DO UPDATE SET position = excluded.position`,
            journal.writer,
            journal.position,
          );
        await queries.run("DROP TABLE holdfast.move");
      }),
  };
}

/** Deletes the rows of these owners, and adds the rows. Names are made by a connection of their own. */
export async function replaceRows(
  { queries, names }: { readonly queries: Queries; readonly names: Names },
  table: LastingTable,
  owners: Parameters<MoveTarget["replace"]>[1],
  rows: readonly MovedRow[],
): Promise<void> {
  const columns = columnsOf(table);
  const complete = rows.map((row) => ({ ...row, ...extraValues[table.name]?.(row) }));
  const numbers = await makeNames(names, [[columns, complete]]);
  await removeOwners(queries, table, owners);
  if (rows.length === 0) return;
  const { sql, values } = insertion(tableNames[table.name] ?? table.name, columns, complete, numbers);
  await queries.run(sql, ...values);
}

function keyOf(part: MovedPart): string {
  return `part ${part.name}`;
}

/** Makes the schema, unless it is there and has something in it. */
async function begin(pool: Connections["upkeep"], source: string): Promise<"begun" | "continued"> {
  if (!(await isBeingMoved(pool)) && !(await isEmpty(pool))) throw postgresErrors.moveTargetTaken();
  await migrate(pool);
  return pool.transaction(async (queries) => {
    await queries.run("SELECT pg_advisory_xact_lock($1, 0)", locks.schema);
    await queries.run("CREATE TABLE IF NOT EXISTS holdfast.move (what text PRIMARY KEY, value text NOT NULL)");
    const known = await queries.one<{ value: string }>("SELECT value FROM holdfast.move WHERE what = 'source'");
    if (known !== undefined && known.value !== source) throw postgresErrors.otherMove(known.value);
    await queries.run("INSERT INTO holdfast.move VALUES ('source', $1) ON CONFLICT DO NOTHING", source);
    return known === undefined ? "begun" : "continued";
  });
}

async function isEmpty(pool: Queries): Promise<boolean> {
  for (const table of ["part", "issue", "delta", "source_map", "account", "document"]) {
    const made = await pool.one<{ made: boolean }>("SELECT to_regclass($1) IS NOT NULL AS made", `holdfast.${table}`);
    if (made?.made && (await pool.one(`SELECT 1 FROM holdfast.${table} LIMIT 1`)) !== undefined) return false;
  }
  return true;
}

async function takeOver(queries: Queries, { name, from, to }: MovedPart): Promise<void> {
  await queries.run("SELECT pg_advisory_xact_lock($1, 1)", locks.schema);
  const known = await queries.run(
    "UPDATE holdfast.part SET starts_at = $2, ends_at = $3 WHERE name = $1",
    name,
    from,
    to,
  );
  if (known === 0) await makeNamedPart(queries, { name, from, to });
}

/** What the console follows live: rows with these ids became visible with this transaction. */
async function addArrivals(queries: Queries, rows: PartRows): Promise<void> {
  const arrived = new Map<number, { first: number; last: number }>();
  for (const { project, id } of [...(rows.event ?? []), ...(rows.span_block ?? []), ...(rows.log_block ?? [])]) {
    const known = arrived.get(project as number);
    const at = id as number;
    arrived.set(project as number, { first: Math.min(at, known?.first ?? at), last: Math.max(at, known?.last ?? at) });
  }
  for (const [project, { first, last }] of arrived)
    await queries.run(
      "INSERT INTO holdfast.arrival (project, first_id, last_id) VALUES ($1, $2, $3)",
      project,
      first,
      last,
    );
}

async function removeOwners(
  queries: Queries,
  table: LastingTable,
  owners: Parameters<MoveTarget["replace"]>[1],
): Promise<void> {
  if (owners.length === 0) return;
  const name = tableNames[table.name] ?? table.name;
  if (table.owner.length === 0) await queries.run(`DELETE FROM holdfast.${name}`);
  else
    await queries.run(
      `DELETE FROM holdfast.${name} WHERE ${ownersCondition(table)}`,
      ...table.owner.map((_, n) => owners.map((owner) => owner[n] ?? null)),
    );
}

/** Columns that this store derives from the others. */
const extraColumns: Readonly<Record<string, Readonly<Record<string, ColumnKind>>>> = {
  issue: { fixed_in: "text", fixed_after: "text", regressed_in: "text" },
  group_text: { words: "words" },
};

const extraValues: Readonly<Record<string, (row: MovedRow) => MovedRow>> = {
  issue: ({ state }) => {
    const { fixedIn, fixedAfter, regressedIn } = stateColumns(stateOf(String(state)));
    return { fixed_in: fixedIn, fixed_after: fixedAfter, regressed_in: regressedIn };
  },
  group_text: ({ text }) => ({ words: indexOf(String(text)) }),
  new_issues: ({ n = 0 }) => ({ new_in_hour: n }),
};

const tableNames: Readonly<Record<string, string>> = { new_issues: "project_number" };

function columnsOf(table: LastingTable): Readonly<Record<string, ColumnKind>> {
  if (table.name === "new_issues") return { project: "number", hour: "number", new_in_hour: "number" };
  return { ...table.columns, ...extraColumns[table.name] };
}
