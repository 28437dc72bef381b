import type { StoreLimits } from "./limits.ts";
import { openSqliteReader, openSqliteStore } from "./sqlite/open-sqlite-store.ts";
import type { SourceMapReader, Store, StoreReader } from "./store.ts";
import type { StoreAddress } from "./store-address.ts";

/** Opens the store for its writer. The code for PostgreSQL is loaded only where it is used. */
export async function openStore(at: StoreAddress, limits: Partial<StoreLimits> = {}): Promise<Store & SourceMapReader> {
  if (at.kind === "folder") return openSqliteStore({ folder: at.folder, limits });
  const { openPostgresStore } = await import("./postgres/open-postgres-store.ts");
  return openPostgresStore({ ...at, limits });
}

/** Opens the store for reading. Works in any thread or process, whether the service runs or not. */
export async function openStoreReader(at: StoreAddress): Promise<StoreReader> {
  if (at.kind === "folder") return openSqliteReader({ folder: at.folder });
  const { openPostgresReader } = await import("./postgres/open-postgres-store.ts");
  return openPostgresReader(at);
}
