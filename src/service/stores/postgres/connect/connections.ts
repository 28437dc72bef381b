import type { PostgresLimits } from "../limits.ts";
import { loadDriver } from "./driver.ts";
import { HealthRecord } from "./health.ts";
import { Hosts } from "./hosts.ts";
import { ConnectionPool, type PoolOptions, type Send } from "./pool.ts";

type Value = string | number | boolean | null | Uint8Array | readonly (string | number | null | Uint8Array)[];

/** What a pool and a transaction have in common. Statements have no names: a pooler in between would mix them up. */
export interface Queries {
  all<Row>(sql: string, ...values: readonly Value[]): Promise<Row[]>;
  one<Row>(sql: string, ...values: readonly Value[]): Promise<Row | undefined>;
  /** Returns how many rows changed. */
  run(sql: string, ...values: readonly Value[]): Promise<number>;
}

export interface Pool extends Queries {
  /** Everything or nothing. The connection belongs to the work until it is done. */
  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** One pool for each kind of work: a transaction that somebody else's statement slips into takes it back with it. */
export interface Connections {
  readonly reading: Pool;
  readonly preparing: Pool;
  readonly filing: Pool;
  readonly folding: Pool;
  /** Accounts, projects and settings. Their questions go to the primary too: an invite that was used is not shown. */
  readonly shared: Pool;
  /** Retention, which may take minutes. */
  readonly upkeep: Pool;
  close(): Promise<void>;
}

/** Opens nothing yet: a pool connects when it is used first. */
export async function connect(
  address: string,
  limits: PostgresLimits,
  health: HealthRecord = new HealthRecord(),
): Promise<Connections> {
  const hosts = new Hosts(await loadDriver(), address, limits);
  const open = (options: PoolOptions): Pool => poolOf(new ConnectionPool({ hosts, health, limits }, options));
  const pools = {
    reading: open({ work: "reading", max: limits.readConnections, statementMs: limits.questionMs, cancels: true }),
    preparing: open({ work: "writing", max: 1, statementMs: limits.preparingMs, cancels: false }),
    filing: open({ work: "writing", max: 1, statementMs: limits.filingMs, cancels: false, writes: true }),
    folding: open({ work: "writing", max: 1, statementMs: limits.foldingMs, cancels: true }),
    shared: open({
      work: "writing",
      max: limits.sharedConnections,
      statementMs: limits.questionMs,
      cancels: false,
    }),
    upkeep: open({ work: "writing", max: 1, statementMs: limits.upkeepMs, cancels: true }),
  };
  return {
    ...pools,
    async close() {
      hosts.close();
      await Promise.all(Object.values(pools).map((pool) => pool.close()));
    },
  };
}

function poolOf(pool: ConnectionPool): Pool {
  return {
    ...queriesOf((sql, values) => pool.statement(sql, values)),
    transaction: (work) => pool.transaction((send) => work(queriesOf(send))),
    close: () => pool.close(),
  };
}

function queriesOf(sendRaw: Send): Queries {
  const send = (sql: string, values: readonly Value[]) => sendRaw(sql, values.map(sendable));
  return {
    // The statement says which columns a row has.
    all: async <Row>(sql: string, ...values: readonly Value[]) => (await send(sql, values)).rows as Row[],
    one: async <Row>(sql: string, ...values: readonly Value[]) => (await send(sql, values)).rows[0] as Row | undefined,
    run: async (sql, ...values) => (await send(sql, values)).rowCount ?? 0,
  };
}

function sendable(value: Value): unknown {
  if (typeof value === "string") return withoutNull(value);
  if (value instanceof Uint8Array) return bufferOf(value);
  if (!Array.isArray(value)) return value;
  return value.map((one: unknown) =>
    typeof one === "string" ? withoutNull(one) : one instanceof Uint8Array ? bufferOf(one) : one,
  );
}

/** PostgreSQL has no text with the character U+0000 in it; clients may send one. */
export function withoutNull(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
