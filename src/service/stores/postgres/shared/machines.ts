import type { MachineNote, MachineRecord } from "../../shared-store.ts";
import type { Queries } from "../connect/connections.ts";

/** A machine that was away over a long weekend is still listed, one that was replaced is not listed for ever. */
const noteRetention = "7 days";

export async function noteMachine(queries: Queries, writer: string, note: MachineNote): Promise<void> {
  await queries.run(
    `INSERT INTO holdfast.machine (writer, host, kind, version, build, secret) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (writer) DO UPDATE SET host = excluded.host, kind = excluded.kind, version = excluded.version,
       build = excluded.build, secret = excluded.secret, seen_at = now()`,
    writer,
    note.host,
    note.kind,
    note.version,
    note.build ?? null,
    note.secret ?? null,
  );
  await queries.run(`DELETE FROM holdfast.machine WHERE seen_at < now() - interval '${noteRetention}'`);
}

export async function readMachines(queries: Queries): Promise<readonly MachineRecord[]> {
  const rows = await queries.all<
    Omit<MachineRecord, "build" | "secret"> & { build: string | null; secret: string | null }
  >(
    `SELECT writer, host, kind, version, build, secret,
       extract(epoch FROM now() - seen_at)::float8 AS "seenSecondsAgo"
     FROM holdfast.machine ORDER BY host, writer`,
  );
  return rows.map((row) => ({ ...row, build: row.build ?? undefined, secret: row.secret ?? undefined }));
}
