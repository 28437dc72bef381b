import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { listenOn } from "./listen.ts";

const host = "127.0.0.1";

async function listening(port: number, nextFreePort: boolean): Promise<number> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await listenOn(server, { port, host, nextFreePort }, 20);
  return (server.address() as AddressInfo).port;
}

test("Where a port is taken the next free one is used, unless just that one was asked for", async () => {
  const taken = await listening(0, false);
  expect(await listening(taken, true)).toBeGreaterThan(taken);
  await expect(listening(taken, false)).rejects.toMatchObject({ code: "no-free-port" });
});
