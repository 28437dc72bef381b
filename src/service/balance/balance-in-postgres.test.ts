import { afterAll, beforeAll } from "vitest";
import { startPostgres, type TestPostgres } from "../../../tests/kit/postgres.ts";
import type { Rows } from "../rows/rows.ts";
import { openPostgresStore } from "../stores/postgres/open-postgres-store.ts";
import { describeBalance } from "./balance.contract.ts";
import { openBalanceRows } from "./open-balance-database.ts";

let postgres: TestPostgres;
let prepared: string;
const opened: Rows[] = [];

beforeAll(async () => {
  postgres = await startPostgres();
  prepared = await postgres.newDatabase();
  (await openPostgresStore({ address: prepared, writer: "one" })).close();
}, 120_000);

afterAll(async () => {
  for (const rows of opened) await rows.close();
  await postgres[Symbol.asyncDispose]();
}, 120_000);

describeBalance(async () => {
  const address = await postgres.newDatabase(prepared);
  const rows = await openBalanceRows("", { kind: "postgres", address, writer: "one" });
  opened.push(rows);
  return rows;
});
