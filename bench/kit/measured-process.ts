import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

export interface Figures {
  /** CPU time of all threads since the start, in microseconds. */
  readonly cpu: number;
  readonly rss: number;
  /** Number of stored events, if it stores any. */
  readonly filed: number;
}

/** A server in its own process that reports its figures on request. */
export interface MeasuredProcess {
  readonly port: number;
  /** Of its first project. */
  readonly key: string;
  /** Of all its projects. */
  readonly keys: readonly string[];
  readonly pid: number;
  /** Resolves after everything that was acknowledged is also filed. */
  figures(): Promise<Figures>;
  /** Its peak memory, in MB. */
  peakMemory(): number;
  stop(): void;
}

export async function startMeasured(program: URL, args: readonly string[]): Promise<MeasuredProcess> {
  const child = fork(program, args, { execArgv: ["--conditions=holdfast-source"] });
  const [{ port, keys }] = await once(child, "message");
  const pid = child.pid ?? 0;
  return {
    port,
    key: keys[0],
    keys,
    pid,
    figures: () => figuresOf(child),
    peakMemory: () => memoryOf(pid, "VmHWM"),
    stop: () => child.disconnect(),
  };
}

async function figuresOf(child: ChildProcess): Promise<Figures> {
  child.send("figures");
  const [figures] = await once(child, "message");
  return figures;
}

/** Memory of a process as the operating system counts it, in MB. */
export function memoryOf(pid: number, field: "VmRSS" | "VmHWM"): number {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return (Number(kilobytes) * 1_024) / 1e6;
}

/** The server's side: reports the port, sends figures when all work is done, and ends with the parent. */
export function beMeasured(options: {
  port: number;
  keys: readonly string[];
  settled?: () => Promise<void>;
  filed?: () => number;
  end: () => void;
}): void {
  process.send?.({ port: options.port, keys: options.keys });
  process.on("message", async () => {
    await options.settled?.();
    const { user, system } = process.cpuUsage();
    process.send?.({
      cpu: user + system,
      rss: process.memoryUsage.rss(),
      filed: options.filed?.() ?? 0,
    } satisfies Figures);
  });
  process.on("disconnect", () => {
    options.end();
    process.exit();
  });
}
