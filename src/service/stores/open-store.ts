import type { StoreLimits } from "./limits.ts";
import { openSqliteReader, openSqliteStore } from "./sqlite/open-sqlite-store.ts";
import { type SourceMapReader, type Store, type StoreReader, StoreUnavailable } from "./store.ts";
import type { StoreAddress } from "./store-address.ts";

/**
 * Opens the store for its writer. Throws `StoreUnavailable` if a database does not answer now. The code for PostgreSQL
 * is loaded only where it is used.
 */
export async function openStore(at: StoreAddress, limits: Partial<StoreLimits> = {}): Promise<Store & SourceMapReader> {
  if (at.kind === "folder") return openSqliteStore({ folder: at.folder, limits });
  const { openPostgresStore } = await import("./postgres/open-postgres-store.ts");
  const { storeProblemOf } = await import("./postgres/connect/problems.ts");
  try {
    return await openPostgresStore({ ...at, limits });
  } catch (error) {
    const problem = storeProblemOf(error);
    // A wrong password or a database of another kind does not pass by itself.
    const passes = problem !== undefined && problem !== "refused" && problem !== "schema";
    throw passes ? new StoreUnavailable(error) : error;
  }
}

/** Opens the store for reading. Works in any thread or process, whether the service runs or not. */
export async function openStoreReader(at: StoreAddress): Promise<StoreReader & SourceMapReader> {
  if (at.kind === "folder") return openSqliteReader({ folder: at.folder });
  const { openPostgresReader } = await import("./postgres/open-postgres-store.ts");
  return openPostgresReader(at);
}
