import { addVisitor, countVisitors, emptyVisitorSketch, mergeVisitors } from "../../sketches/visitor-count.ts";
import { visitorsCountedExactly } from "../counter-limits.ts";
import type { Database } from "./database.ts";

/** Adds visitors to a group and returns its number of distinct visitors. */
export function addGroupVisitors(meta: Database, group: number, known: number, visitors: ReadonlySet<number>): number {
  if (visitors.size === 0) return known;
  // A sketch exists only beyond a thousand, and its estimate is never near half of that.
  const sketch = known > visitorsCountedExactly / 2 ? sketchOf(meta, group) : undefined;
  if (sketch !== undefined) return addToSketch(meta, group, sketch, visitors);
  let count = known;
  for (const visitor of visitors) {
    count += meta.run("INSERT OR IGNORE INTO group_visitor VALUES (?, ?)", group, visitor).changes;
  }
  if (count <= visitorsCountedExactly) return count;
  const all = exactVisitors(meta, group);
  meta.run("DELETE FROM group_visitor WHERE grp = ?", group);
  return addToSketch(meta, group, emptyVisitorSketch(), all);
}

/** Counts the distinct visitors of all groups of an issue. */
export function countIssueVisitors(meta: Database, issue: number): number {
  const groups = meta.all<{ id: number; visitors: number }>(
    "SELECT id, visitors FROM issue_group WHERE issue = ?",
    issue,
  );
  const [only] = groups;
  if (only === undefined) return 0;
  if (groups.length === 1) return only.visitors;
  const exact = new Set<number>();
  const together = emptyVisitorSketch();
  let sketched = false;
  for (const { id } of groups) {
    const sketch = sketchOf(meta, id);
    if (sketch === undefined) for (const visitor of exactVisitors(meta, id)) exact.add(visitor);
    else {
      mergeVisitors(together, sketch);
      sketched = true;
    }
  }
  if (!sketched) return exact.size;
  for (const visitor of exact) addVisitor(together, visitor);
  return countVisitors(together);
}

function addToSketch(meta: Database, group: number, sketch: Uint8Array, visitors: Iterable<number>): number {
  for (const visitor of visitors) addVisitor(sketch, visitor);
  meta.run("INSERT OR REPLACE INTO group_visitor_sketch VALUES (?, ?)", group, sketch);
  return countVisitors(sketch);
}

function sketchOf(meta: Database, group: number): Uint8Array | undefined {
  return meta.one<{ registers: Uint8Array }>("SELECT registers FROM group_visitor_sketch WHERE grp = ?", group)
    ?.registers;
}

function exactVisitors(meta: Database, group: number): number[] {
  return meta
    .all<{ visitor: number }>("SELECT visitor FROM group_visitor WHERE grp = ?", group)
    .map(({ visitor }) => visitor);
}
