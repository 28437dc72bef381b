import type { StuckGroup } from "../../store-requests.ts";
import type { StoreFiles } from "../store-files.ts";

export function setStuck({ meta }: StoreFiles, project: number, groups: readonly StuckGroup[]): void {
  meta.transaction(() => {
    for (const { group, visitors } of groups) {
      meta.run("UPDATE issue_group SET stuck = ? WHERE id = ? AND project = ?", visitors, group, project);
      meta.run(
        `UPDATE issue SET stuck = (SELECT sum(stuck) FROM issue_group WHERE issue = issue.id)
         WHERE id = (SELECT issue FROM issue_group WHERE id = ?) AND project = ?`,
        group,
        project,
      );
    }
  });
}
