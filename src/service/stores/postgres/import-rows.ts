import { whatOf } from "../issue-row.ts";
import { applyImport, type ImportRequest, type ImportRows } from "../portable/add-imported.ts";
import { bytesOf } from "../values/row-values.ts";
import type { Pool, Queries } from "./connect/connections.ts";
import { lockProject } from "./issues/issue-changes.ts";
import { addHistory } from "./issues/issue-history.ts";
import { putGroups, recount } from "./issues/merge-issues.ts";
import { readLasting } from "./move/postgres-move-source.ts";
import { replaceRows } from "./move/postgres-move-target.ts";
import type { Names } from "./names.ts";

export interface ImportStoreDeps {
  readonly pool: Pool;
  /** Uses another connection than `pool`. */
  readonly names: Names;
  /** Resolves when everything that was filed is counted. */
  readonly settled: () => Promise<unknown>;
}

export async function addImported({ pool, names, settled }: ImportStoreDeps, request: ImportRequest): Promise<number> {
  await settled();
  return pool.transaction(async (queries) => {
    await lockProject(queries, request.project);
    return applyImport(rowsOf(queries, names, request.project), request);
  });
}

function rowsOf(queries: Queries, names: Names, project: number): ImportRows {
  return {
    groupOf: async (fingerprint) => {
      const row = await queries.one<{ grp: number }>(
        "SELECT grp FROM holdfast.fingerprint WHERE project = $1 AND hash = $2",
        project,
        bytesOf(fingerprint),
      );
      return row?.grp;
    },
    lasting: (table, range) => readLasting({ queries, names }, table, range),
    replace: (table, owners, rows) => replaceRows({ queries, names }, table, owners, rows),
    historyOf: async (issue) => {
      const rows = await queries.all<{ at: number; by: string; what: string }>(
        "SELECT at, by, what FROM holdfast.issue_history WHERE issue = $1 ORDER BY id",
        issue,
      );
      return rows.map(({ at, by, what }) => ({ at, by, what: whatOf(what) }));
    },
    addHistory: (issue, act, what) => addHistory(queries, issue, act, what),
    merge: async (issue, into) => void (await putGroups(queries, issue, into)),
    recount: (issue) => recount(queries, issue),
  };
}
