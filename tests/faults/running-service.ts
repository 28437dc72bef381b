import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "../../scripts/root.js";
import { mebibytesOf } from "../kit/memory-of.ts";

const fromSource = [
  "--conditions=holdfast-source",
  fileURLToPath(new URL("./service-process.ts", import.meta.url)),
] as const;

/** Longer than one batch takes while two other processes use the same core. */
const stuckMs = 120_000;

/** Creates a folder for a service's data, removed when the test ends. */
export function dataFolder(): { path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), "holdfast-faults-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

export interface StartOptions {
  /** Words before the command, for example to give the process a separate disk. */
  readonly under?: readonly string[];
  /** Starts the built package, with its console and memory limits, instead of the source. */
  readonly built?: boolean;
  /** Repository of the built package. This one by default. */
  readonly repository?: string;
  /** Variables beside those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A service in a separate process. */
export class RunningService {
  readonly folder: string;
  readonly #child: ChildProcess;
  readonly #port: number;
  readonly #key: string;
  readonly #welcome: string | undefined;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  private constructor(folder: string, child: ChildProcess, port: number, key: string, welcome: string | undefined) {
    this.folder = folder;
    this.#welcome = welcome;
    this.#child = child;
    this.#port = port;
    this.#key = key;
  }

  static async start(
    folder: string,
    { under = [], built = false, env = {}, repository = root }: StartOptions = {},
  ): Promise<RunningService> {
    const program = built ? [join(repository, "bin/holdfast.js"), "service"] : fromSource;
    const words = [...under, process.execPath, ...program, "--port", "0", "--data", folder];
    const [command = "", ...args] = words;
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
    let said = "";
    child.stdout.on("data", (data: Buffer) => {
      said += data;
    });
    child.stderr.on("data", (data: Buffer) => {
      said += data;
    });
    const pattern = /http:\/\/([0-9a-f]{32})@127\.0\.0\.1:(\d+)\/1/;
    // The last line that it prints. A folder with an owner gets no welcome link.
    const entrance = /Console: http:\S+?(\/_holdfast\S*)\n/;
    while (!pattern.test(said) || (built && !entrance.test(said))) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`The service ended before it listened. It said:\n${said}`);
      await Promise.race([once(child.stdout, "data"), once(child.stderr, "data"), once(child, "exit")]);
    }
    const [, key = "", port = ""] = pattern.exec(said) ?? [];
    return new RunningService(folder, child, Number(port), key, entrance.exec(said)?.[1]);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get dsn(): string {
    return `http://${this.#key}@127.0.0.1:${this.#port}/1`;
  }

  /** Posts an envelope, retries when the service asks for it, and rejects if it is refused. */
  async deliver(envelope: Uint8Array): Promise<void> {
    for (;;) {
      const answer = await this.post("envelope/", envelope);
      if (answer.status === 200) return;
      const wait = Number(answer.headers["retry-after"]);
      if (!(wait > 0)) throw new Error(`${answer.status} ${answer.text}`);
      await new Promise((resolve) => setTimeout(resolve, wait * 1_000));
    }
  }

  /** Posts a body to an address of project 1. Rejects if the connection breaks. */
  post(address: string, body: Uint8Array | string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send("POST", `/api/1/${address}?sentry_key=${this.#key}`, body, headers);
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send("GET", path, "", headers);
  }

  /** Creates the first owner of a built service, and returns the session cookie. */
  async signIn(): Promise<string> {
    const [session = ""] = await this.signInCookies();
    return session;
  }

  /** The same, with every cookie that a browser would store. */
  async signInCookies(): Promise<string[]> {
    const form = new URLSearchParams({ email: "ada@example.org", password: "several words to remember" });
    const headers = {
      origin: `http://127.0.0.1:${this.#port}`,
      "content-type": "application/x-www-form-urlencoded",
    };
    const answer = await this.send("POST", `${this.#welcome}/_action/accept`, form.toString(), headers);
    return [answer.headers["set-cookie"] ?? []].flat().map((line) => line.split(";", 1)[0] ?? "");
  }

  send(method: string, path: string, body: Uint8Array | string, headers: Record<string, string>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const outgoing = request(
        { host: "127.0.0.1", port: this.#port, method, path, headers, agent: this.#agent },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(chunks).toString(),
            }),
          );
        },
      );
      outgoing.on("error", (error: NodeJS.ErrnoException) => {
        // The service closes idle connections. A request on one that is just being closed is repeated.
        const isClosed = error.code === "ECONNRESET" || error.code === "EPIPE";
        if (isClosed && outgoing.reusedSocket && this.isRunning) resolve(this.send(method, path, body, headers));
        else reject(error);
      });
      outgoing.end(body);
    });
  }

  /**
   * Resolves when everything acknowledged is filed. Filing has low priority and may take long; this fails when its
   * position does not advance.
   */
  async filed(): Promise<void> {
    let last = { position: -1, at: 0 };
    for (;;) {
      const { text } = await this.get("/metrics");
      const position = figureOf(text, "holdfast_filed_position");
      if (position >= figureOf(text, "holdfast_journal_end")) return;
      if (position !== last.position) last = { position, at: performance.now() };
      if (performance.now() > last.at + stuckMs) throw new Error(`Filing does not go on:\n${text}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Current memory of the process in MiB, from the operating system. */
  residentMiB(): number {
    return mebibytesOf(this.pid);
  }

  /** Peak memory of the process in MiB. */
  peakMiB(): number {
    return mebibytesOf(this.pid, "VmHWM");
  }

  async kill(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
    this.#agent.destroy();
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    if (!this.isRunning) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.isRunning) await this.kill();
  }
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Reads one figure of the metrics. */
export function figureOf(metrics: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)`, "m").exec(metrics)?.[1]);
}
