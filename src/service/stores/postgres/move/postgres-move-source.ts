import type {
  EventKey,
  LastingTable,
  MovedPart,
  MovedRow,
  MoveReader,
  OwnerRange,
  RowChunk,
} from "../../moved-rows.ts";
import { type Connections, connect, type Queries } from "../connect/connections.ts";
import { postgresErrors } from "../errors.ts";
import { postgresLimits } from "../limits.ts";
import { requireCurrent } from "../migrations/migrate.ts";
import { Names } from "../names.ts";
import { listParts, partitionOf } from "../parts.ts";
import { idsPerBlock } from "../row-ids.ts";
import { isBeingMoved } from "./is-being-moved.ts";
import { ownerCondition, selected, withTexts } from "./moved-columns.ts";
import { amountsIn, type PartReading, readPart } from "./read-part.ts";

/** The same rows under another name. */
export const sources: Readonly<Record<string, string>> = {
  new_issues: "(SELECT project, hour, new_in_hour AS n FROM holdfast.project_number WHERE hour > 0) counted",
};

/** Reading a large table may take longer than a question of the console. */
const limits = { ...postgresLimits, questionMs: postgresLimits.upkeepMs, readConnections: 2 };

export interface PostgresMoveSource extends MoveReader {
  /** Journal position of a data folder before which everything is filed. */
  position(writer: string): Promise<number>;
  /** Changes when anything is filed or counted. */
  progress(): Promise<string>;
}

/** Opens a database in which services may be filing. */
export async function openPostgresMoveSource(address: string): Promise<PostgresMoveSource> {
  const connections = await connect(address, limits);
  const { reading } = connections;
  try {
    await requireCurrent(reading);
    if (await isBeingMoved(reading)) throw postgresErrors.moveUnfinished();
    return {
      ...postgresMoveReader(connections),
      position: async (writer) =>
        (await reading.one<{ position: number }>("SELECT position FROM holdfast.writer WHERE name = $1", writer))
          ?.position ?? 0,
      progress: async () =>
        JSON.stringify(
          await reading.one(
            `SELECT (SELECT sum(position) FROM holdfast.writer) AS filed, (SELECT count(*) FROM holdfast.delta) AS waiting,
               (SELECT max(id) FROM holdfast.issue_history) AS changed`,
          ),
        ),
    };
  } catch (error) {
    await connections.close();
    throw error;
  }
}

export function postgresMoveReader(connections: Connections): MoveReader {
  const { reading: pool } = connections;
  const names = new Names(pool);
  const readingOf = async (part: MovedPart): Promise<PartReading | undefined> => {
    const found = (await listParts(pool)).find(({ name }) => name === part.name);
    return found && { pool, names, part: found.id };
  };
  return {
    identity: async () => {
      const row = await pool.one<{ at: string }>("SELECT min(at)::text AS at FROM holdfast.migration");
      return `database of ${row?.at}`;
    },
    parts: async () => (await listParts(pool)).map(({ name, from, to }) => ({ name, from, to })).reverse(),
    async *rows(part: MovedPart, cursor: string | undefined): AsyncGenerator<RowChunk> {
      const reading = await readingOf(part);
      if (reading !== undefined) yield* readPart(reading, cursor);
    },
    lasting: (table, range, atMost) => readLasting({ queries: pool, names }, table, range, atMost),
    idsEnd: async () => {
      const row = await pool.one<{ n: number }>("SELECT last_value AS n FROM holdfast.row_block");
      return ((row?.n ?? 0) + 1) * idsPerBlock;
    },
    amounts: async (part) => {
      const reading = await readingOf(part);
      return reading === undefined ? new Map<string, number>() : amountsIn(reading);
    },
    otherIds: async (part, rows) => {
      const reading = await readingOf(part);
      if (reading === undefined) return new Map<number, string>();
      const found = await pool.all<{ other_id: string; event: number }>(
        `SELECT other_id, event FROM ${partitionOf("other_id", reading.part)} WHERE event = ANY ($1::bigint[])`,
        rows,
      );
      return new Map(found.map(({ other_id, event }) => [event, other_id]));
    },
    eventIds: async (part, after, atMost) => {
      const reading = await readingOf(part);
      return reading === undefined ? [] : eventIdsIn(reading, after, atMost);
    },
    close: () => connections.close(),
  };
}

export async function readLasting(
  { queries, names }: { queries: Queries; names: Names },
  table: LastingTable,
  { after, upTo }: OwnerRange,
  atMost?: number,
): Promise<readonly MovedRow[]> {
  const conditions = [
    ...(after === undefined ? [] : [ownerCondition(table, ">", 1)]),
    ...(upTo === undefined ? [] : [ownerCondition(table, "<=", 1 + (after?.length ?? 0))]),
  ];
  const rows = await queries.all<MovedRow>(
    `SELECT ${selected(table.columns)} FROM ${sources[table.name] ?? `holdfast.${table.name}`}
     ${conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`}
     ${table.owner.length === 0 ? "" : `ORDER BY ${table.owner.join(", ")}`}
     ${atMost === undefined ? "" : `LIMIT ${atMost}`}`,
    ...(after ?? []),
    ...(upTo ?? []),
  );
  return withTexts(names, table.columns, rows);
}

function eventIdsIn(
  { pool, part }: PartReading,
  after: EventKey | undefined,
  atMost: number,
): Promise<readonly EventKey[]> {
  return pool.all<EventKey>(
    `SELECT event_id AS "eventId", project FROM ${partitionOf("event", part)}
     WHERE (event_id, project) > ($1::uuid, $2::int) ORDER BY event_id, project LIMIT $3`,
    after?.eventId ?? "0".repeat(32),
    after?.project ?? -1,
    atMost,
  );
}
