import type {
  EventKey,
  LastingTable,
  MovedPart,
  MovedRow,
  MoveReader,
  OwnerRange,
  RowChunk,
} from "../../moved-rows.ts";
import { hexOf } from "../../values/row-values.ts";
import { StoreFiles } from "../store-files.ts";
import type { WeekFile } from "../week/week-file.ts";
import { appliedPosition } from "../write/commit-batch.ts";
import { readLasting } from "./read-lasting.ts";
import { amountsIn, eventIdsIn, readPart } from "./read-part.ts";

/** Opens the store of a folder, in which a service may be filing. `writer` names the data folder. */
export function openSqliteMoveSource(folder: string, writer: string): MoveReader & { position(): number } {
  const files = new StoreFiles(folder, "read");
  return {
    ...sqliteMoveReader(files, () => appliedPosition(files)),
    identity: async () => `data folder ${writer}`,
    position: () => appliedPosition(files),
  };
}

/** `end` is the first row that is not counted yet. */
export function sqliteMoveReader(files: StoreFiles, end: () => number): Omit<MoveReader, "identity"> {
  const weekOf = (part: MovedPart): WeekFile | undefined => files.openWeek(part);
  return {
    parts: async () =>
      files
        .weekList()
        .map(({ name, from, to }) => ({ name, from, to }))
        .reverse(),
    async *rows(part: MovedPart, cursor: string | undefined): AsyncGenerator<RowChunk> {
      const week = weekOf(part);
      if (week !== undefined) yield* readPart(week, cursor, end());
    },
    lasting: async (table: LastingTable, range: OwnerRange, atMost?: number): Promise<readonly MovedRow[]> =>
      readLasting(files, table, range, atMost),
    idsEnd: async () => Math.max(appliedPosition(files), ...blockEnds(files)),
    amounts: async (part: MovedPart) => {
      const week = weekOf(part);
      return week === undefined ? new Map<string, number>() : amountsIn(week, end());
    },
    otherIds: async (part: MovedPart, rows: readonly number[]) => {
      const found = weekOf(part)?.database.all<{ other_id: Uint8Array; event: number }>(
        "SELECT other_id, event FROM other_id WHERE event IN (SELECT value FROM json_each(?))",
        JSON.stringify(rows),
      );
      return new Map(found?.map(({ other_id, event }) => [event, hexOf(other_id)]));
    },
    eventIds: async (part: MovedPart, after: EventKey | undefined, atMost: number) => {
      const week = weekOf(part);
      return week === undefined ? [] : eventIdsIn(week, { after, end: end(), atMost });
    },
    close: async () => files.close(),
  };
}

/** Blocks of bodies are counted for themselves in each week. */
function blockEnds(files: StoreFiles): number[] {
  return [...files.weeks()].map(({ bodies }) => bodies.endOfBlocks);
}
