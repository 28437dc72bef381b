import { BatchSums } from "../../batch-sums.ts";
import type { Queries } from "../connect/connections.ts";
import { locks } from "../locks.ts";
import { addDelta } from "./delta.ts";
import { foldCounts } from "./fold-counts.ts";
import { foldGroups } from "./fold-groups.ts";
import { foldIssues } from "./fold-issues.ts";
import { foldOthers } from "./fold-others.ts";
import { foldSketches } from "./fold-sketches.ts";
import { foldTraffic } from "./fold-traffic.ts";
import { type FoldDeps, type Folded, nothingFolded, type OpenFold } from "./open-fold.ts";

/**
 * Folds what waits for a project into counters, sketches and issue states. One process at a time does it; the others
 * leave it to that one. What a crash takes back, the deletion of the deltas included, is simply done again, so that it
 * need not wait for the disk.
 */
export async function fold(deps: FoldDeps, project: number, range: DeltaRange): Promise<Folded> {
  try {
    return await deps.pool.transaction(async (queries) => {
      await queries.run("SET LOCAL synchronous_commit = off");
      const lock = await queries.one<{ got: boolean }>(
        "SELECT pg_try_advisory_xact_lock($1, $2) AS got",
        locks.project,
        project,
      );
      if (!lock?.got) return nothingFolded;
      const taken = await takeSums(queries, project, range);
      if (taken === undefined) return nothingFolded;
      return { ids: taken.ids, ...(await foldSums({ ...deps, queries, project }, taken.sums)) };
    });
  } catch (error) {
    deps.recentTexts.forget();
    throw error;
  }
}

export interface DeltaRange {
  /** Batches with this id and lower ones are skipped. */
  readonly after: number;
  readonly atOnce: number;
}

async function foldSums(open: OpenFold, sums: BatchSums): Promise<Omit<Folded, "ids">> {
  await foldCounts(open, sums);
  await foldTraffic(open, sums);
  const newIssues = await foldGroups(open, sums);
  const regressedIssues = await foldIssues(open, sums);
  await foldSketches(open, sums);
  await foldOthers(open, sums);
  return { newIssues, regressedIssues };
}

async function takeSums(
  queries: Queries,
  project: number,
  { after, atOnce }: DeltaRange,
): Promise<{ ids: readonly number[]; sums: BatchSums } | undefined> {
  const deltas = await queries.all<{ id: number; packed: Uint8Array }>(
    `DELETE FROM holdfast.delta
     WHERE id IN (SELECT id FROM holdfast.delta WHERE project = $1 AND id > $2 ORDER BY id LIMIT $3)
     RETURNING id, packed`,
    project,
    after,
    atOnce,
  );
  const sessions = await queries.all<SessionDelta>(
    `DELETE FROM holdfast.session_delta WHERE project = $1
     RETURNING project, hour, quarter, release, environment, started, errored, crashed, abnormal`,
    project,
  );
  if (deltas.length === 0 && sessions.length === 0) return undefined;
  const sums = new BatchSums();
  for (const { packed } of deltas.sort((a, b) => a.id - b.id)) addDelta(sums, packed);
  for (const { quarter, release, environment, ...session } of sessions) {
    sums.addSessionCounts({ ...session, release: release ?? undefined, environment: environment ?? undefined });
    const visits = { visits: session.started, failedVisits: session.errored };
    if (quarter !== null) sums.addTraffic(project, quarter, visits);
  }
  return { ids: deltas.map(({ id }) => id), sums };
}

interface SessionDelta {
  project: number;
  hour: number;
  /** Filed by a process of the version before, if it is null. */
  quarter: number | null;
  release: string | null;
  environment: string | null;
  started: number;
  errored: number;
  crashed: number;
  abnormal: number;
}
