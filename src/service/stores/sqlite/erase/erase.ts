import { groupMark } from "../../erase/erased-marks.ts";
import type { ErasureMark, ErasureOutcome, ErasureStep } from "../../erase/erasure.ts";
import { nothingErased } from "../../erase/erasure.ts";
import { hexOf } from "../../values/row-values.ts";
import type { StoreFiles } from "../store-files.ts";
import { type EraseDeps, eraseLasting, finishErasure } from "./erase-lasting.ts";
import { eraseRows } from "./erase-rows.ts";

/** Executes one piece of an erasure. Each piece is bounded, because filing waits for it. */
export function erase(deps: EraseDeps, step: ErasureStep): ErasureOutcome {
  try {
    switch (step.kind) {
      case "remember":
        remember(deps.files, step.marks, step.groups);
        return { counts: nothingErased, isUnfinished: false };
      case "rows":
        return eraseRows(deps.files, step.rows);
      case "lasting":
        return eraseLasting(deps, step.project, step.match);
      case "finish":
        return finishErasure(deps, step.parts);
    }
  } catch (error) {
    deps.files.rollback();
    throw error;
  } finally {
    deps.groups.forget();
  }
}

function remember({ meta }: StoreFiles, marks: readonly ErasureMark[], groups: readonly number[]): void {
  const [first] = marks;
  const fingerprints = meta.all<{ project: number; hash: Uint8Array }>(
    "SELECT project, hash FROM fingerprint WHERE grp IN (SELECT value FROM json_each(?))",
    JSON.stringify(groups),
  );
  const all: readonly ErasureMark[] = [
    ...marks,
    ...fingerprints.map(({ project, hash }) => ({
      project,
      kind: "group" as const,
      hash: groupMark(hexOf(hash)),
      at: first?.at ?? 0,
    })),
  ];
  meta.transaction(() => {
    for (const { project, kind, hash, at } of all)
      meta.run(
        "INSERT INTO erased VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET at = max(at, excluded.at)",
        project,
        kind,
        hash,
        at,
      );
  });
  meta.sync();
}

export function readErasureMarks({ meta }: StoreFiles): readonly ErasureMark[] {
  return meta.all<ErasureMark>("SELECT project, kind, hash, at FROM erased ORDER BY project, kind, hash");
}
