import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPostgres } from "../../scripts/find-postgres.js";

/** A real PostgreSQL of its own, in a temporary folder, that only this process can reach. */
export interface TestPostgres extends AsyncDisposable {
  /** Makes a database, empty or as a copy of one without connections, and returns its address. */
  newDatabase(template?: string): Promise<string>;
}

// Tests lose nothing that they need when the machine fails. Autovacuum would hold back what is followed live.
const settings = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  autovacuum: "off",
  max_connections: "200",
  max_wal_senders: "0",
  wal_level: "minimal",
  checkpoint_timeout: "1h",
  max_wal_size: "4GB",
  shared_buffers: "64MB",
  listen_addresses: "",
};

export async function startPostgres(): Promise<TestPostgres> {
  const found = findPostgres();
  if (found.kind === "missing") throw new Error(found.why);
  const folder = mkdtempSync(join(tmpdir(), "holdfast-pg-"));
  const user = unprivileged();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  chmodSync(folder, 0o755);
  const data = join(folder, "data");
  const made = spawnSync(
    join(found.folder, "initdb"),
    ["--pgdata", data, "--username", "holdfast", "--auth", "trust", "--encoding", "UTF8", "--no-locale", "--no-sync"],
    { encoding: "utf8", cwd: folder, ...user },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr ?? made.error}`);
  const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = spawn(join(found.folder, "postgres"), ["-D", data, "-k", folder, ...options], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
    ...user,
  });
  await isReady(server);
  let databases = 0;
  return {
    async newDatabase(template) {
      databases += 1;
      const name = `test_${databases}`;
      const from = template === undefined ? "template0" : new URL(template).pathname.slice(1);
      await withAdmin(folder, (admin) => admin.query(`CREATE DATABASE ${name} TEMPLATE ${from}`));
      return addressOf(folder, name);
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, "exit");
      // At once: nothing of it is needed any more.
      server.kill("SIGQUIT");
      await closed;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function addressOf(folder: string, database: string): string {
  return `postgres://holdfast@localhost/${database}?host=${encodeURIComponent(folder)}`;
}

interface Admin {
  connect(): Promise<void>;
  query(sql: string): Promise<unknown>;
  end(): Promise<void>;
}

async function withAdmin(folder: string, work: (admin: Admin) => Promise<unknown>): Promise<void> {
  // `pg` has no types of its own.
  const name: string = "pg";
  const { default: driver } = (await import(name)) as {
    default: { Client: new (options: { connectionString: string }) => Admin };
  };
  const admin = new driver.Client({ connectionString: addressOf(folder, "postgres") });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

async function isReady(server: ChildProcess): Promise<void> {
  let said = "";
  for await (const chunk of server.stderr ?? []) {
    said += String(chunk);
    if (said.includes("database system is ready to accept connections")) {
      server.stderr?.on("data", () => undefined);
      server.stderr?.resume();
      return;
    }
  }
  throw new Error(`PostgreSQL did not start: ${said}`);
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ["postgres", "nobody"]) {
    const [uid, gid] = ["-u", "-g"].map((what) => Number(spawnSync("id", [what, name], { encoding: "utf8" }).stdout));
    if (uid && gid) return { uid, gid };
  }
  throw new Error("PostgreSQL does not run as root, and there is neither a user `postgres` nor a user `nobody`.");
}
