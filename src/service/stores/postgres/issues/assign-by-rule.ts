import type { RuleOwner } from "../../filed.ts";
import { ruleAuthor } from "../../issue-row.ts";
import type { Queries } from "../connect/connections.ts";

/** An issue that is new or came back, and the person whom a rule names. */
export interface OwnedIssue {
  readonly issue: number;
  readonly owner: RuleOwner;
  readonly at: number;
}

/** Gives issues to their owners, except those that have an assignee or about which a person has ever decided. */
export async function assignByRule(queries: Queries, owned: readonly OwnedIssue[]): Promise<void> {
  if (owned.length === 0) return;
  await queries.run(
    `WITH given AS (
       UPDATE holdfast.issue i SET assignee = u.assignee
       FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[]) AS u (issue, assignee, at, what)
       WHERE i.id = u.issue AND i.assignee IS NULL AND NOT EXISTS (
         SELECT 1 FROM holdfast.issue_history h WHERE h.issue = i.id
           AND h.what::jsonb ->> 'kind' = 'assigned' AND h.what::jsonb ->> 'rule' IS NULL)
       RETURNING u.issue, u.at, u.what)
     INSERT INTO holdfast.issue_history (issue, at, by, what) SELECT issue, at, $5, what FROM given`,
    owned.map(({ issue }) => issue),
    owned.map(({ owner }) => owner.to),
    owned.map(({ at }) => at),
    owned.map(({ owner }) => JSON.stringify({ kind: "assigned", ...owner })),
    ruleAuthor,
  );
}
