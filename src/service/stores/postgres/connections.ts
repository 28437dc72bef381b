import { postgresErrors } from "./errors.ts";
import type { PostgresLimits } from "./limits.ts";

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

/** As much of `pg` as is used. It has no types of its own. */
interface Driver {
  Pool: new (options: Readonly<Record<string, unknown>>) => DriverPool;
  types: { getTypeParser: (oid: number, format?: string) => (text: string) => unknown };
}

interface DriverPool extends DriverQueries {
  connect(): Promise<DriverClient>;
  end(): Promise<void>;
  on(event: "error", listener: (error: Error) => void): void;
}

interface DriverClient extends DriverQueries {
  release(broken?: boolean): void;
}

interface DriverQueries {
  query(sql: string, values: readonly unknown[]): Promise<{ rows: unknown[]; rowCount: number | null }>;
}

/** One pool for each kind of work: a transaction that somebody else's statement slips into takes it back with it. */
export interface Connections {
  readonly reading: Pool;
  readonly preparing: Pool;
  readonly filing: Pool;
  readonly folding: Pool;
  close(): Promise<void>;
}

export async function connect(address: string, limits: PostgresLimits): Promise<Connections> {
  const driver = await loadDriver();
  const open = (max: number, options: Readonly<Record<string, unknown>> = {}): Pool =>
    poolOf(
      max,
      new driver.Pool({
        connectionString: address,
        max,
        connectionTimeoutMillis: limits.connectMs,
        allowExitOnIdle: true,
        types: { getTypeParser: (oid: number, format?: string) => parserFor(driver, oid, format) },
        ...options,
      }),
    );
  const pools = {
    reading: open(limits.readConnections, { query_timeout: limits.questionMs }),
    preparing: open(1),
    filing: open(1),
    folding: open(1),
  };
  return {
    ...pools,
    async close() {
      await Promise.all(Object.values(pools).map((pool) => pool.close()));
    },
  };
}

/** Only a service with a store in PostgreSQL needs the driver. The name is a value, so that no bundler follows. */
async function loadDriver(): Promise<Driver> {
  const name: string = "pg";
  try {
    const { default: driver } = (await import(name)) as { default: Driver };
    return driver;
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_MODULE_NOT_FOUND") throw postgresErrors.driverMissing();
    throw error;
  }
}

const bigint = 20;
const numeric = 1700;
const uuid = 2950;
const bigints = 1016;

/** Row ids, times and counts stay below 2^53. Ids are 32 hexadecimal characters, as everywhere else. */
function parserFor(driver: Driver, oid: number, format?: string): (text: string) => unknown {
  if (oid === bigint || oid === numeric) return Number;
  if (oid === uuid) return (text) => text.replaceAll("-", "");
  if (oid === bigints) return (text) => text.slice(1, -1).split(",").filter(Boolean).map(Number);
  return driver.types.getTypeParser(oid, format);
}

function poolOf(max: number, driver: DriverPool): Pool {
  const pool = inTurn(max, driver);
  // An idle connection that breaks is replaced. If the database is down, the next query reports it.
  pool.on("error", () => undefined);
  return {
    ...queriesOf(pool),
    async transaction(work) {
      const client = await pool.connect();
      let broken = false;
      try {
        await client.query("BEGIN", []);
        const result = await work(queriesOf(client));
        await client.query("COMMIT", []);
        return result;
      } catch (error) {
        await client.query("ROLLBACK", []).catch(() => {
          broken = true;
        });
        throw error;
      } finally {
        client.release(broken);
      }
    },
    close: () => pool.end(),
  };
}

/**
 * As many at once as there are connections; the others wait here. The driver would count their waiting as an attempt to
 * connect that takes too long.
 */
function inTurn(max: number, pool: DriverPool): DriverPool {
  let free = max;
  const waiting: (() => void)[] = [];
  const take = async (): Promise<void> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const giveBack = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    on: (event, listener) => pool.on(event, listener),
    end: () => pool.end(),
    async query(sql, values) {
      await take();
      return pool.query(sql, values).finally(giveBack);
    },
    async connect() {
      await take();
      try {
        const client = await pool.connect();
        return {
          query: (sql, values) => client.query(sql, values),
          release(broken) {
            client.release(broken);
            giveBack();
          },
        };
      } catch (error) {
        giveBack();
        throw error;
      }
    },
  };
}

function queriesOf(queries: DriverQueries): Queries {
  const send = (sql: string, values: readonly Value[]) => queries.query(sql, values.map(sendable));
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

/** The code of an error that the database answered with. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

// Lost connections and shut-down servers, full disks and memory, too many connections, a server that only reads,
// collisions, and a schema that another process is about to bring up to date.
const unavailable = /^(?:E[A-Z]+|08...|57P0.|57014|53...|25006|40...|55P03|42P01|42703|42883)$/;

/** Whether the same will work later: nothing is wrong with what was to be written. */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined) return unavailable.test(code);
  return error instanceof Error && /connection|timeout/i.test(error.message);
}
