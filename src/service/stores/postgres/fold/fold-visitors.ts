import { addVisitor, countVisitors, emptyVisitorSketch } from "../../../sketches/visitor-count.ts";
import { visitorsCountedExactly } from "../../counter-limits.ts";
import type { Queries } from "../connect/connections.ts";
import type { GroupEntry, KnownGroup } from "./group-entry.ts";
import type { OpenFold } from "./open-fold.ts";

export interface VisitorCount {
  readonly count: number;
  /** Beyond the bound of exact counting. */
  readonly registers: Uint8Array | null;
}

/** Adds visitors to groups; returns how many different ones each has now. */
export async function foldVisitors(
  { queries }: OpenFold,
  groups: readonly GroupEntry[],
  known: ReadonlyMap<number, KnownGroup>,
): Promise<ReadonlyMap<number, VisitorCount>> {
  const counts = new Map<number, VisitorCount>();
  const exact: { grp: number; visitor: number }[] = [];
  for (const [grp, { visitors }] of groups) {
    const registers = known.get(grp)?.registers;
    if (registers) counts.set(grp, countedBy(registers, visitors));
    else for (const visitor of visitors) exact.push({ grp, visitor });
  }
  if (exact.length === 0) return counts;
  const added = await queries.all<{ grp: number; n: number }>(
    `WITH added AS (
       INSERT INTO holdfast.group_visitor SELECT * FROM unnest($1::bigint[], $2::bigint[]) ON CONFLICT DO NOTHING
       RETURNING grp
     ) SELECT grp, count(*) AS n FROM added GROUP BY grp`,
    exact.map(({ grp }) => grp),
    exact.map(({ visitor }) => visitor),
  );
  for (const { grp, n } of added) {
    const count = (known.get(grp)?.visitors ?? 0) + n;
    counts.set(grp, count <= visitorsCountedExactly ? { count, registers: null } : await sketched(queries, grp));
  }
  return counts;
}

/** From here on this group's visitors are counted by a sketch. */
async function sketched(queries: Queries, group: number): Promise<VisitorCount> {
  const rows = await queries.all<{ visitor: number }>(
    "DELETE FROM holdfast.group_visitor WHERE grp = $1 RETURNING visitor",
    group,
  );
  return countedBy(
    emptyVisitorSketch(),
    rows.map(({ visitor }) => visitor),
  );
}

function countedBy(registers: Uint8Array, visitors: Iterable<number>): VisitorCount {
  for (const visitor of visitors) addVisitor(registers, visitor);
  return { count: countVisitors(registers), registers };
}
