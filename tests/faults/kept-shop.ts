import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  globSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { root } from "../../scripts/root.js";
import { authorsEnvironment } from "../kit/authors-environment.ts";
import { freePort } from "../kit/free-ports.ts";
import { application, buildApp } from "../kit/index.ts";

/**
 * Each order is a synced line in a file that the framework does not know. `before` and `after` are pauses around it, in
 * milliseconds: a process that is killed in one of them has begun the order, and has placed it or not.
 */
const files = {
  "package.json": '{ "type": "module", "private": true }',
  "src/pages/index.tsx": "export default function Home() { return <h1>Shop</h1>; }",
  "src/pages/index.server.ts": `
    import { createHash } from "node:crypto";
    import { appendFileSync, existsSync } from "node:fs";
    import { setTimeout as wait } from "node:timers/promises";
    import { action } from "holdfast/server";

    const orders = process.env.ORDERS ?? "";
    const note = (text: string) => appendFileSync(orders, text + "\\n", { flush: true });
    const isMended = () => existsSync(orders + ".mended");

    export const actions = {
      order: action({
        timeout: 2,
        uploads: true,
        keeps: { identity: ({ headers }) => ({ customer: headers.get("customer") ?? "" }) },
      }, async ({ input, identity, visit }) => {
        if (!(input instanceof FormData)) throw new TypeError("A form is needed.");
        const [number, how] = [Number(input.get("number")), input.get("how")];
        note("begun " + number + (visit ? " visit" : " later"));
        await wait(Number(input.get("before")));
        // Before the fix, some fail again when an operator runs them.
        if (how === "throws" && !isMended() && (visit || number % 5 === 0)) throw new Error("The stock is unknown.");
        // Longer than its time, whatever its signal says.
        if (how === "late" && visit) await wait(2_500);
        const file = input.get("file");
        const text = [input.get("text"), file instanceof File ? await file.text() : "", identity.customer].join();
        note("ordered " + number + " " + createHash("sha256").update(text).digest("hex"));
        await wait(Number(input.get("after")));
      }),
    };
  `,
};

const next = { ...files, "src/pages/index.tsx": "export default function Home() { return <h1>The next shop</h1>; }" };

/** In memory: full at once, and large enough for the reports of a long run. */
const ownDisk = 'mount -t tmpfs -o size=256m none "$0" && echo ready && exec sleep 100000';
const stopsWithinMs = 20_000;
const startsWithinMs = 60_000;

/** What the shop's handlers have written down about one order. */
export interface Noted {
  /** Runs that a visitor's request has begun. */
  byVisit: number;
  /** Runs that an operator has begun. */
  later: number;
  /** The hash of what was ordered, once for each time. */
  ordered: string[];
}

/** A shop with two workers whose orders are kept, and everything that may happen to it. */
export class KeptShop implements AsyncDisposable {
  readonly url: string;
  readonly hasOwnDisk: boolean;
  readonly #folder = mkdtempSync(join(tmpdir(), "holdfast-kept-shop-"));
  readonly #data: string;
  readonly #orders = join(this.#folder, "orders");
  readonly #builds: readonly string[];
  readonly #disk: ChildProcess | undefined;
  #deployed = 0;
  #server: ChildProcess | undefined;
  #log = "";

  private constructor(builds: readonly string[], port: number, disk: ChildProcess | undefined, data: string) {
    this.#builds = builds;
    this.url = `http://127.0.0.1:${port}`;
    this.#disk = disk;
    this.hasOwnDisk = disk !== undefined;
    this.#data = data;
  }

  static async open(): Promise<KeptShop> {
    const builds = [application(files), application(next)];
    for (const build of builds) await buildApp(build);
    const data = mkdtempSync(join(tmpdir(), "holdfast-kept-data-"));
    const shop = new KeptShop(builds, await freePort(), await diskAt(data), data);
    await shop.start();
    return shop;
  }

  get log(): string {
    return this.#log;
  }

  async start(): Promise<void> {
    const folder = join(root, this.#builds[this.#deployed % 2] ?? "");
    const child = this.#run(["start", folder, "--workers", "2"]);
    this.#server = child;
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#log = (this.#log + text).slice(-20_000);
      });
    const until = performance.now() + startsWithinMs;
    while (performance.now() < until) {
      if (child.exitCode !== null) break;
      if (
        await fetch(`${this.url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        )
      )
        return;
      await wait(20);
    }
    throw new Error(`The shop did not start:\n${this.#log}`);
  }

  /** As a deploy does it: running actions may end. */
  async stop(): Promise<void> {
    await this.#end("SIGTERM", []);
  }

  /** As a machine that loses its memory: all processes at once, in the middle of anything. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL", this.#workers());
  }

  async deploy(): Promise<void> {
    await this.stop();
    this.#deployed += 1;
    await this.start();
  }

  /** Its other worker goes on, and another takes its place. */
  killWorker(random: number): void {
    const workers = this.#workers();
    const pid = workers[Math.floor(random * workers.length)];
    if (pid !== undefined) killNow(pid);
  }

  /** Runs `holdfast kept`. `killAfterMs`: the operator's process is killed as well. */
  async kept(args: readonly string[], killAfterMs?: number): Promise<string> {
    const folder = join(root, this.#builds[this.#deployed % 2] ?? "");
    const child = this.#run(["kept", ...args, "--app", folder, "--data", this.#data]);
    let log = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        log += text;
      });
    const ended = once(child, "close");
    if (killAfterMs !== undefined) {
      await Promise.race([ended, wait(killAfterMs)]);
      child.kill("SIGKILL");
    }
    await ended;
    return log;
  }

  /** The application's error is corrected. */
  mend(): void {
    writeFileSync(`${this.#orders}.mended`, "");
  }

  /** Nothing more fits on the disk until the returned function is called. */
  fillDisk(): () => void {
    if (!this.hasOwnDisk) return () => undefined;
    const filler = join(this.dataFolder, "filler");
    const handle = openSync(filler, "w");
    for (const block of [Buffer.alloc(1_048_576), Buffer.alloc(4_096)])
      try {
        while (writeSync(handle, block) === block.length);
      } catch {
        // It is full.
      }
    closeSync(handle);
    return () => rmSync(filler);
  }

  /** The data folder, as this process reaches it. */
  get dataFolder(): string {
    return this.#disk ? join("/proc", String(this.#disk.pid), "root", this.#data) : this.#data;
  }

  /** As after half a minute: no process says any more that it is alive. */
  letLeasesEnd(): void {
    const folder = join(this.dataFolder, "kept");
    for (const name of readdirSync(folder)) if (/\.(?:kept|arriving)$/.test(name)) utimesSync(join(folder, name), 1, 1);
  }

  /** Files of the data folder that contain the text. */
  filesWith(text: string): string[] {
    const paths = globSync("**", { cwd: this.dataFolder, withFileTypes: true }).filter((one) => one.isFile());
    return paths
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => readFileSync(path).includes(text));
  }

  /** Files in which submissions are kept, complete or not. */
  keptFiles(): string[] {
    return readdirSync(join(this.dataFolder, "kept")).filter((name) => /\.(?:kept|arriving)$/.test(name));
  }

  noted(): Map<number, Noted> {
    const all = new Map<number, Noted>();
    if (!existsSync(this.#orders)) return all;
    for (const line of readFileSync(this.#orders, "utf8").split("\n").slice(0, -1)) {
      const [what, number, detail = ""] = line.split(" ");
      const noted = all.get(Number(number)) ?? { byVisit: 0, later: 0, ordered: [] };
      if (what === "ordered") noted.ordered.push(detail);
      else if (detail === "visit") noted.byVisit += 1;
      else noted.later += 1;
      all.set(Number(number), noted);
    }
    return all;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    this.#disk?.kill("SIGKILL");
    for (const folder of [this.#folder, this.#data]) rmSync(folder, { recursive: true, force: true });
  }

  async #end(signal: "SIGTERM" | "SIGKILL", others: readonly number[]): Promise<void> {
    const child = this.#server;
    this.#server = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    for (const pid of others) killNow(pid);
    const isInTime = await Promise.race([gone.then(() => true), wait(stopsWithinMs, false, { ref: false })]);
    if (isInTime) return;
    child.kill("SIGKILL");
    await gone;
    throw new Error(`The shop did not stop:\n${this.#log}`);
  }

  #workers(): number[] {
    const { stdout } = spawnSync("pgrep", ["-P", String(this.#server?.pid ?? 0)], { encoding: "utf8" });
    return stdout.split("\n").filter(Boolean).map(Number);
  }

  #run(args: readonly string[]): ChildProcess {
    const command = [process.execPath, join(root, "bin/holdfast.js"), ...args];
    const enter = ["nsenter", "-t", String(this.#disk?.pid), "-U", "-m", "--preserve-credentials"];
    const [program = "", ...rest] = this.#disk ? [...enter, ...command] : command;
    const env = {
      ...authorsEnvironment(),
      HOST: "127.0.0.1",
      PORT: new URL(this.url).port,
      HOLDFAST_DATA: this.#data,
      HOLDFAST_DRAIN_SECONDS: "0",
      // Not in the data folder, so that it holds nothing that opens what it keeps.
      HOLDFAST_SECRET: "the secret of the shop, which lies elsewhere",
      ORDERS: this.#orders,
    };
    return spawn(program, rest, { cwd: root, env });
  }
}

/** Linux gives a process a separate disk, which lives as long as it. Elsewhere the disk is never full. */
async function diskAt(folder: string): Promise<ChildProcess | undefined> {
  const child = spawn("unshare", ["-rm", "sh", "-c", ownDisk, folder]);
  child.on("error", () => undefined);
  const isReady = await Promise.race([
    once(child.stdout, "data").then(() => true),
    once(child, "close").then(() => false),
  ]);
  return isReady ? child : undefined;
}

function killNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
