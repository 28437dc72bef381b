import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { environmentForApt } from "../../scripts/debian-packages.js";
import { findPostgres } from "../../scripts/find-postgres.js";
import { freePorts } from "./free-ports.ts";

/** Three PostgreSQL nodes under Patroni with one etcd, on loopback. Commits wait for a standby; Patroni fails over. */
export interface TestCluster extends AsyncDisposable {
  /** Names all three nodes. */
  readonly address: string;
  /** Ends the leader with everything that belongs to it, as a lost machine would. Resolves when another node leads. */
  killLeader(): Promise<{ failoverMs: number }>;
  /** Starts the killed node again. Resolves when all three replicate. */
  revive(): Promise<void>;
}

interface Node {
  readonly name: string;
  readonly port: number;
  readonly api: number;
  readonly data: string;
  readonly config: string;
  patroni: ChildProcess | undefined;
}

/** Starting a node copies the whole database, and failover takes 20 s, Patroni's shortest. */
const patienceMs = 180_000;
const lookMs = 50;

export async function startCluster(): Promise<TestCluster> {
  const bin = requirePrograms();
  const user = userOf("postgres");
  const folder = mkdtempSync(join(tmpdir(), "holdfast-cluster-"));
  chownSync(folder, user.uid, user.gid);
  chmodSync(folder, 0o755);
  const ports = await freePorts(8);
  const [client = 0, peer = 0] = ports.slice(6);
  const nodes: Node[] = ["a", "b", "c"].map((name, at) => ({
    name,
    port: ports[at] ?? 0,
    api: ports[at + 3] ?? 0,
    data: join(folder, name),
    config: join(folder, `${name}.yml`),
    patroni: undefined,
  }));
  const etcd = startEtcd(folder, client, peer);
  for (const node of nodes) {
    // JSON is YAML.
    writeFileSync(node.config, JSON.stringify(configOf({ node, nodes, folder, bin, etcd: client })));
    chownSync(node.config, user.uid, user.gid);
  }
  const start = (node: Node): void => {
    const log = openSync(join(folder, `${node.name}.log`), "a");
    node.patroni = spawn("patroni", [node.config], { cwd: folder, stdio: ["ignore", log, log], ...user });
  };
  const leader = async (): Promise<Node | undefined> => {
    for (const node of nodes) if (await answers(`http://127.0.0.1:${node.api}/leader`)) return node;
    return undefined;
  };
  const replicating = async (): Promise<boolean> => {
    const text = await fetch(`http://127.0.0.1:${(await leader())?.api}/cluster`).then((one) => one.text(), String);
    // Without a node that has every commit, none may take over.
    return [...text.matchAll(/"state": "(?:running|streaming)"/g)].length === nodes.length && /sync_standby/.test(text);
  };
  let killed: Node | undefined;
  const cluster: TestCluster = {
    address: `postgres://holdfast:holdfast@${nodes.map(({ port }) => `127.0.0.1:${port}`).join(",")}/holdfast`,
    async killLeader() {
      const node = await leader();
      if (node === undefined) throw new Error("No node leads.");
      const begun = performance.now();
      killNode(node);
      killed = node;
      await until("another node leads", async () => ![undefined, node].includes(await leader()));
      return { failoverMs: Math.round(performance.now() - begun) };
    },
    async revive() {
      if (killed !== undefined) start(killed);
      await until("all nodes replicate", replicating);
    },
    async [Symbol.asyncDispose]() {
      for (const node of nodes) killNode(node);
      etcd.kill("SIGKILL");
      await once(etcd, "exit").catch(() => undefined);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  try {
    const [first, ...others] = nodes;
    if (first) start(first);
    await until("the first node leads", async () => (await leader()) !== undefined);
    for (const node of others) start(node);
    await until("all nodes replicate", replicating);
    await createDatabase(first?.port ?? 0, bin);
    return cluster;
  } catch (error) {
    const logs = nodes.map(({ name }) => readFileSync(join(folder, `${name}.log`), "utf8").slice(-1_000));
    await cluster[Symbol.asyncDispose]();
    throw new Error(`The cluster did not start: ${error}\n${logs.join("\n")}`);
  }
}

interface ConfigDeps {
  readonly node: Node;
  readonly nodes: readonly Node[];
  readonly folder: string;
  readonly bin: string;
  readonly etcd: number;
}

/** The times are the shortest that Patroni accepts. */
function configOf({ node, folder, bin, etcd }: ConfigDeps): object {
  const api = `127.0.0.1:${node.api}`;
  const own = `127.0.0.1:${node.port}`;
  const login = (name: string): object => ({ username: name, password: name });
  return {
    scope: "holdfast",
    name: node.name,
    restapi: { listen: api, connect_address: api },
    etcd3: { host: `127.0.0.1:${etcd}` },
    bootstrap: {
      dcs: {
        ...{ ttl: 20, loop_wait: 1, retry_timeout: 3, maximum_lag_on_failover: 0, primary_start_timeout: 0 },
        synchronous_mode: true,
        postgresql: {
          use_pg_rewind: true,
          parameters: { max_connections: 100, shared_buffers: "64MB", wal_log_hints: "on", max_wal_size: "512MB" },
        },
      },
      initdb: [{ encoding: "UTF8" }, { locale: "C.UTF-8" }, "data-checksums"],
      pg_hba: ["local all all trust", "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"],
    },
    postgresql: {
      listen: own,
      connect_address: own,
      data_dir: node.data,
      bin_dir: bin,
      pgpass: join(folder, `${node.name}.pgpass`),
      basebackup: [{ checkpoint: "fast" }],
      authentication: { superuser: login("postgres"), replication: login("replicator"), rewind: login("rewinder") },
      parameters: { unix_socket_directories: folder },
    },
  };
}

function startEtcd(folder: string, client: number, peer: number): ChildProcess {
  const [own, others] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
  const args = ["--name", "e", "--data-dir", join(folder, "etcd"), "--initial-cluster", `e=${others}`];
  for (const [name, url] of Object.entries({ client: own, peer: others })) {
    args.push(`--listen-${name}-urls`, url);
    args.push(name === "peer" ? "--initial-advertise-peer-urls" : "--advertise-client-urls", url);
  }
  return spawn("etcd", args, { stdio: "ignore" });
}

/** Ends Patroni, the postmaster and its children. */
function killNode({ patroni, data }: Node): void {
  patroni?.kill("SIGKILL");
  const postmaster = postmasterOf(data);
  if (postmaster === undefined) return;
  const children = spawnSync("pgrep", ["-P", String(postmaster)], { encoding: "utf8" })
    .stdout.trim()
    .split("\n");
  for (const pid of [postmaster, ...children.map(Number)]) {
    try {
      if (pid > 0) process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}

function postmasterOf(data: string): number | undefined {
  try {
    return Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
  } catch {
    return undefined;
  }
}

async function createDatabase(port: number, bin: string): Promise<void> {
  const statements = ["CREATE ROLE holdfast LOGIN", "CREATE DATABASE holdfast OWNER holdfast"];
  const where = ["-h", "127.0.0.1", "-p", String(port), "-U", "postgres"];
  const { status, stderr } = spawnSync(join(bin, "psql"), [...where, ...statements.flatMap((one) => ["-c", one])], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
}

/** Installs Debian's packages as root, and otherwise says what is missing. */
function requirePrograms(): string {
  const postgres = findPostgres();
  if (postgres.kind === "missing") throw new Error(postgres.why);
  const isThere = (name: string): boolean => spawnSync(name, ["--version"], { stdio: "ignore" }).error === undefined;
  const packages = ["patroni", "etcd-server"];
  if (isThere("patroni") && isThere("etcd")) return postgres.folder;
  const apt = (...args: string[]): boolean =>
    spawnSync("apt-get", args, { stdio: "inherit", env: environmentForApt(process.env) }).status === 0;
  if (process.getuid?.() !== 0 || !apt("update", "-qq") || !apt("install", "-y", "-qq", ...packages))
    throw new Error(`This test needs a cluster: run \`apt-get install ${packages.join(" ")}\` as root.`);
  return postgres.folder;
}

function userOf(name: string): { uid: number; gid: number } {
  const id = (what: string): number => Number(spawnSync("id", [what, name], { encoding: "utf8" }).stdout);
  return { uid: id("-u"), gid: id("-g") };
}

async function answers(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(1_000) }).then(
    async (response) => {
      await response.body?.cancel();
      return response.ok;
    },
    () => false,
  );
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const latest = performance.now() + patienceMs;
  while (!(await isSo())) {
    if (performance.now() > latest) throw new Error(`Waited in vain: ${what}.`);
    await wait(lookMs);
  }
}
