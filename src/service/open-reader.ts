import { join } from "node:path";
import { openSqliteReader } from "./stores/sqlite/open-sqlite-store.ts";
import type { StoreReader } from "./stores/store.ts";

/** Reads what the service of a data folder has filed, in any thread or process, while it runs or not. */
export function openReader(dataFolder: string): StoreReader {
  return openSqliteReader({ folder: join(dataFolder, "store") });
}
