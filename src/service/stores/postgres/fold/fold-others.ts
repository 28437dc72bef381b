import { hourMs } from "../../../clock.ts";
import type { BatchSums, ChunkSums } from "../../batch-sums.ts";
import { chunksPerRelease } from "../../counter-limits.ts";
import type { FiledCheckIn } from "../../filed.ts";
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
  const { monitor, environment, status, at, durationMs, plan } = checkIn;
  const known = await queries.one<{ is_known: boolean; n: number }>(
    `SELECT EXISTS (SELECT 1 FROM holdfast.monitor WHERE project = $1 AND name = $2) AS is_known,
       (SELECT count(*) FROM holdfast.monitor WHERE project = $1) AS n`,
    project,
    monitor,
  );
  if (!known?.is_known && (known?.n ?? 0) >= limits.monitorsPerProject) return leaveOut(open, at);
  await queries.run(
    `INSERT INTO holdfast.monitor VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT (project, name, environment) DO UPDATE SET last_status = excluded.last_status,
       last_at = excluded.last_at, last_duration = excluded.last_duration, ok = monitor.ok + excluded.ok,
       failed = monitor.failed + excluded.failed, plan = coalesce(excluded.plan, monitor.plan)`,
    project,
    monitor,
    environment ?? "",
    status,
    at,
    durationMs ?? null,
    Number(status === "ok"),
    Number(status === "error"),
    plan === undefined ? null : JSON.stringify(plan),
  );
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
