import type { StuckGroup } from "../../store-requests.ts";
import type { Pool } from "../connect/connections.ts";

export function setStuck(pool: Pool, project: number, groups: readonly StuckGroup[]): Promise<void> {
  return pool.transaction(async (queries) => {
    await queries.run(
      `UPDATE holdfast.issue_group g SET stuck = u.stuck FROM unnest($2::bigint[], $3::bigint[]) AS u (id, stuck)
       WHERE g.id = u.id AND g.project = $1`,
      project,
      groups.map(({ group }) => group),
      groups.map(({ visitors }) => visitors),
    );
    await queries.run(
      `UPDATE holdfast.issue i SET stuck = (SELECT sum(stuck) FROM holdfast.issue_group WHERE issue = i.id)
       WHERE i.project = $1 AND i.id IN (SELECT issue FROM holdfast.issue_group WHERE id = ANY ($2))`,
      project,
      groups.map(({ group }) => group),
    );
  });
}
