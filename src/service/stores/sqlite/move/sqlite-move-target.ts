import { existsSync, renameSync } from "node:fs";
import type { LastingTable, MovedPart, MovedRow, MovedValue, MoveTarget } from "../../moved-rows.ts";
import { sqliteErrors } from "../errors.ts";
import { StoreFiles } from "../store-files.ts";
import type { WeekFile } from "../week/week-file.ts";
import { toSqlite } from "./read-lasting.ts";
import { sqliteMoveReader } from "./sqlite-move-source.ts";
import { writeRows } from "./write-part.ts";

const makeCursors = "CREATE TABLE IF NOT EXISTS move (what TEXT PRIMARY KEY, value TEXT NOT NULL)";
const keepCursor = "INSERT INTO move VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2";

/** The store is made beside its later place, so that no service opens it before it is complete. */
export function openSqliteMoveTarget(folder: string): MoveTarget & { readonly unfinished: string } {
  const unfinished = `${folder}.moving`;
  if (existsSync(folder)) throw sqliteErrors.moveTargetTaken(folder);
  const files = new StoreFiles(unfinished, "write");
  const weekOf = (part: MovedPart): WeekFile => {
    const week = files.openWeek(part);
    if (week === undefined) throw new Error(`The week ${part.name} could not be opened for writing.`);
    return week;
  };
  let isClosed = false;
  const close = (): void => {
    if (!isClosed) files.close();
    isClosed = true;
  };
  return {
    // Nothing was filed by a journal: everything in it counts.
    ...sqliteMoveReader(files, () => Number.MAX_SAFE_INTEGER),
    identity: async () => unfinished,
    unfinished,
    close: async () => close(),
    async begin(source) {
      files.meta.run(makeCursors);
      const known = files.meta.one<{ value: string }>("SELECT value FROM move WHERE what = 'source'");
      if (known !== undefined && known.value !== source) throw sqliteErrors.otherMove(unfinished, known.value);
      files.meta.run("INSERT OR IGNORE INTO move VALUES ('source', ?)", source);
      return known === undefined ? "begun" : "continued";
    },
    async cursor(part) {
      files.meta.run(
        `INSERT INTO week (name, starts_at, ends_at) VALUES (?1, ?2, ?3)
         ON CONFLICT DO UPDATE SET starts_at = ?2, ends_at = ?3`,
        part.name,
        part.from,
        part.to,
      );
      const { database } = weekOf(part);
      database.run(makeCursors);
      return database.one<{ value: string }>("SELECT value FROM move WHERE what = 'cursor'")?.value;
    },
    async add(part, chunk) {
      const week = weekOf(part);
      week.database.transaction(() => {
        writeRows(week, chunk);
        week.database.run(keepCursor, "cursor", chunk.cursor);
      });
    },
    removePart: async (part) => files.removeWeek(part.name),
    replace: async (table, owners, rows) => files.meta.transaction(() => replaceRows(files, table, owners, rows)),
    async finish({ idsEnd }) {
      for (const week of files.weeks()) {
        week.database.transaction(() => {
          week.database.run("UPDATE applied SET position = ?", idsEnd);
          week.database.run("DROP TABLE IF EXISTS move");
        });
      }
      files.meta.transaction(() => {
        files.meta.run("UPDATE applied SET position = ?", idsEnd);
        files.meta.run("DROP TABLE move");
      });
      files.sync();
      close();
      renameSync(unfinished, folder);
    },
  };
}

/** Deletes the rows of these owners, and adds the rows. */
export function replaceRows(
  files: StoreFiles,
  table: LastingTable,
  owners: readonly (readonly MovedValue[])[],
  rows: readonly MovedRow[],
): void {
  const { meta, names } = files;
  for (const owner of owners) removeOwner(files, table, owner);
  for (const row of rows) {
    const values = Object.fromEntries(
      Object.entries(table.columns).map(([column, kind]) => [column, toSqlite(kind, row[column], names)]),
    );
    addRow(meta, table, values);
  }
}

function removeOwner({ meta }: StoreFiles, table: LastingTable, owner: readonly MovedValue[]): void {
  const where = table.owner.length === 0 ? "" : `WHERE ${table.owner.map((column) => `${column} = ?`).join(" AND ")}`;
  if (table.name === "issue_group") meta.run("DELETE FROM group_visitor_sketch WHERE grp = ?", ...owner);
  if (table.name === "group_text") {
    meta.run("DELETE FROM group_text WHERE rowid IN (SELECT id FROM group_text_row WHERE grp = ?)", ...owner);
    meta.run("DELETE FROM group_text_row WHERE grp = ?", ...owner);
  } else meta.run(`DELETE FROM ${table.name} ${where}`, ...owner);
}

function addRow(meta: StoreFiles["meta"], table: LastingTable, values: Readonly<Record<string, MovedValue>>): void {
  if (table.name === "group_text") {
    const row = meta.one<{ id: number }>("INSERT INTO group_text_row (grp) VALUES (?) RETURNING id", values.grp ?? 0);
    meta.run("INSERT INTO group_text (rowid, text) VALUES (?, ?)", row?.id ?? 0, values.text ?? "");
    return;
  }
  const { registers = null, ...rest } = values;
  if (registers !== null) meta.run("INSERT INTO group_visitor_sketch VALUES (?, ?)", rest.id ?? 0, registers);
  const columns = Object.keys(rest);
  meta.run(
    `INSERT INTO ${table.name} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    ...Object.values(rest),
  );
}
