import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "#protocol";
import { openDatabase } from "../accounts/open-database.ts";
import { alertTables } from "../alerts/alert-tables.ts";
import { alertDatabaseFile, openAlertDatabase } from "../alerts/open-alert-database.ts";
import { balanceDatabaseFile, balanceTables, openBalanceDatabase } from "../balance/open-balance-database.ts";
import type { RowQueries, Rows, RowValue } from "../rows/rows.ts";

/** Tables that a data folder has in `accounts.db`. `account` is first: others refer to it. */
const accountTables = {
  account: ["email", "password", "roles", "name"],
  session: ["hash", "email", "began", "used", "device", "network", "ends"],
  identity: ["issuer", "subject", "email"],
  totp: ["email", "secret", "step", "confirmed"],
  recovery_code: ["hash", "email"],
  device: ["hash", "email", "used"],
  attempt: ["name", "count", "failed", "until"],
  invite: ["hash", "email", "roles", "ends"],
  project_invite: ["hash", "email", "project", "role", "ends"],
  refusal: ["quarter", "who", "project", "why", "count", "at"],
  token: ["id", "hash", "name", "email", "project", "scopes", "created", "made_by", "expires", "used"],
} as const;

/** Documents, each in a file of its name in a data folder. */
const documents = ["projects", "settings", "alerts", "deploys"] as const;

type Row = Readonly<Record<string, RowValue>>;

/** Copies accounts, projects, settings, alerts and audit log of a data folder into the database, over its own. */
export async function copySharedToDatabase(dataFolder: string, database: Rows): Promise<void> {
  const accounts = existsSync(join(dataFolder, "accounts.db")) ? openDatabase(dataFolder) : undefined;
  const alerts = existsSync(join(dataFolder, alertDatabaseFile)) ? openAlertDatabase(dataFolder) : undefined;
  const balance = existsSync(join(dataFolder, balanceDatabaseFile)) ? openBalanceDatabase(dataFolder) : undefined;
  try {
    await database.transaction(async (queries) => {
      if (accounts !== undefined) await copyTables(accountTables, accounts, queries);
      if (alerts !== undefined) await copyTables(alertTables, alerts, queries);
      if (balance !== undefined) await copyTables(balanceTables, balance, queries);
      for (const name of documents) {
        const file = join(dataFolder, `${name}.json`);
        if (!existsSync(file)) continue;
        await queries.run("DELETE FROM holdfast.document WHERE name = $1", name);
        await queries.run("INSERT INTO holdfast.document VALUES ($1, $2, 1)", name, readFileSync(file, "utf8"));
      }
      await queries.run("DELETE FROM holdfast.audit");
      for (const { at, by, project, what } of auditEntriesIn(join(dataFolder, "audit.jsonl")))
        await queries.run(
          "INSERT INTO holdfast.audit (at, by, project, what) VALUES ($1, $2, $3, $4)",
          at ?? 0,
          by ?? "",
          project ?? null,
          what ?? "",
        );
    });
  } finally {
    await accounts?.close();
    await alerts?.close();
    await balance?.close();
  }
}

/** The other way round. Files of the folder that the database has too are replaced. */
export async function copySharedToFolder(database: Rows, dataFolder: string): Promise<void> {
  const accounts = openDatabase(dataFolder);
  try {
    await accounts.transaction((queries) => copyTables(accountTables, database, queries));
  } finally {
    await accounts.close();
  }
  const alerts = openAlertDatabase(dataFolder);
  try {
    await alerts.transaction((queries) => copyTables(alertTables, database, queries));
  } finally {
    await alerts.close();
  }
  const balance = openBalanceDatabase(dataFolder);
  try {
    await balance.transaction((queries) => copyTables(balanceTables, database, queries));
  } finally {
    await balance.close();
  }
  for (const name of documents) {
    const row = await database.one<{ value: unknown }>("SELECT value FROM holdfast.document WHERE name = $1", name);
    if (row === undefined) continue;
    const text = `${JSON.stringify(row.value, undefined, 2)}\n`;
    writeFileSync(join(dataFolder, `${name}.json`), text, { mode: 0o600, flush: true });
  }
  const file = join(dataFolder, "audit.jsonl");
  writeFileSync(file, "", { mode: 0o600 });
  for (const { project, ...entry } of await database.all<Row>(
    "SELECT at, by, project, what FROM holdfast.audit ORDER BY id",
  ))
    appendFileSync(file, `${JSON.stringify({ ...entry, ...(project !== null && { project }) })}\n`);
}

async function copyTables(
  copied: Readonly<Record<string, readonly string[]>>,
  from: RowQueries,
  to: RowQueries,
): Promise<void> {
  const tables = Object.entries(copied);
  for (const [table] of tables.toReversed()) await to.run(`DELETE FROM holdfast.${table}`);
  for (const [table, columns] of tables) {
    const marks = columns.map((_, n) => `$${n + 1}`).join(", ");
    for (const row of await from.all<Row>(`SELECT ${columns.join(", ")} FROM holdfast.${table}`))
      await to.run(
        `INSERT INTO holdfast.${table} (${columns.join(", ")}) VALUES (${marks})`,
        ...columns.map((column) => row[column] ?? null),
      );
  }
}

/** One entry per line. Half a line, from a process that was killed, is left out. */
function auditEntriesIn(file: string): readonly Row[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        const entry: unknown = JSON.parse(line);
        return isObject(entry) ? [entry as Row] : [];
      } catch {
        return [];
      }
    });
}
