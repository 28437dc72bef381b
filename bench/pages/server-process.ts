import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { get } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../kit/free-port.ts";
import { memoryOf } from "../kit/measured-process.ts";
import { environment, fill, type Prepared } from "./prepare.ts";

/** A contender that is built. */
export type Startable = Pick<Prepared, "contender" | "folder">;

/** A server that has not answered by then does not answer. */
const startWithinMs = 60_000;

/** A contender's server, on its own core if the machine has two. */
export class ServerProcess {
  readonly port: number;
  readonly url: string;
  startMs = 0;
  readonly #child: ChildProcess;

  constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** Resolves with the first response of status 200. Rejects without one, and then leaves no process. */
  static async start({ contender, folder }: Startable, cores: "first" | "any" = "first") {
    const port = await freePort();
    const startedAt = performance.now();
    const begin = cores === "first" ? pin(0) : [];
    const [program = "", ...args] = [...begin, ...contender.start.map((word) => fill(word, port))];
    const child = spawn(program, args, { cwd: folder, env: environment(contender, port), stdio: "ignore" });
    const server = new ServerProcess(child, port);
    while (!(await server.#answers())) {
      if (child.exitCode !== null)
        throw new Error(`${contender.title} ended with ${child.exitCode} before it answered.`);
      if (performance.now() - startedAt > startWithinMs) {
        await server.stop();
        throw new Error(`${contender.title} did not answer within ${startWithinMs / 1000} s.`);
      }
      await wait(2);
    }
    server.startMs = performance.now() - startedAt;
    return server;
  }

  /** Processor time of the process and its children so far, in microseconds. */
  processorMicros(): number {
    return this.#tree().reduce((sum, pid) => sum + ticksOf(pid) * 10_000, 0);
  }

  /** Processor time of its own threads alone, but precise: the clock of `processorMicros` ticks every 10 ms. */
  processorMs(): number {
    const threads = `/proc/${this.#child.pid}/task`;
    const nanos = readdirSync(threads).map((thread) =>
      Number(readFileSync(`${threads}/${thread}/schedstat`, "utf8").split(" ")[0]),
    );
    return nanos.reduce((sum, one) => sum + one, 0) / 1e6;
  }

  /** Waits for 600 ms with next to no processor time; longer than filing waits for a batch to fill. */
  async atRest(): Promise<void> {
    const giveUpAt = performance.now() + 60_000;
    for (let calm = 0; calm < 3; ) {
      if (performance.now() > giveUpAt) throw new Error("The server was busy for a minute without a request.");
      const before = this.processorMicros();
      await wait(200);
      calm = this.processorMicros() - before <= 10_000 ? calm + 1 : 0;
    }
  }

  residentMegabytes(which: "VmRSS" | "VmHWM"): number {
    return this.#tree().reduce((sum, pid) => sum + memoryOf(pid, which), 0);
  }

  async stop(): Promise<void> {
    const gone = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await Promise.race([gone, wait(8_000).then(() => this.#child.kill("SIGKILL"))]);
    await gone;
  }

  #answers(): Promise<boolean> {
    return new Promise((resolve) => {
      get(`${this.url}/`, (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200);
      }).on("error", () => resolve(false));
    });
  }

  #tree(): number[] {
    const all = [this.#child.pid ?? 0];
    for (const pid of all) {
      const list = `/proc/${pid}/task/${pid}/children`;
      if (existsSync(list)) all.push(...readFileSync(list, "utf8").trim().split(" ").filter(Boolean).map(Number));
    }
    return all;
  }
}

/** The server runs on the first core and the load on the second, so that neither takes the other's time. */
export function pin(core: number): string[] {
  return existsSync("/usr/bin/taskset") ? ["taskset", "-c", String(core)] : [];
}

function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return Number(fields[11]) + Number(fields[12]);
}
