import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

export interface Figures {
  /** CPU time of all threads since the start, in microseconds. */
  readonly cpu: number;
  readonly rss: number;
  /** What it has stored, where it stores anything. */
  readonly filed: number;
}

/** A server in a process of its own that tells its figures when it is asked. */
export interface MeasuredProcess {
  readonly port: number;
  /** Of its first project. */
  readonly key: string;
  /** Of all its projects. */
  readonly keys: readonly string[];
  readonly pid: number;
  /** When everything that was answered is also done. */
  figures(): Promise<Figures>;
  /** The most memory it ever held, in MB. */
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

/** What the operating system says a process holds in memory, in MB. */
export function memoryOf(pid: number, field: "VmRSS" | "VmHWM"): number {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return (Number(kilobytes) * 1_024) / 1e6;
}

/** The other side of it: says where the server listens, answers when all is done, ends with the parent. */
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
