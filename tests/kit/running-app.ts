import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fingerprint, rememberedFingerprint } from "../../scripts/fingerprint.js";
import { root } from "../../scripts/root.js";
import { authorsEnvironment } from "./authors-environment.ts";
import { freePort } from "./free-ports.ts";

export interface AppOptions {
  /** The application's folder, relative to the repository: `tests/fixtures/shop`. */
  app: string;
  /** Folder of the application and the built package; this repository by default. */
  repository?: string;
  /** Added to the test's own variables. */
  env?: Record<string, string>;
  /** After `holdfast start FOLDER`. */
  args?: readonly string[];
}

/** Long enough for a loaded machine; the test continues as soon as the application is ready. */
const readyWithinMs = 30_000;
const stopWithinMs = 10_000;
/** Longer than any build. */
const turnEndsAfterMs = 100_000;

const command = join(root, "bin/holdfast.js");

/** Builds the application if its files have changed, starts it as a developer would, and waits until it is ready. */
export async function startApp(options: AppOptions): Promise<RunningApp> {
  await buildApp(options.app, ofBuild(options.env));
  return startBuiltApp(options);
}

/** Variables that a start alone reads: with each of their values, the same application would be built again. */
const ofStart = /^HOLDFAST_(?!COMPRESSION$)/;

function ofBuild(env: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ofStart.test(name)));
}

/** The same for a built application: several can be started, each with its own environment. */
export async function startBuiltApp(options: AppOptions): Promise<RunningApp> {
  const app = new RunningApp(options, await freePort());
  await app.start();
  return app;
}

/**
 * Runs `holdfast build`, unless neither the application nor the framework has changed since. Fails with the build's
 * output.
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
 * A lock per application: if two test files need it at the same time, one builds and the other waits. The lock of a
 * killed run expires.
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

/** Inputs of a build. The tour shows the guides. */
function sources(folder: string): string[] {
  return [folder, "src", "bin", "package.json", ...(folder === "tour" ? ["docs", "look"] : [])];
}

/** Runs the command line to its end, for tests of its output. */
export async function runHoldfast(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number | null; log: string }> {
  const child = spawn(process.execPath, [command, ...args], { cwd: root, env: { ...authorsEnvironment(), ...env } });
  const log = keepLog(child);
  const [code] = await once(child, "close");
  return { code, log: log.text };
}

/** An application in its own process. Its data is in a temporary folder that survives `restart()`. */
export class RunningApp {
  readonly url: string;
  /** `HOLDFAST_DATA`: reports, queue, everything that is stored. */
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

  /** All its output since it was first started. */
  get log(): string {
    return this.#log.text;
  }

  /** How it ended, if it was not stopped. */
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
        // No proxy checks readiness here.
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

  /** Like a deployment: it may finish pending requests. */
  async stop(): Promise<void> {
    await this.#end("SIGTERM");
    rmSync(this.dataFolder, { recursive: true, force: true });
  }

  /** Like a power cut. Its data stays for a later `start()`. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** At the same address, with its data. */
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

/** Kills the application when the test run is interrupted. */
function endWithTests(child: ChildProcess): void {
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
}
