import { messageOf } from "#errors";
import type { DatabaseHost, DatabaseInspection, PrimaryFacts } from "../inspect-store.ts";
import { connect, type Pool } from "./connect/connections.ts";
import { hostAddresses } from "./connect/host-addresses.ts";
import { postgresLimits } from "./limits.ts";
import { migrationVersion } from "./migrations/migrate.ts";
import { migrations } from "./migrations/migrations.ts";
import { readMachines } from "./shared/machines.ts";

/** Asks every server of an address, and changes nothing. */
export async function inspectDatabase(address: string): Promise<DatabaseInspection> {
  const hosts: DatabaseHost[] = [];
  let primary: PrimaryFacts | undefined;
  for (const host of hostAddresses(address)) {
    const connections = await connect(host.address, { ...postgresLimits, readConnections: 1 });
    try {
      const server = await serverOf(connections.reading);
      hosts.push({ ...server, name: host.name });
      if (server.kind === "primary") primary ??= await readFeedbackFacts(connections.reading);
    } catch (error) {
      hosts.push({ kind: "away", name: host.name, why: messageOf(error) });
    } finally {
      await connections.close();
    }
  }
  return { hosts, primary };
}

async function serverOf(pool: Pool): Promise<{ kind: "primary" | "standby"; version: string }> {
  const row = await pool.one<{ standby: boolean; version: string }>(
    "SELECT pg_is_in_recovery() AS standby, current_setting('server_version') AS version",
  );
  return { kind: row?.standby ? "standby" : "primary", version: row?.version ?? "" };
}

interface ServerRow {
  now: number;
  commit: string;
  standbys: string;
  /** Only users with this right see the state of a standby; everyone sees how many there are. */
  connected: number | null;
  checksums: string;
  used: number;
  most: number;
  snapshot: number | null;
}

async function readFeedbackFacts(pool: Pool): Promise<PrimaryFacts> {
  const before = Date.now();
  const row = await pool.one<ServerRow>(
    `SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now,
       current_setting('synchronous_commit') AS commit, current_setting('synchronous_standby_names') AS standbys,
       (SELECT CASE WHEN pg_has_role('pg_read_all_stats', 'USAGE')
          THEN count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')) WHEN count(*) = 0 THEN 0 END
        FROM pg_stat_replication)::int AS connected,
       current_setting('data_checksums') AS checksums,
       (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::int AS used,
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most,
       (SELECT extract(epoch FROM max(now() - xact_start))::float8 FROM pg_stat_activity
        WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid()) AS snapshot`,
  );
  if (row === undefined) throw new Error("The database did not say anything about itself.");
  const here = (before + Date.now()) / 2;
  const format = await migrationVersion(pool);
  const isCurrent = format === migrations.length;
  return {
    format,
    knownFormat: migrations.length,
    clock: { database: row.now, here },
    synchronousCommit: row.commit,
    synchronousStandbys: row.standbys,
    connectedStandbys: row.connected ?? undefined,
    hasChecksums: row.checksums === "on",
    connections: { used: row.used, most: row.most },
    oldestSnapshotSeconds: row.snapshot ?? undefined,
    // Tables of another format may be missing.
    oldestUncountedSeconds: isCurrent ? await oldestUncounted(pool) : undefined,
    machines: isCurrent ? await readMachines(pool) : [],
  };
}

async function oldestUncounted(pool: Pool): Promise<number | undefined> {
  const row = await pool.one<{ seconds: number | null }>(
    "SELECT extract(epoch FROM now() - min(at))::float8 AS seconds FROM holdfast.delta",
  );
  return row?.seconds ?? undefined;
}
