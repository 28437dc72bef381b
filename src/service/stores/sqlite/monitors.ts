import { hourMs } from "../../clock.ts";
import type { FiledCheckIn } from "../filed.ts";
import type { StoreLimits } from "../limits.ts";
import type { MonitorRecord } from "../records.ts";
import type { MonitorChange } from "../store-requests.ts";
import { afterCheckIn, type MonitorRow, monitorColumns, toMonitorRecord } from "../values/monitor-row.ts";
import type { StoreFiles } from "./store-files.ts";

export function readMonitors({ meta }: StoreFiles, project: number | undefined): readonly MonitorRecord[] {
  const rows = meta.all<MonitorRow>(
    "SELECT * FROM monitor WHERE ?1 IS NULL OR project = ?1 ORDER BY project, name, environment",
    project ?? null,
  );
  return rows.map(toMonitorRecord);
}

export function writeCheckIn(
  { meta, names }: StoreFiles,
  checkIn: FiledCheckIn,
  limits: Pick<StoreLimits, "monitorsPerProject" | "runsPerMonitor">,
): void {
  const { project, monitor, environment = "", at } = checkIn;
  const before = meta.one<MonitorRow>(
    "SELECT * FROM monitor WHERE project = ? AND name = ? AND environment = ?",
    project,
    monitor,
    environment,
  );
  if (before === undefined && countMonitors(meta, project) >= limits.monitorsPerProject) {
    meta.run(
      "INSERT INTO discard_hour VALUES (?, ?, ?, ?, 1) ON CONFLICT DO UPDATE SET n = n + 1",
      project,
      Math.floor(at / hourMs),
      names.number("too-many-monitors"),
      names.number("monitor"),
    );
    return;
  }
  meta.run(
    `INSERT INTO monitor (${monitorColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
       last_status = excluded.last_status, last_at = excluded.last_at, last_duration = excluded.last_duration,
       ok = excluded.ok, failed = excluded.failed, plan = excluded.plan, first_at = excluded.first_at, runs = excluded.runs`,
    ...afterCheckIn(before, checkIn, limits.runsPerMonitor),
  );
}

function countMonitors(meta: StoreFiles["meta"], project: number): number {
  return meta.one<{ n: number }>("SELECT count(*) AS n FROM monitor WHERE project = ?", project)?.n ?? 0;
}

/** What a person changes is on disk before the answer, because the journal does not contain it. */
export function changeMonitor({ meta }: StoreFiles, change: MonitorChange): void {
  const which = [change.project, change.name, change.environment ?? ""] as const;
  const where = "WHERE project = ? AND name = ? AND environment = ?";
  switch (change.kind) {
    case "delete":
      meta.run(`DELETE FROM monitor ${where}`, ...which);
      break;
    case "mute":
      meta.run(`UPDATE monitor SET muted = ? ${where}`, Number(change.isMuted), ...which);
      break;
    case "watched":
      meta.run(`UPDATE monitor SET watch = ? ${where}`, change.watch, ...which);
      return;
  }
  meta.sync();
}

export function readWatchedAt({ meta }: StoreFiles): number | undefined {
  return meta.one<{ at: number }>("SELECT max(at) AS at FROM watched HAVING count(*) > 0")?.at;
}

export function setWatchedAt({ meta }: StoreFiles, at: number): void {
  meta.transaction(() => {
    meta.run("DELETE FROM watched");
    meta.run("INSERT INTO watched VALUES (?)", at);
  });
}
