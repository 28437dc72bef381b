import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { faultProxy } from "../kit/index.ts";
import type { RunningService } from "./running-service.ts";

/** A connection to the service that breaks and is repaired. */
export interface BreakableWay extends AsyncDisposable {
  /** For an application's `report.dsn`. */
  dsn: string;
  break(): Promise<void>;
  mend(): Promise<void>;
}

type OpenWay = (service: RunningService) => Promise<BreakableWay>;

/** All ways in which a service can be unavailable. */
export const outages: Readonly<Record<string, OpenWay>> = {
  hangs: (service) => throughProxy(service, async (proxy) => void proxy.when(/./).hang()),
  "takes 5 s": (service) => throughProxy(service, async (proxy) => void proxy.when(/./).delay(5_000)),
  "refuses connections": (service) => throughProxy(service, (proxy) => proxy.offline()),
  "answers 429": (service) =>
    throughProxy(service, async (proxy) => void proxy.when(/./).answer(429, "", { "Retry-After": "2" })),
  "answers 500": (service) => throughProxy(service, async (proxy) => void proxy.when(/./).answer(500)),
  "is swallowed by the network": throughRelay,
};

type Proxy = Awaited<ReturnType<typeof faultProxy>>;

async function throughProxy(service: RunningService, breakIt: (proxy: Proxy) => Promise<void>): Promise<BreakableWay> {
  const proxy = await faultProxy(new URL(service.dsn).origin);
  return {
    dsn: dsnAt(service, new URL(proxy.url).port),
    break: () => breakIt(proxy),
    mend: async () => {
      proxy.healed();
      await proxy.online();
    },
    [Symbol.asyncDispose]: () => proxy.close(),
  };
}

/** Connection attempts get no response: a stopped process whose backlog is full. */
async function throughRelay(service: RunningService): Promise<BreakableWay> {
  const program = fileURLToPath(new URL("./relay-process.ts", import.meta.url));
  const child = spawn(process.execPath, [program, new URL(service.dsn).port], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = await once(child.stdout, "data");
  let filling: Socket[] = [];
  return {
    dsn: dsnAt(service, String(port).trim()),
    break: async () => {
      child.kill("SIGSTOP");
      // The kernel accepts one more than the backlog. The others may wait forever.
      filling = Array.from({ length: 4 }, () => connect(Number(port), "127.0.0.1").on("error", () => undefined));
      await once(filling[0] as Socket, "connect");
    },
    mend: async () => {
      for (const socket of filling) socket.destroy();
      child.kill("SIGCONT");
    },
    [Symbol.asyncDispose]: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

function dsnAt(service: RunningService, port: string): string {
  const dsn = new URL(service.dsn);
  dsn.port = port;
  return dsn.href;
}
