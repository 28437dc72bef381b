import type { PostgresLimits } from "../limits.ts";
import { cancelStatement, type DriverResult } from "./driver.ts";
import type { HealthRecord } from "./health.ts";
import type { HostConnection, Hosts } from "./hosts.ts";
import { DatabaseAway, storeProblemOf } from "./problems.ts";

export interface PoolDeps {
  readonly hosts: Hosts;
  readonly health: HealthRecord;
  readonly limits: PostgresLimits;
}

export interface PoolOptions {
  readonly work: "reading" | "writing";
  readonly max: number;
  /** A statement that takes longer is given up. */
  readonly statementMs: number;
  /**
   * Whether the server is asked to stop it. A commit is never cancelled: it would be answered as done before it is
   * replicated.
   */
  readonly cancels: boolean;
  /** Whether every task writes: one that succeeds shows that the primary is reached. */
  readonly writes?: boolean;
}

export type Send = (sql: string, values: readonly unknown[]) => Promise<DriverResult>;

// The server ends a statement of a transaction by itself; this is for an answer that does not arrive.
const graceMs = 5_000;

/**
 * Some connections of one kind of work. Each belongs to one task at a time. As many tasks run at once as there are
 * connections; the others wait in line.
 */
export class ConnectionPool {
  readonly #deps: PoolDeps;
  readonly #options: PoolOptions;
  readonly #idle: HostConnection[] = [];
  readonly #waiting: (() => void)[] = [];
  #free: number;
  #isClosed = false;

  constructor(deps: PoolDeps, options: PoolOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#free = options.max;
  }

  /** One statement, which is its own transaction. */
  statement(sql: string, values: readonly unknown[]): Promise<DriverResult> {
    return this.#use((connection) => this.#send(connection, this.#options.statementMs, sql, values));
  }

  /** Everything or nothing. The settings end with the transaction, so that they pass a pooler. */
  transaction<Result>(work: (send: Send) => Promise<Result>): Promise<Result> {
    const { statementMs } = this.#options;
    const { idleInTransactionMs } = this.#deps.limits;
    const begin = `BEGIN; SET LOCAL statement_timeout = ${statementMs};
      SET LOCAL idle_in_transaction_session_timeout = ${idleInTransactionMs}`;
    return this.#use(async (connection) => {
      const send: Send = (sql, values) => this.#send(connection, statementMs + graceMs, sql, values);
      try {
        await send(begin, []);
        const result = await work(send);
        await send("COMMIT", []);
        return result;
      } catch (error) {
        if (!breaks(error)) await send("ROLLBACK", []);
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#idle.splice(0).map(endAndWait));
  }

  async #use<Result>(work: (connection: HostConnection) => Promise<Result>): Promise<Result> {
    await this.#takeTurn();
    let connection: HostConnection | undefined;
    try {
      connection = this.#takeIdle() ?? (await this.#open());
      connection.client.ref();
      const result = await work(connection);
      this.#giveBack(connection);
      if (this.#options.writes) this.#deps.health.reached();
      return result;
    } catch (error) {
      this.#deps.health.failed(error, this.#options.work);
      // An attempt to connect that fails says nothing about the connections that there are.
      if (connection !== undefined && movesAway(error)) this.#deps.hosts.distrust();
      if (connection !== undefined && breaks(error)) void connection.client.end();
      else if (connection !== undefined) this.#giveBack(connection);
      throw error;
    } finally {
      this.#endTurn();
    }
  }

  async #open(): Promise<HostConnection> {
    if (this.#isClosed) throw new DatabaseAway("unreachable", "The store is closed.");
    const connection = await this.#deps.hosts.connect(this.#options.work);
    const forget = (): void => {
      const place = this.#idle.indexOf(connection);
      if (place >= 0) this.#idle.splice(place, 1);
    };
    // An idle connection that breaks is replaced. If the database is down, the next statement reports it.
    connection.client.on("error", forget);
    connection.client.on("end", forget);
    return connection;
  }

  #takeIdle(): HostConnection | undefined {
    for (;;) {
      const connection = this.#idle.pop();
      if (connection === undefined || this.#isGood(connection)) return connection;
      void connection.client.end();
    }
  }

  #isGood({ generation, isPrimary, openedAt }: HostConnection): boolean {
    const { hosts, limits } = this.#deps;
    return generation === hosts.generation && (isPrimary || performance.now() - openedAt < limits.standbyMs);
  }

  #giveBack(connection: HostConnection): void {
    if (this.#isClosed) return void connection.client.end();
    connection.client.unref();
    this.#idle.push(connection);
  }

  async #takeTurn(): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #endTurn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }

  async #send(
    connection: HostConnection,
    deadlineMs: number,
    sql: string,
    values: readonly unknown[],
  ): Promise<DriverResult> {
    const { client } = connection;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        if (this.#options.cancels) cancelStatement(client);
        void client.end();
        reject(new UnknownOutcome(`The database did not answer within ${deadlineMs} ms.`));
      }, deadlineMs);
    });
    try {
      const answer = client.query(sql, values);
      answer.catch(() => undefined);
      const result = await Promise.race([answer, late]);
      if (connection.isUnreplicated()) throw new UnknownOutcome("The database gave up waiting for a copy of a commit.");
      return result;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Who waits for the end keeps the process alive until then. */
function endAndWait({ client }: HostConnection): Promise<void> {
  client.ref();
  return client.end();
}

/** The connection is broken off. The statement may have been done or not. */
class UnknownOutcome extends DatabaseAway {
  constructor(message: string) {
    super("too-slow", message);
  }
}

/** Whether the connection cannot be used any more. */
function breaks(error: unknown): boolean {
  return error instanceof UnknownOutcome || movesAway(error) || (error as { code?: unknown }).code === "25P03";
}

/** Whether the primary may be another server by now. */
function movesAway(error: unknown): boolean {
  const problem = storeProblemOf(error);
  return problem === "unreachable" || problem === "shutting-down" || problem === "read-only";
}
