import { hourMs } from "../../../clock.ts";
import type { BatchSums, ChunkSums } from "../../batch-sums.ts";
import { chunksPerRelease } from "../../counter-limits.ts";
import type { FiledCheckIn } from "../../filed.ts";
import { afterCheckIn, type MonitorRow, monitorColumns } from "../../values/monitor-row.ts";
import type { OpenFold } from "./open-fold.ts";

/** Scheduled tasks, built files, and what visitors wrote: few rows, each by itself. */
export async function foldOthers(open: OpenFold, sums: BatchSums): Promise<void> {
  for (const checkIn of sums.checkIns) await foldCheckIn(open, checkIn);
  await foldChunks(open, [...sums.chunks.values()]);
  await open.queries.run(
    `DELETE FROM holdfast.feedback WHERE project = $1
       AND at < (SELECT at FROM holdfast.feedback WHERE project = $1 ORDER BY at DESC LIMIT 1 OFFSET $2)`,
    open.project,
    open.limits.feedbackPerProject - 1,
  );
}

async function foldCheckIn(open: OpenFold, checkIn: FiledCheckIn): Promise<void> {
  const { queries, project, limits } = open;
  const before = await queries.one<MonitorRow>(
    "SELECT * FROM holdfast.monitor WHERE project = $1 AND name = $2 AND environment = $3",
    project,
    checkIn.monitor,
    checkIn.environment ?? "",
  );
  if (before === undefined && (await countMonitors(open)) >= limits.monitorsPerProject)
    return leaveOut(open, checkIn.at);
  await queries.run(
    `INSERT INTO holdfast.monitor (${monitorColumns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     ON CONFLICT (project, name, environment) DO UPDATE SET last_status = excluded.last_status,
       last_at = excluded.last_at, last_duration = excluded.last_duration, ok = excluded.ok, failed = excluded.failed,
       plan = excluded.plan, first_at = excluded.first_at, runs = excluded.runs`,
    ...afterCheckIn(before, checkIn, limits.runsPerMonitor),
  );
}

async function countMonitors({ queries, project }: OpenFold): Promise<number> {
  const counted = await queries.one<{ n: number }>(
    "SELECT count(*) AS n FROM holdfast.monitor WHERE project = $1",
    project,
  );
  return counted?.n ?? 0;
}

async function leaveOut({ queries, project, names }: OpenFold, at: number): Promise<void> {
  const numbers = await names.make(["too-many-monitors", "monitor"]);
  await queries.run(
    `INSERT INTO holdfast.discard_hour VALUES ($1, $2, $3, $4, 1)
     ON CONFLICT (project, hour, reason, category) DO UPDATE SET n = discard_hour.n + 1`,
    project,
    Math.floor(at / hourMs),
    numbers.number("too-many-monitors"),
    numbers.number("monitor"),
  );
}

/** Files of built code. Beyond the bound new ones are left out, known ones still counted. */
async function foldChunks(open: OpenFold, chunks: readonly ChunkSums[]): Promise<void> {
  if (chunks.length === 0) return;
  const { queries, project } = open;
  const names = await open.names.make(chunks.map(({ release }) => release));
  const releases = [...new Set(chunks.map(({ release }) => names.number(release)))];
  const rows = await queries.all<{ release: number; debug_id: string }>(
    "SELECT release, debug_id FROM holdfast.release_chunk WHERE project = $1 AND release = ANY ($2)",
    project,
    releases,
  );
  const known = new Map(releases.map((release) => [release, new Set<string>()]));
  for (const { release, debug_id } of rows) known.get(release)?.add(debug_id);
  for (const chunk of chunks) {
    const release = names.number(chunk.release);
    const ids = known.get(release) ?? new Set<string>();
    const id = chunk.debugId ?? "";
    if (!ids.has(id) && ids.size >= chunksPerRelease) continue;
    ids.add(id);
    await queries.run(
      `INSERT INTO holdfast.release_chunk VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (project, release, debug_id) DO UPDATE SET file = excluded.file,
         mapped = release_chunk.mapped + excluded.mapped, unmapped = release_chunk.unmapped + excluded.unmapped,
         last_event = CASE WHEN excluded.unmapped > 0 OR release_chunk.unmapped = 0 THEN excluded.last_event
           ELSE release_chunk.last_event END`,
      project,
      release,
      id,
      chunk.file,
      chunk.mapped,
      chunk.unmapped,
      chunk.lastEvent,
    );
  }
}
