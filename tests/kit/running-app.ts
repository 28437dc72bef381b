import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fingerprint, rememberedFingerprint } from "../../scripts/fingerprint.js";
import { root } from "../../scripts/root.js";
import { authorsEnvironment } from "./authors-environment.ts";

export interface AppOptions {
  /** The application's folder, relative to the repository: `tests/fixtures/shop`. */
  app: string;
  /** Where the application and the built package lie; without it, this repository. */
  repository?: string;
  /** Added to the test's own. */
  env?: Record<string, string>;
  /** After `holdfast start FOLDER`. */
  args?: readonly string[];
}

/** Long enough for a loaded machine; an application that is up sooner is used sooner. */
const readyWithinMs = 30_000;
const stopWithinMs = 10_000;
/** No build takes as long. */
const turnEndsAfterMs = 100_000;

const command = join(root, "bin/holdfast.js");

/** Builds the application where its files changed, starts it as its author would, and waits until it is ready. */
export async function startApp(options: AppOptions): Promise<RunningApp> {
  await buildApp(options.app, options.env);
  return startBuiltApp(options);
}

/** The same for one that is built: several of it may be started, each with its own environment. */
export async function startBuiltApp(options: AppOptions): Promise<RunningApp> {
  const app = new RunningApp(options, await freePort());
  await app.start();
  return app;
}

/**
 * `holdfast build`, unless neither the application nor the framework has changed since. Fails with what the build said.
 */
export async function buildApp(folder: string, env: Record<string, string> = {}): Promise<void> {
  const path = resolve(root, folder);
  const name = `built-${path.replaceAll(/\W+/g, "-")}`;
  await using _turn = await turnFor(name);
  const current = fingerprint(sources(folder)) + JSON.stringify(env);
  const last = rememberedFingerprint(name);
  if (existsSync(join(path, "dist")) && last.matches(current)) return;
  const { code, log } = await runHoldfast(["build", path], env);
  if (code !== 0) throw new Error(`\`holdfast build ${folder}\` ended with ${code}:\n${log}`);
  last.remember(fingerprint(sources(folder)) + JSON.stringify(env));
}

/**
 * Two test files may want the same application at the same time: one builds it, the other waits. A turn of a run that
 * was killed ends by itself.
 */
async function turnFor(name: string): Promise<AsyncDisposable> {
  const sign = join(root, "node_modules/.cache/holdfast", `${name}.turn`);
  mkdirSync(dirname(sign), { recursive: true });
  while (!takes(sign)) await wait(50);
  return { [Symbol.asyncDispose]: async () => rmSync(sign, { recursive: true, force: true }) };
}

function takes(sign: string): boolean {
  try {
    mkdirSync(sign);
    return true;
  } catch {
    const since = statSync(sign, { throwIfNoEntry: false })?.mtimeMs;
    if (since !== undefined && Date.now() - since > turnEndsAfterMs) rmSync(sign, { recursive: true, force: true });
    return false;
  }
}

/** What decides how an application comes out. The tour shows the guides. */
function sources(folder: string): string[] {
  return [folder, "src", "bin", "package.json", ...(folder === "tour" ? ["docs", "look"] : [])];
}

/** The command line to its end, for tests about what it says. */
export async function runHoldfast(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number | null; log: string }> {
  const child = spawn(process.execPath, [command, ...args], { cwd: root, env: { ...authorsEnvironment(), ...env } });
  const log = keepLog(child);
  const [code] = await once(child, "close");
  return { code, log: log.text };
}

/**
 * An application in a process of its own. What it needs to keep lies in a temporary folder that survives `restart()`.
 */
export class RunningApp {
  readonly url: string;
  /** `HOLDFAST_DATA`: reports, spool, everything that is kept. */
  readonly dataFolder = mkdtempSync(join(tmpdir(), "holdfast-data-"));
  readonly #options: AppOptions;
  #child: ChildProcess | undefined;
  #log = { text: "" };
  #wanted: "up" | "down" = "down";
  #crash: string | undefined;

  constructor(options: AppOptions, port: number) {
    this.#options = options;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** Everything it has said since it was first started. */
  get log(): string {
    return this.#log.text;
  }

  /** How it ended, if nobody had asked it to. */
  get crash(): string | undefined {
    return this.#crash;
  }

  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error("The application is not running.");
    return this.#child.pid;
  }

  async start(): Promise<void> {
    this.#wanted = "up";
    const { app, args = [], env, repository = root } = this.#options;
    const words = [join(repository, "bin/holdfast.js"), "start", resolve(repository, app), ...args];
    const child = spawn(process.execPath, words, {
      cwd: repository,
      env: {
        ...authorsEnvironment(),
        HOST: "127.0.0.1",
        PORT: new URL(this.url).port,
        HOLDFAST_DATA: this.dataFolder,
        // No proxy asks here whether the application is ready.
        HOLDFAST_DRAIN_SECONDS: "0",
        ...env,
      },
    });
    this.#child = child;
    keepLog(child, this.#log);
    child.on("exit", (code, signal) => {
      if (this.#wanted === "up") this.#crash = `The application ended by itself (${signal ?? code}).`;
      this.#child = undefined;
    });
    endWithTests(child);
    await this.#ready();
  }

  /** As a deployment would end it: it may finish what is under way. */
  async stop(): Promise<void> {
    await this.#end("SIGTERM");
    rmSync(this.dataFolder, { recursive: true, force: true });
  }

  /** As a power cut would end it. What it kept stays for a later `start()`. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** At the same address, with what it kept. */
  async restart(): Promise<void> {
    await this.#end("SIGTERM");
    await this.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    this.#wanted = "down";
    const child = this.#child;
    if (!child) return;
    const gone = once(child, "exit");
    child.kill(signal);
    const inTime = await Promise.race([gone.then(() => true), wait(stopWithinMs, false, { ref: false })]);
    if (inTime) return;
    child.kill("SIGKILL");
    await gone;
    throw new Error(`The application did not stop within ${stopWithinMs} ms of ${signal}:\n${this.log}`);
  }

  async #ready(): Promise<void> {
    const deadline = performance.now() + readyWithinMs;
    while (performance.now() < deadline) {
      if (!this.#child) throw new Error(`The application ended before it was ready:\n${this.log}`);
      const status = await fetch(`${this.url}/readyz`).then(
        (answer) => answer.status,
        () => "not listening yet",
      );
      if (status === 200) return;
      await wait(20);
    }
    await this.kill();
    throw new Error(`The application was not ready after ${readyWithinMs} ms:\n${this.log}`);
  }
}

function keepLog(child: ChildProcess, log = { text: "" }): { text: string } {
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      log.text += text;
    });
  }
  return log;
}

/** A test run that is broken off leaves no application behind. */
function endWithTests(child: ChildProcess): void {
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("The system gave no port.");
  return address.port;
}
