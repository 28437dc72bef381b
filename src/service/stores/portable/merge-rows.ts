import { addVisitor, countVisitors, mergeVisitors } from "../../sketches/visitor-count.ts";
import { keyOfValues, type LastingTable, lastingTables, type MovedRow, type MovedValue } from "../moved-rows.ts";

/** How rows of both sides become one. Columns that are not named stay as they are in the importing store. */
interface Merging {
  /** Columns that identify a row of an owner. */
  readonly key: readonly string[];
  readonly most?: readonly string[];
  readonly least?: readonly string[];
  /** Registers that count visitors. */
  readonly visitors?: string;
  /** The row with the larger value, or the imported one, gives the columns that are not named. */
  readonly newest?: string;
}

/**
 * The larger number, and not the sum: events that are imported count themselves, and a figure that was exported with
 * them has counted them too. So an import that is repeated changes nothing.
 */
const merging: Readonly<Record<string, Merging>> = {
  group_hour: { key: ["hour", "environment", "release"], most: ["n"] },
  group_day: { key: ["day", "environment"], most: ["n"] },
  group_tag: { key: ["key", "value"], most: ["n"] },
  group_release: { key: ["release"], most: ["n", "last_seen"], least: ["first_seen"] },
  group_text: { key: ["text"] },
  group_visitor: { key: ["visitor"] },
  issue_group: {
    key: ["id"],
    most: ["events", "visitors", "stuck", "texts", "last_seen"],
    least: ["first_seen"],
    visitors: "registers",
    newest: "last_seen",
  },
  release: { key: ["name"], most: ["events", "last_seen"], least: ["first_seen"] },
  release_commits: { key: ["release"] },
  release_chunk: { key: ["release", "debug_id"], most: ["mapped", "unmapped"] },
  // Sketches of durations cannot be merged twice: where both sides have one, the importing store keeps its own.
  sketch_hour: { key: ["hour", "route"] },
  sketch_day: { key: ["day", "route"] },
  sketch_release: { key: ["release"] },
  count_hour: { key: ["hour", "name", "route", "label"], most: ["n"] },
  count_day: { key: ["day", "name", "route", "label"], most: ["n"] },
  session_hour: {
    key: ["hour", "release", "environment"],
    most: ["started", "errored", "crashed", "abnormal"],
  },
  traffic_quarter: { key: ["quarter"], most: ["errors", "error_pages", "visits", "failed_visits"] },
  affected_hour: { key: ["hour"], visitors: "packed" },
  discard_hour: { key: ["hour", "reason", "category"], most: ["n"] },
  monitor: { key: ["name", "environment"], newest: "last_at" },
};

const named = (names: readonly string[]): readonly LastingTable[] =>
  lastingTables.filter(({ name }) => names.includes(name));

/** Figures of one group. `issue_group` is last: it counts the visitors that the others have. */
export const groupFigures: readonly LastingTable[] = [
  ...named(["group_hour", "group_day", "group_tag", "group_release", "group_text", "group_visitor"]),
  ...named(["issue_group"]),
];

/** Figures of a project. */
export const projectFigures: readonly LastingTable[] = lastingTables.filter(
  ({ name, owner }) => name in merging && owner[0] === "project",
);

export function figuresTable(name: string): LastingTable | undefined {
  return [...groupFigures, ...projectFigures].find((table) => table.name === name);
}

/** Rows of one owner on both sides become those that the importing store has afterwards. */
export function mergeRows(
  { name, columns }: LastingTable,
  own: readonly MovedRow[],
  given: readonly MovedRow[],
): readonly MovedRow[] {
  const how = merging[name] ?? { key: Object.keys(columns) };
  const keyOf = (row: MovedRow): string => keyOfValues(how.key.map((column) => row[column] ?? null));
  const merged = new Map(own.map((row) => [keyOf(row), row]));
  for (const row of given) {
    const known = merged.get(keyOf(row));
    merged.set(keyOf(row), known === undefined ? row : mergeRow(how, known, row));
  }
  return [...merged.values()];
}

function mergeRow(how: Merging, own: MovedRow, given: MovedRow): MovedRow {
  const { most = [], least = [], visitors, newest } = how;
  const isNewer = newest !== undefined && numberIn(given, newest) >= numberIn(own, newest);
  const row: Record<string, MovedValue> = { ...own, ...(isNewer && given) };
  for (const column of most) row[column] = Math.max(numberIn(own, column), numberIn(given, column));
  for (const column of least) row[column] = Math.min(numberIn(own, column), numberIn(given, column));
  if (visitors !== undefined) row[visitors] = mergedVisitors(own[visitors], given[visitors]);
  return row;
}

function numberIn(row: MovedRow, column: string): number {
  return Number(row[column] ?? 0);
}

function mergedVisitors(own: MovedValue | undefined, given: MovedValue | undefined): MovedValue {
  if (!(given instanceof Uint8Array)) return own ?? null;
  const merged = Uint8Array.from(given);
  if (own instanceof Uint8Array) mergeVisitors(merged, own);
  return merged;
}

/** Visitors of a group, by its registers if it has any. Then the exact ones are part of them. */
export function visitorsOf(group: MovedRow, exact: readonly number[]): { visitors: number; registers: MovedValue } {
  const { registers = null } = group;
  if (!(registers instanceof Uint8Array))
    return { visitors: Math.max(numberIn(group, "visitors"), exact.length), registers: null };
  const all = Uint8Array.from(registers);
  for (const visitor of exact) addVisitor(all, visitor);
  return { visitors: Math.max(numberIn(group, "visitors"), countVisitors(all)), registers: all };
}
