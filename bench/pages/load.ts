import { execFile } from "node:child_process";
import { connect } from "node:net";
import { promisify } from "node:util";
import { pin } from "./server-process.ts";

export interface LoadResult {
  requests: number;
  /** Responses whose status was not 200. */
  wrong: number;
  seconds: number;
  p50: number;
  p99: number;
}

export interface LoadOptions {
  port: number;
  path: string;
  headers: Readonly<Record<string, string>>;
  seconds: number;
  connections: number;
}

/** Runs the load in its own process, on the second core. */
export async function applyLoad(options: LoadOptions): Promise<LoadResult> {
  const [program = "", ...args] = [...pin(1), process.execPath, import.meta.filename, JSON.stringify(options)];
  const { stdout } = await promisify(execFile)(program, args);
  return JSON.parse(stdout);
}

/**
 * Keeps `connections` connections busy with one request each. Parses responses by hand, because an HTTP client would
 * cost more than the measured servers: only the status and the end of a response matter.
 */
async function load({ port, path, headers, seconds, connections }: LoadOptions): Promise<LoadResult> {
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const request = `GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
  const times: number[] = [];
  let wrong = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  await Promise.all(
    Array.from({ length: connections }, () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const socket = connect(port, "127.0.0.1").setNoDelay(true).setEncoding("latin1");
      let text = "";
      let sentAt = 0;
      const send = (): void => {
        sentAt = performance.now();
        socket.write(request);
      };
      socket.on("connect", send);
      socket.on("error", reject);
      socket.on("close", () => resolve());
      socket.on("data", (chunk: string) => {
        text += chunk;
        if (!isWhole(text)) return;
        if (!text.startsWith("HTTP/1.1 200")) wrong++;
        text = "";
        const now = performance.now();
        times.push(now - sentAt);
        if (now < endsAt) send();
        else socket.end();
      });
      return promise;
    }),
  );
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return {
    requests: times.length,
    wrong,
    seconds: (performance.now() - startedAt) / 1000,
    p50: at(0.5),
    p99: at(0.99),
  };
}

function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end + 2))?.[1];
  return length === undefined ? text.endsWith("0\r\n\r\n") : text.length >= end + 4 + Number(length);
}

if (process.argv[1] === import.meta.filename)
  process.stdout.write(JSON.stringify(await load(JSON.parse(process.argv[2] ?? "{}"))));
