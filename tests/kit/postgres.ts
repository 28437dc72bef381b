import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPostgres } from "../../scripts/find-postgres.js";

/** A real PostgreSQL of its own, in a temporary folder, that only this process can reach. */
export interface TestPostgres extends AsyncDisposable {
  /** The folder of its socket, as `?host=` takes it. */
  readonly sockets: string;
  /** Makes a database, empty or as a copy of one without connections, and returns its address. */
  newDatabase(template?: string): Promise<string>;
  /** Runs SQL in a database, on a connection of its own. */
  run(address: string, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Starts a copy that follows this one. Needs the settings `asPrimary`. */
  startStandby(): Promise<TestStandby>;
  /** Stops it as a lost machine would: nothing is finished. */
  kill(): Promise<void>;
  /** Starts it again after `kill`. Does nothing while it runs. */
  revive(): Promise<void>;
  /** Lets it hang: connections stay, and nothing is answered. */
  pause(): void;
  resume(): void;
}

export interface TestStandby extends AsyncDisposable {
  readonly sockets: string;
  /** Resolves when it takes writes. */
  promote(): Promise<void>;
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

/** Settings of a server that standbys follow. `synchronous_standby_names` says whether its commits wait for them. */
export const asPrimary = { wal_level: "replica", max_wal_senders: "4", synchronous_commit: "remote_apply" };

export async function startPostgres(own: Readonly<Record<string, string>> = {}): Promise<TestPostgres> {
  const found = findPostgres();
  if (found.kind === "missing") throw new Error(found.why);
  const user = unprivileged();
  const folder = newFolder(user);
  const data = join(folder, "data");
  const program = (name: string, args: readonly string[]): void => {
    const ended = spawnSync(join(found.folder, name), args, { encoding: "utf8", cwd: folder, ...user });
    if (ended.status !== 0) throw new Error(`${name} failed: ${ended.stderr ?? ended.error}`);
  };
  program("initdb", [
    ...[
      "--pgdata",
      data,
      "--username",
      "holdfast",
      "--auth",
      "trust",
      "--encoding",
      "UTF8",
      "--no-locale",
      "--no-sync",
    ],
  ]);
  const start = (at: string): Promise<ChildProcess> =>
    startServer(join(found.folder, "postgres"), at, { ...settings, ...own }, user);
  let server = await start(folder);
  let databases = 0;
  return {
    sockets: folder,
    async newDatabase(template) {
      databases += 1;
      const name = `test_${databases}`;
      const from = template === undefined ? "template0" : new URL(template).pathname.slice(1);
      await withAdmin(addressOf(folder, "postgres", own.port), (admin) =>
        admin.query(`CREATE DATABASE ${name} TEMPLATE ${from}`),
      );
      return addressOf(folder, name, own.port);
    },
    async run(address, sql) {
      let rows: readonly Readonly<Record<string, unknown>>[] = [];
      await withAdmin(address, async (admin) => {
        ({ rows } = await admin.query(sql));
      });
      return rows;
    },
    async startStandby() {
      const copy = newFolder(user);
      program("pg_basebackup", ["-D", join(copy, "data"), "-h", folder, "-U", "holdfast", "-R", "-c", "fast", "-N"]);
      const standby = await start(copy);
      return {
        sockets: copy,
        async promote() {
          await withAdmin(addressOf(copy, "postgres"), (admin) => admin.query("SELECT pg_promote(true)"));
        },
        [Symbol.asyncDispose]: () => end(standby, copy),
      };
    },
    async kill() {
      const closed = once(server, "exit");
      signalAll(server, "SIGKILL");
      await closed;
    },
    async revive() {
      if (!isRunning(server)) server = await start(folder);
    },
    pause: () => signalAll(server, "SIGSTOP"),
    resume: () => signalAll(server, "SIGCONT"),
    [Symbol.asyncDispose]: () => end(server, folder),
  };
}

/** The server has a process for each connection. It comes first, so that it starts no more of them. */
function signalAll(server: ChildProcess, signal: NodeJS.Signals): void {
  server.kill(signal === "SIGKILL" ? "SIGSTOP" : signal);
  const { stdout } = spawnSync("pgrep", ["-P", String(server.pid)], { encoding: "utf8" });
  for (const child of stdout.split("\n").filter((line) => line !== "")) {
    try {
      process.kill(Number(child), signal);
    } catch {
      // It has ended meanwhile.
    }
  }
  if (signal === "SIGKILL") server.kill(signal);
}

async function end(server: ChildProcess, folder: string): Promise<void> {
  await stopped(server);
  rmSync(folder, { recursive: true, force: true });
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

/** At once: nothing of it is needed any more. */
async function stopped(server: ChildProcess): Promise<void> {
  if (!isRunning(server)) return;
  const closed = once(server, "exit");
  server.kill("SIGQUIT");
  await closed;
}

export function newFolder(user: { uid: number; gid: number } | undefined): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-pg-"));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  chmodSync(folder, 0o755);
  return folder;
}

async function startServer(
  program: string,
  folder: string,
  all: Readonly<Record<string, string>>,
  user: { uid: number; gid: number } | undefined,
): Promise<ChildProcess> {
  const options = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = spawn(program, ["-D", join(folder, "data"), "-k", folder, ...options], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
    ...user,
  });
  await isReady(server);
  return server;
}

function addressOf(folder: string, database: string, port = "5432"): string {
  return `postgres://holdfast@localhost:${port}/${database}?host=${encodeURIComponent(folder)}`;
}

interface Admin {
  connect(): Promise<void>;
  query(sql: string): Promise<{ rows: readonly Readonly<Record<string, unknown>>[] }>;
  end(): Promise<void>;
}

async function withAdmin(address: string, work: (admin: Admin) => Promise<unknown>): Promise<void> {
  // `pg` has no types of its own.
  const name: string = "pg";
  const { default: driver } = (await import(name)) as {
    default: { Client: new (options: { connectionString: string }) => Admin };
  };
  const admin = new driver.Client({ connectionString: address });
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
    if (/database system is ready to accept (?:read-only )?connections/.test(said)) {
      server.stderr?.on("data", () => undefined);
      server.stderr?.resume();
      return;
    }
  }
  throw new Error(`PostgreSQL did not start: ${said}`);
}

/** PostgreSQL and pgbouncer refuse to run as root. */
export function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ["postgres", "nobody"]) {
    const [uid, gid] = ["-u", "-g"].map((what) => Number(spawnSync("id", [what, name], { encoding: "utf8" }).stdout));
    if (uid && gid) return { uid, gid };
  }
  throw new Error("PostgreSQL does not run as root, and there is neither a user `postgres` nor a user `nobody`.");
}
