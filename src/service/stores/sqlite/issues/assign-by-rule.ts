import type { ShownEvent } from "../../batch-sums.ts";
import { ruleAuthor } from "../../issue-row.ts";
import type { Database } from "../database.ts";
import { addHistory } from "./issue-history.ts";

type Owned = Pick<ShownEvent, "owner" | "receivedAt">;

/** Gives a new issue to the person whom a rule names. */
export function assignNew(meta: Database, issue: number, { owner, receivedAt }: Owned): void {
  const found = owner?.();
  if (found === undefined) return;
  meta.run("UPDATE issue SET assignee = ? WHERE id = ?", found.to, issue);
  addHistory(meta, issue, { by: ruleAuthor, at: receivedAt }, { kind: "assigned", ...found });
}

/** The same for an issue that came back, unless it has an assignee or a person has ever decided about one. */
export function assignRegressed(meta: Database, issue: number, event: Owned): void {
  if (event.owner === undefined) return;
  const isDecided = meta.one(
    `SELECT 1 FROM issue WHERE id = ?1 AND (assignee IS NOT NULL OR EXISTS (SELECT 1 FROM issue_history
       WHERE issue = ?1 AND json_extract(what, '$.kind') = 'assigned' AND json_extract(what, '$.rule') IS NULL))`,
    issue,
  );
  if (isDecided === undefined) assignNew(meta, issue, event);
}
