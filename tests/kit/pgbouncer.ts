import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findPgbouncer } from "../../scripts/find-postgres.js";
import { newFolder, type TestPostgres, unprivileged } from "./postgres.ts";

/** A real pgbouncer in transaction mode in front of a PostgreSQL of the tests. */
export interface TestPooler extends AsyncDisposable {
  /** The address of the same database through the pooler. */
  through(address: string): string;
  kill(): Promise<void>;
  revive(): Promise<void>;
}

const port = 6432;

/** With fewer connections to the server than clients have, so that each client gets another one all the time. */
export async function startPgbouncer(postgres: TestPostgres, serverConnections: number): Promise<TestPooler> {
  const found = findPgbouncer();
  if (found.kind === "missing") throw new Error(found.why);
  const user = unprivileged();
  const folder = newFolder(user);
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(
    file,
    `[databases]
* = host=${postgres.sockets} port=5432 user=holdfast
[pgbouncer]
listen_addr =
listen_port = ${port}
unix_socket_dir = ${folder}
auth_type = any
pool_mode = transaction
default_pool_size = ${serverConnections}
max_client_conn = 200
`,
  );
  const start = async (): Promise<ChildProcess> => {
    const pooler = spawn(found.path, [file], { cwd: folder, stdio: ["ignore", "ignore", "pipe"], ...user });
    await isUp(pooler);
    return pooler;
  };
  let pooler = await start();
  const kill = async (): Promise<void> => {
    if (pooler.exitCode !== null || pooler.signalCode !== null) return;
    const ended = once(pooler, "exit");
    pooler.kill("SIGKILL");
    await ended;
    // Without it a new one takes the old one for alive.
    rmSync(join(folder, `.s.PGSQL.${port}`), { force: true });
  };
  return {
    through: (address) => `postgres://holdfast@localhost:${port}${new URL(address).pathname}?host=${folder}`,
    kill,
    async revive() {
      pooler = await start();
    },
    async [Symbol.asyncDispose]() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function isUp(pooler: ChildProcess): Promise<void> {
  let said = "";
  for await (const chunk of pooler.stderr ?? []) {
    said += String(chunk);
    if (!said.includes("process up")) continue;
    pooler.stderr?.on("data", () => undefined);
    pooler.stderr?.resume();
    return;
  }
  throw new Error(`pgbouncer did not start: ${said}`);
}
