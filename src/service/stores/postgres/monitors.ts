import type { MonitorRecord } from "../records.ts";
import type { MonitorChange } from "../store-requests.ts";
import { type MonitorRow, toMonitorRecord } from "../values/monitor-row.ts";
import type { Pool } from "./connect/connections.ts";
import type { ReadDeps } from "./read/reader.ts";

export async function readMonitors({ pool }: ReadDeps, project: number | undefined): Promise<readonly MonitorRecord[]> {
  const rows = await pool.all<MonitorRow>(
    `SELECT * FROM holdfast.monitor WHERE $1::int IS NULL OR project = $1
     ORDER BY project, name COLLATE "C", environment COLLATE "C"`,
    project ?? null,
  );
  return rows.map(toMonitorRecord);
}

export async function changeMonitor(pool: Pool, change: MonitorChange): Promise<void> {
  const which = [change.project, change.name, change.environment ?? ""] as const;
  const where = "WHERE project = $1 AND name = $2 AND environment = $3";
  switch (change.kind) {
    case "delete":
      await pool.run(`DELETE FROM holdfast.monitor ${where}`, ...which);
      return;
    case "mute":
      await pool.run(`UPDATE holdfast.monitor SET muted = $4 ${where}`, ...which, Number(change.isMuted));
      return;
    case "watched":
      await pool.run(`UPDATE holdfast.monitor SET watch = $4 ${where}`, ...which, change.watch);
      return;
  }
}

export async function readWatchedAt({ pool }: ReadDeps): Promise<number | undefined> {
  return (await pool.one<{ at: number }>("SELECT max(at) AS at FROM holdfast.watched HAVING count(*) > 0"))?.at;
}

export async function setWatchedAt(pool: Pool, at: number): Promise<void> {
  await pool.transaction(async (queries) => {
    await queries.run("DELETE FROM holdfast.watched");
    await queries.run("INSERT INTO holdfast.watched VALUES ($1)", at);
  });
}
