import { connect as connectSocket } from "node:net";
import { postgresErrors } from "../errors.ts";

/** As much of `pg` as is used. It has no types of its own. */
export interface Driver {
  Client: new (options: Readonly<Record<string, unknown>>) => DriverClient;
  types: { getTypeParser: (oid: number, format?: string) => (text: string) => unknown };
}

export interface DriverClient {
  readonly host: string;
  readonly port: number;
  /** These two name the statement that runs, for a request to cancel it. */
  readonly processID: number | null;
  readonly secretKey: number | null;
  connect(): Promise<unknown>;
  query(sql: string, values: readonly unknown[]): Promise<DriverResult>;
  /** Breaks the connection off where a statement is running. */
  end(): Promise<void>;
  on(event: "error" | "end", listener: () => void): void;
  on(event: "notice", listener: (notice: { code?: string; severity?: string }) => void): void;
  on(event: "notification", listener: (notification: { payload?: string }) => void): void;
  /** Whether the connection keeps the process from ending. */
  ref(): void;
  unref(): void;
}

export interface DriverResult {
  readonly rows: unknown[];
  readonly rowCount: number | null;
}

/** Only a service with a store in PostgreSQL needs the driver. The name is a value, so that no bundler follows. */
export async function loadDriver(): Promise<Driver> {
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
export function parserFor(driver: Driver, oid: number, format?: string): (text: string) => unknown {
  if (oid === bigint || oid === numeric) return Number;
  if (oid === uuid) return (text) => text.replaceAll("-", "");
  if (oid === bigints) return (text) => text.slice(1, -1).split(",").filter(Boolean).map(Number);
  return driver.types.getTypeParser(oid, format);
}

const cancelRequest = 80_877_102;

/**
 * Asks the server to give up what a connection is doing: a connection that is broken off does not end its statement.
 * The server gives no answer, and a pooler in between passes it on.
 */
export function cancelStatement({ host, port, processID, secretKey }: DriverClient): void {
  if (processID === null || secretKey === null) return;
  const message = Buffer.alloc(16);
  for (const [n, value] of [16, cancelRequest, processID, secretKey].entries()) message.writeInt32BE(value, n * 4);
  const socket = host.startsWith("/") ? connectSocket(`${host}/.s.PGSQL.${port}`) : connectSocket({ host, port });
  // If it does not arrive, the statement ends by itself later.
  socket.on("error", () => undefined);
  socket.unref().end(message);
}
