import { whatOf } from "../issue-row.ts";
import { applyImport, type ImportRequest, type ImportRows } from "../portable/add-imported.ts";
import { bytesOf } from "../values/row-values.ts";
import { addHistory } from "./issues/issue-history.ts";
import { putGroups, recount } from "./issues/merge-issues.ts";
import { readLasting } from "./move/read-lasting.ts";
import { replaceRows } from "./move/sqlite-move-target.ts";
import type { StoreFiles } from "./store-files.ts";

/** Nothing else writes meanwhile: everything that does takes turns. */
export async function addImported(files: StoreFiles, request: ImportRequest): Promise<number> {
  const { meta } = files;
  try {
    meta.begin();
    const unknown = await applyImport(rowsOf(files, request.project), request);
    meta.commit();
    // The journal does not contain them, so they must be on disk before the response.
    meta.sync();
    return unknown;
  } catch (error) {
    files.rollback();
    throw error;
  }
}

function rowsOf(files: StoreFiles, project: number): ImportRows {
  const { meta } = files;
  return {
    groupOf: async (fingerprint) =>
      meta.one<{ grp: number }>(
        "SELECT grp FROM fingerprint WHERE project = ? AND hash = ?",
        project,
        bytesOf(fingerprint),
      )?.grp,
    lasting: async (table, range) => readLasting(files, table, range),
    replace: async (table, owners, rows) => replaceRows(files, table, owners, rows),
    historyOf: async (issue) =>
      meta
        .all<{ at: number; by: string; what: string }>(
          "SELECT at, by, what FROM issue_history WHERE issue = ? ORDER BY id",
          issue,
        )
        .map(({ at, by, what }) => ({ at, by, what: whatOf(what) })),
    addHistory: async (issue, act, what) => addHistory(meta, issue, act, what),
    merge: async (issue, into) => void putGroups(meta, issue, into),
    recount: async (issue) => recount(meta, issue),
  };
}
