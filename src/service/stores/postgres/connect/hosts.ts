import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "#errors";
import type { StoreProblem } from "../../store-health.ts";
import type { PostgresLimits } from "../limits.ts";
import { BackOff } from "./back-off.ts";
import { type Driver, type DriverClient, parserFor } from "./driver.ts";
import { type HostAddress, hostAddresses } from "./host-addresses.ts";
import { DatabaseAway, storeProblemOf } from "./problems.ts";

/** An open connection. */
export interface HostConnection {
  readonly client: DriverClient;
  readonly isPrimary: boolean;
  readonly openedAt: number;
  /** See `Hosts.generation`. */
  readonly generation: number;
  /**
   * Whether the server has warned that it stopped waiting for a standby: it answers such a commit as done, and a
   * failover may take it back.
   */
  readonly isUnreplicated: () => boolean;
}

type Work = "reading" | "writing";

/**
 * Says whether the server takes writes. Plans are not compiled: no query here runs long enough to earn the 50 to 200 ms
 * that it takes. A pooler may give this setting to another connection of Holdfast, which does no harm.
 */
const firstQuery = `SELECT current_setting('transaction_read_only') = 'off' AS writes, set_config('jit', 'off', false)`;

/** How soon the hosts are asked again. */
interface Pace {
  readonly backOff: BackOff;
  lastError: DatabaseAway | undefined;
}

type Attempt = { kind: "open"; connection: HostConnection } | { kind: "failed"; host: string; error: unknown };

/**
 * The servers of a store, of which one takes writes. Which one that is changes by a failover: the hosts are asked in
 * turn, the last primary first.
 */
export class Hosts {
  readonly #driver: Driver;
  readonly #limits: PostgresLimits;
  /** While there is no primary, questions go on and writes wait. */
  readonly #paces: Readonly<Record<Work, Pace>> = {
    reading: { backOff: new BackOff(), lastError: undefined },
    writing: { backOff: new BackOff(), lastError: undefined },
  };
  readonly #closing = new AbortController();
  #hosts: readonly HostAddress[];
  /** Connections of an earlier generation may lead to a server that is no longer the primary. */
  generation = 0;

  constructor(driver: Driver, address: string, limits: PostgresLimits) {
    this.#driver = driver;
    this.#hosts = hostAddresses(address);
    this.#limits = limits;
  }

  /** After a lost connection or a refused write: all connections are made again. */
  distrust(): void {
    this.generation += 1;
  }

  close(): void {
    this.#closing.abort();
  }

  /** Connects to the primary; a question may go to another server while there is none. Throws `DatabaseAway`. */
  async connect(work: Work): Promise<HostConnection> {
    const pace = this.#paces[work];
    // A question is better refused than kept for half a minute.
    if (pace.lastError !== undefined && pace.backOff.remainingMs > this.#limits.connectMs) throw pace.lastError;
    await pace.backOff.wait(this.#closing.signal).catch(() => {
      throw new DatabaseAway("unreachable", "The store is closed.");
    });
    const attempts: Attempt[] = [];
    for await (const attempt of this.#round()) {
      if (attempt.kind === "open" && attempt.connection.isPrimary) {
        closeAll(attempts);
        return connectedAt(pace, attempt.connection);
      }
      attempts.push(attempt);
    }
    const standby = attempts.find((attempt) => attempt.kind === "open");
    closeAll(attempts.filter((attempt) => attempt !== standby || work === "writing"));
    if (standby !== undefined && work === "reading") return connectedAt(pace, standby.connection);
    const error = this.#failureOf(attempts);
    pace.lastError = error;
    pace.backOff.failed(backOffFor(error.problem, this.#limits));
    throw error;
  }

  /**
   * Asks one host after the other, and the next one also when one does not answer soon. Gives the attempts as they end.
   * Those that are still open when the round is left are closed.
   */
  async *#round(): AsyncGenerator<Attempt> {
    const waiting = [...this.#hosts];
    const running = new Map<HostAddress, Promise<Attempt>>();
    try {
      while (waiting.length > 0 || running.size > 0) {
        const next = waiting.shift();
        if (next !== undefined) running.set(next, this.#try(next));
        const ended = [...running].map(([host, attempt]) => attempt.then((result) => ({ host, result })));
        const patience = waiting.length > 0 ? [this.#patience()] : [];
        const first = await Promise.race([...ended, ...patience]);
        if (first === undefined) continue;
        running.delete(first.host);
        this.#remember(first.host, first.result);
        yield first.result;
      }
    } finally {
      for (const attempt of running.values()) void attempt.then((late) => closeAll([late]));
    }
  }

  async #patience(): Promise<undefined> {
    await delay(this.#limits.nextHostMs, undefined, { ref: false });
  }

  async #try(host: HostAddress): Promise<Attempt> {
    const { connectMs } = this.#limits;
    const { generation } = this;
    const client = new this.#driver.Client({
      connectionString: host.address,
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      // A machine that is gone is noticed on an idle connection too.
      keepAliveInitialDelayMillis: connectMs,
      fallback_application_name: "holdfast",
      types: { getTypeParser: (oid: number, format?: string) => parserFor(this.#driver, oid, format) },
    });
    // The statement that meets the error reports it.
    client.on("error", () => undefined);
    let isUnreplicated = false;
    client.on("notice", ({ code, severity }) => {
      if (code === "01000" && severity === "WARNING") isUnreplicated = true;
    });
    const late = setTimeout(() => void client.end(), connectMs);
    try {
      await client.connect();
      const { rows } = await client.query(firstQuery, []);
      const isPrimary = (rows[0] as { writes?: unknown } | undefined)?.writes === true;
      const openedAt = performance.now();
      const connection = { client, isPrimary, openedAt, generation, isUnreplicated: () => isUnreplicated };
      return { kind: "open", connection };
    } catch (error) {
      void client.end();
      return { kind: "failed", host: host.name, error };
    } finally {
      clearTimeout(late);
    }
  }

  #remember(host: HostAddress, attempt: Attempt): void {
    const others = this.#hosts.filter((other) => other !== host);
    if (attempt.kind === "failed") this.#hosts = [...others, host];
    else if (attempt.connection.isPrimary) this.#hosts = [host, ...others];
  }

  #failureOf(attempts: readonly Attempt[]): DatabaseAway {
    const failed = attempts.filter((attempt) => attempt.kind === "failed");
    const reasons = failed.map(({ host, error }) => `${host}: ${messageOf(error)}`);
    const readers = attempts.length - failed.length;
    if (readers > 0)
      return new DatabaseAway(
        "read-only",
        [`No server takes writes; ${readers} can be read`, ...reasons].join("; "),
        failed[0]?.error,
      );
    // A server that answers with a reason says more than one that does not answer.
    const problems = failed.map(({ error }) => storeProblemOf(error) ?? "refused");
    const problem = problems.find((one) => one !== "unreachable" && one !== "refused") ?? problems[0] ?? "unreachable";
    return new DatabaseAway(problem, `No connection to the database: ${reasons.join("; ")}`, failed[0]?.error);
  }
}

/** A server that lacks something is left alone for longer. */
export function backOffFor(
  problem: StoreProblem,
  limits: PostgresLimits,
): { readonly firstMs: number; readonly longestMs: number } {
  return lacksRoom(problem)
    ? { firstMs: limits.fullRetryMs, longestMs: limits.longestFullRetryMs }
    : { firstMs: limits.retryMs, longestMs: limits.longestRetryMs };
}

export function lacksRoom(problem: StoreProblem): boolean {
  return problem === "out-of-space" || problem === "out-of-memory" || problem === "too-many-connections";
}

function connectedAt(pace: Pace, connection: HostConnection): HostConnection {
  pace.backOff.succeeded();
  pace.lastError = undefined;
  return connection;
}

function closeAll(attempts: readonly Attempt[]): void {
  for (const attempt of attempts) if (attempt.kind === "open") void attempt.connection.client.end();
}
