import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

export interface Figures {
  /** CPU time of all threads since the start, in microseconds. */
  readonly cpu: number;
  readonly rss: number;
}

/** A server in a process of its own that tells its figures when it is asked. */
export interface MeasuredProcess {
  readonly port: number;
  readonly key: string;
  readonly pid: number;
  /** When everything that was answered is also done. */
  figures(): Promise<Figures>;
  stop(): void;
}

export async function startMeasured(program: URL, args: readonly string[]): Promise<MeasuredProcess> {
  const child = fork(program, args, { execArgv: ["--conditions=holdfast-source"] });
  const [{ port, key }] = await once(child, "message");
  return { port, key, pid: child.pid ?? 0, figures: () => figuresOf(child), stop: () => child.disconnect() };
}

async function figuresOf(child: ChildProcess): Promise<Figures> {
  child.send("figures");
  const [figures] = await once(child, "message");
  return figures;
}

/** The other side of it: says where the server listens, answers when all is done, ends with the parent. */
export function beMeasured(options: {
  port: number;
  key: string;
  settled?: () => Promise<void>;
  end: () => void;
}): void {
  process.send?.({ port: options.port, key: options.key });
  process.on("message", async () => {
    await options.settled?.();
    const { user, system } = process.cpuUsage();
    process.send?.({ cpu: user + system, rss: process.memoryUsage.rss() } satisfies Figures);
  });
  process.on("disconnect", () => {
    options.end();
    process.exit();
  });
}
