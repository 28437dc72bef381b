import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below the ports that the system gives to servers without one and to outgoing connections (from 32768 on). One of
 * those could be taken by another test before it is used.
 */
const [first, last] = [20_000, 32_000];

/** Ports that no one listens on, each another. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = first + Math.floor(Math.random() * (last - first));
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
