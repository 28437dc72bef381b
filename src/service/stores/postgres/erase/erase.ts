import { groupMark } from "../../erase/erased-marks.ts";
import {
  type ErasedRows,
  type ErasureMark,
  type ErasureOutcome,
  type ErasureStep,
  nothingErased,
} from "../../erase/erasure.ts";
import { hexOf } from "../../values/row-values.ts";
import type { Pool, Queries } from "../connect/connections.ts";
import { lockProject } from "../issues/issue-changes.ts";
import { partitioned } from "../migrations/part-tables.ts";
import { listParts, partitionOf } from "../parts.ts";
import { eraseLasting } from "./erase-lasting.ts";
import { eraseEvents, eraseLogs, eraseReferences, eraseSpans } from "./erase-rows.ts";
import type { EraseState } from "./erase-state.ts";
import { dropEmptied } from "./forget-events.ts";

/**
 * Other processes read the marks this often (`eraseFollowMs`), and forget groups, names and references that they have
 * cached. Until then they may still use them.
 */
const graceMs = 15_000;
/** A writer that was seen within this time may have caches. */
const seenWithin = "1 day";

export interface EraseDeps {
  readonly pool: Pool;
  /** Forgets what this process has cached of groups, names and references. */
  readonly forget: () => void;
  /** Resolves when everything that was filed is counted. */
  readonly settled: () => Promise<unknown>;
  readonly state: EraseState;
}

/** Executes one piece of an erasure. */
export async function erase(deps: EraseDeps, step: ErasureStep): Promise<ErasureOutcome> {
  try {
    switch (step.kind) {
      case "remember":
        await remember(deps.pool, step.marks, step.groups);
        return { counts: nothingErased, isUnfinished: false };
      case "rows":
        return await eraseRows(deps, step.rows);
      case "lasting":
        await deps.settled();
        return await deps.pool.transaction(async (queries) => {
          await lockProject(queries, step.project);
          return eraseLasting(queries, deps.state, step.project, step.match);
        });
      case "finish":
        return await finish(deps, step.parts);
    }
  } finally {
    deps.forget();
  }
}

async function eraseRows({ pool, settled, state }: EraseDeps, rows: ErasedRows): Promise<ErasureOutcome> {
  const part = (await listParts(pool)).find(({ name }) => name === rows.part)?.id;
  if (part === undefined || rows.ids.length === 0) return { counts: nothingErased, isUnfinished: false };
  // Counts that wait for a fold still have tags and texts of what goes.
  await settled();
  state.changedAt = Date.now();
  return pool.transaction(async (queries) => {
    await lockProject(queries, rows.project);
    switch (rows.kind) {
      case "events":
        return eraseEvents(queries, state, part, rows);
      case "spans":
        return { counts: await eraseSpans(queries, part, rows), isUnfinished: false };
      case "logs":
        return { counts: await eraseLogs(queries, part, rows), isUnfinished: false };
      case "references":
        return { counts: nothingErased, isUnfinished: !(await eraseReferences(queries, part, rows.ids)) };
    }
  });
}

async function remember(pool: Pool, marks: readonly ErasureMark[], groups: readonly number[]): Promise<void> {
  const fingerprints = await pool.all<{ project: number; hash: Uint8Array }>(
    "SELECT project, hash FROM holdfast.fingerprint WHERE grp = ANY ($1::bigint[])",
    groups,
  );
  const at = marks[0]?.at ?? 0;
  const all: readonly ErasureMark[] = [
    ...marks,
    ...fingerprints.map(({ project, hash }) => ({ project, kind: "group" as const, hash: groupMark(hexOf(hash)), at })),
  ];
  await pool.run(
    `INSERT INTO holdfast.erased SELECT project, kind, hash, max(at)
     FROM unnest($1::int[], $2::text[], $3::bigint[], $4::bigint[]) AS u (project, kind, hash, at) GROUP BY 1, 2, 3
     ON CONFLICT (project, kind, hash) DO UPDATE SET at = greatest(erased.at, excluded.at)`,
    all.map(({ project }) => project),
    all.map(({ kind }) => kind),
    all.map(({ hash }) => hash),
    all.map(({ at: erasedAt }) => erasedAt),
  );
}

export function readErasureMarks(queries: Queries): Promise<readonly ErasureMark[]> {
  return queries.all<ErasureMark>(
    'SELECT project, kind, hash, at FROM holdfast.erased ORDER BY project, kind COLLATE "C", hash',
  );
}

/** Tables beside the parts in which an erasure deletes or changes rows. */
const lasting = [
  "issue",
  "issue_group",
  "issue_history",
  "group_tag",
  "group_text",
  "group_visitor",
  "feedback",
  "name",
];

/**
 * Deletes groups and names that are not used any more, then lets the database reuse the room of dead rows. It cannot
 * run in a transaction.
 */
async function finish({ pool, state }: EraseDeps, parts: readonly string[]): Promise<ErasureOutcome> {
  if ((await hasOthers(pool)) && Date.now() - state.changedAt < graceMs)
    return { counts: nothingErased, isUnfinished: true };
  const issues = await pool.transaction((queries) => dropEmptied(queries, state));
  for (const { id, name } of await listParts(pool))
    if (parts.includes(name)) for (const table of partitioned) await pool.run(`VACUUM ${partitionOf(table, id)}`);
  for (const table of lasting) await pool.run(`VACUUM holdfast.${table}`);
  return { counts: { ...nothingErased, issues }, isUnfinished: false };
}

async function hasOthers(pool: Pool): Promise<boolean> {
  const writers = await pool.one<{ n: number }>(
    `SELECT count(*) AS n FROM holdfast.writer WHERE seen_at > now() - interval '${seenWithin}'`,
  );
  return (writers?.n ?? 0) > 1;
}
