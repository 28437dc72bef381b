import type { SharedStore } from "../../shared-store.ts";
import { connect, type Pool } from "../connect/connections.ts";
import { postgresLimits } from "../limits.ts";
import { migrate } from "../migrations/migrate.ts";
import { addBuild, readBuilds, readContent, readFiles } from "./browser-files.ts";
import { noteMachine, readMachines } from "./machines.ts";

/** A request for an old file needs one connection for some milliseconds, and old files are asked for rarely. */
const fileConnections = 2;

/** The database is brought up to date by whichever process comes first: the service, or this one. */
export async function openPostgresSharedStore(at: { address: string; writer: string }): Promise<SharedStore> {
  const connections = await connect(at.address, { ...postgresLimits, readConnections: fileConnections });
  let migrated: Promise<void> | undefined;
  const current = async (pool: Pool): Promise<Pool> => {
    migrated ??= migrate(connections.preparing);
    await migrated.catch((error: unknown) => {
      // The database was away. The next use tries it again.
      migrated = undefined;
      throw error;
    });
    return pool;
  };
  const { reading, preparing } = connections;
  return {
    browserFiles: {
      addBuild: async (build, files) => addBuild(await current(preparing), build, files),
      builds: async (application) => readBuilds(await current(reading), application),
      filesOf: async (build) => readFiles(await current(reading), build),
      content: async (file) => readContent(await current(reading), file),
    },
    note: async (note) => noteMachine(await current(preparing), at.writer, note),
    machines: async () => readMachines(await current(reading)),
    close: () => connections.close(),
  };
}
