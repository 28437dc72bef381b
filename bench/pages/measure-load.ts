import { applyLoad } from "./load.ts";
import type { ServerProcess } from "./server-process.ts";

export interface Load {
  path: string;
  headers: Readonly<Record<string, string>>;
  warmUpSeconds: number;
  seconds: number;
  /** Visitors at once; 32 unless given, which keep the server busy. */
  connections?: number;
}

export interface Measured {
  /** Processor time of the server for one request. */
  micros: number;
  perSecond: number;
  p50: number;
  p99: number;
}

/**
 * Measures the cost of one address on a server that is warm and fully loaded. What the server does later for these
 * requests, such as storing their traces, belongs to them and not to the next address.
 */
export async function measureLoad(server: ServerProcess, load: Load): Promise<Measured> {
  const { path, headers, connections = 32 } = load;
  const common = { port: server.port, path, headers, connections };
  await applyLoad({ ...common, seconds: load.warmUpSeconds });
  await server.atRest();
  const before = server.processorMicros();
  const result = await applyLoad({ ...common, seconds: load.seconds });
  if (result.wrong > 0)
    throw new Error(
      `${result.wrong} of ${result.requests} answers to ${load.path} were not 200; these figures would be of another page.`,
    );
  await server.atRest();
  return {
    micros: (server.processorMicros() - before) / result.requests,
    perSecond: result.requests / result.seconds,
    p50: result.p50,
    p99: result.p99,
  };
}
