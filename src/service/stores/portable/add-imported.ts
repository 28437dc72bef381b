import type { Act } from "../issue-row.ts";
import {
  keyOfValues,
  type LastingTable,
  lastingTables,
  type MovedRow,
  type MovedValue,
  type OwnerRange,
  ownerOf,
} from "../moved-rows.ts";
import type { HistoryEntry } from "../records.ts";
import type { TriageLine } from "./lines.ts";
import { mergeRows, visitorsOf } from "./merge-rows.ts";

/** What an import brings beside events. Executed after the events that it counts are filed. */
export type ImportStep =
  | {
      readonly kind: "figures";
      readonly table: LastingTable;
      /** Fingerprint, for figures of a group. */
      readonly group: string | undefined;
      readonly rows: readonly MovedRow[];
    }
  | { readonly kind: "triage"; readonly line: TriageLine };

export interface ImportRequest {
  readonly project: number;
  readonly steps: readonly ImportStep[];
}

/** Rows of a store in one transaction. */
export interface ImportRows {
  /** A group has the id of the issue that it began with. */
  groupOf(fingerprint: string): Promise<number | undefined>;
  lasting(table: LastingTable, range: OwnerRange): Promise<readonly MovedRow[]>;
  replace(table: LastingTable, owners: readonly (readonly MovedValue[])[], rows: readonly MovedRow[]): Promise<void>;
  historyOf(issue: number): Promise<readonly HistoryEntry[]>;
  addHistory(issue: number, act: Act, what: HistoryEntry["what"]): Promise<void>;
  /** Gives the groups of an issue to another, as a merge does. */
  merge(issue: number, into: number): Promise<void>;
  /** Sums up the groups of an issue. */
  recount(issue: number): Promise<void>;
}

/** Returns the number of steps whose group is unknown. They change nothing. */
export async function applyImport(rows: ImportRows, { project, steps }: ImportRequest): Promise<number> {
  let unknown = 0;
  for (const step of steps) {
    const isKnown =
      step.kind === "triage"
        ? await addTriage(rows, step.line)
        : step.group === undefined
          ? await addProjectFigures(rows, project, step)
          : await addGroupFigures(rows, step, step.group);
    if (!isKnown) unknown += 1;
  }
  return unknown;
}

type Figures = Extract<ImportStep, { kind: "figures" }>;

async function addProjectFigures(rows: ImportRows, project: number, step: Figures): Promise<boolean> {
  const { table } = step;
  const given = step.rows.map((row): MovedRow => ({ ...row, project }));
  const owners = new Map(given.map((row) => [keyOfValues(ownerOf(table, row)), ownerOf(table, row)]));
  // All owners at once: a line has hundreds of hours, and each would take three queries.
  const own = await rows.lasting(table, around([...owners.values()]));
  const merged = mergeRows(
    table,
    own.filter((row) => owners.has(keyOfValues(ownerOf(table, row)))),
    given,
  );
  await rows.replace(table, [...owners.values()], merged);
  return true;
}

/** From the first to the last of these owners. */
function around(owners: readonly (readonly MovedValue[])[]): OwnerRange {
  const last = owners.map((owner) => Number(owner.at(-1)));
  const [first = [0]] = owners;
  return { after: first.with(-1, Math.min(...last) - 1), upTo: first.with(-1, Math.max(...last)) };
}

/** Owners of figures end with a number. */
function only(owner: readonly MovedValue[]): OwnerRange {
  return { after: owner.with(-1, Number(owner.at(-1)) - 1), upTo: owner };
}

async function addGroupFigures(rows: ImportRows, step: Figures, fingerprint: string): Promise<boolean> {
  const group = await rows.groupOf(fingerprint);
  if (group === undefined) return false;
  if (step.table.name === "issue_group") await addGroup(rows, step.table, group, step.rows);
  else {
    const own = await rows.lasting(step.table, only([group]));
    const given = step.rows.map((row): MovedRow => ({ ...row, grp: group }));
    await rows.replace(step.table, [[group]], mergeRows(step.table, own, given));
  }
  return true;
}

const tableNamed = (wanted: string): LastingTable => {
  const found = lastingTables.find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`There is no table ${wanted}.`);
  return found;
};
const issueTable = tableNamed("issue");
const visitorTable = tableNamed("group_visitor");

async function addGroup(
  rows: ImportRows,
  table: LastingTable,
  group: number,
  given: readonly MovedRow[],
): Promise<void> {
  const [own] = await rows.lasting(table, only([group]));
  if (own === undefined) return;
  const [merged = own] = mergeRows(
    table,
    [own],
    given.map((row) => ({ ...own, ...row, id: group })),
  );
  const exact = (await rows.lasting(visitorTable, only([group]))).map(({ visitor }) => Number(visitor));
  const { visitors, registers } = visitorsOf(merged, exact);
  if (registers !== null) await rows.replace(visitorTable, [[group]], []);
  await rows.replace(table, [[group]], [{ ...merged, visitors, registers }]);
  await rows.recount(Number(own.issue));
}

async function addTriage(rows: ImportRows, line: TriageLine): Promise<boolean> {
  const issue = await rows.groupOf(line.group);
  if (issue === undefined) return false;
  const [own] = await rows.lasting(issueTable, only([issue]));
  if (own === undefined) return false;
  const before = await rows.historyOf(issue);
  const given: HistoryEntry[] = [];
  for (const { at, by, what } of line.history) {
    const here = await whatHere(rows, what);
    if (here !== undefined) given.push({ at, by, what: here });
  }
  // What people have decided here is not undone by an import.
  const isTriaged = before.some((entry) => entry.what.kind !== "imported" && !isAmong(given, entry));
  for (const entry of given) if (!isAmong(before, entry)) await rows.addHistory(issue, entry, entry.what);
  const isMerged = own.status === "merged";
  if (!isTriaged)
    await rows.replace(
      issueTable,
      [[issue]],
      [
        {
          ...own,
          state: JSON.stringify(line.state),
          status: isMerged ? "merged" : line.state.kind,
          assignee: line.assignee ?? own.assignee ?? null,
          ticket: line.ticket ?? own.ticket ?? null,
        },
      ],
    );
  const into = line.mergedInto === undefined ? undefined : await rows.groupOf(line.mergedInto);
  if (into !== undefined && into !== issue && !isMerged && !isTriaged) await rows.merge(issue, into);
  return true;
}

function isAmong(entries: readonly HistoryEntry[], { at, by, what }: HistoryEntry): boolean {
  const text = JSON.stringify(what);
  return entries.some((entry) => entry.at === at && entry.by === by && JSON.stringify(entry.what) === text);
}

/** Issues in an entry are named by fingerprints, and here by their ids. Undefined if one of them is unknown. */
async function whatHere(
  rows: ImportRows,
  what: Readonly<Record<string, unknown>>,
): Promise<HistoryEntry["what"] | undefined> {
  const here: Record<string, unknown> = { ...what };
  if (typeof what.issue === "string") {
    here.issue = await rows.groupOf(what.issue);
    if (here.issue === undefined) return undefined;
  }
  if (Array.isArray(what.groups)) {
    const groups = await Promise.all(what.groups.map((group) => rows.groupOf(String(group))));
    here.groups = groups.filter((group) => group !== undefined).sort((a, b) => a - b);
  }
  // The reader of lines has checked its kind and fields.
  return here as unknown as HistoryEntry["what"];
}
