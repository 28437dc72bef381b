import { join } from "node:path";
import { openStoreReader } from "../stores/open-store.ts";
import { openSqliteMoveSource } from "../stores/sqlite/move/sqlite-move-source.ts";
import type { MoveAddresses } from "./move-ends.ts";
import { type Verification, verifyMove } from "./verify-move.ts";

/** Compares a store in a data folder with one in PostgreSQL. Changes neither. */
export async function verifyStores(
  { dataFolder, address }: MoveAddresses,
  isToDatabase: boolean,
): Promise<Verification> {
  const { openPostgresMoveSource } = await import("../stores/postgres/move/postgres-move-source.ts");
  const folder = join(dataFolder, "store");
  const inFolder = {
    rows: openSqliteMoveSource(folder, ""),
    answers: await openStoreReader({ kind: "folder", folder }),
  };
  try {
    const database = {
      rows: await openPostgresMoveSource(address),
      answers: await openStoreReader({ kind: "postgres", address, writer: "" }),
    };
    try {
      return await (isToDatabase ? verifyMove(inFolder, database) : verifyMove(database, inFolder));
    } finally {
      await database.rows.close();
      database.answers.close();
    }
  } finally {
    await inFolder.rows.close();
    inFolder.answers.close();
  }
}
