import { join } from "node:path";
import { openSqliteReader } from "./stores/sqlite/open-sqlite-store.ts";
import type { StoreReader } from "./stores/store.ts";

/** Opens the store of a data folder for reading. Works in any thread or process, whether the service runs or not. */
export function openReader(dataFolder: string): StoreReader {
  return openSqliteReader({ folder: join(dataFolder, "store") });
}
