import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { listenOn } from "./listen.ts";

async function listening(port: number, nextFreePort: boolean): Promise<number> {
  return (await addressOf({ port, host: "127.0.0.1", nextFreePort })).port;
}

async function addressOf(wanted: Parameters<typeof listenOn>[1]): Promise<AddressInfo> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await listenOn(server, wanted, 20);
  return server.address() as AddressInfo;
}

test("Where a port is taken the next free one is used, unless just that one was asked for", async () => {
  const taken = await listening(0, false);
  expect(await listening(taken, true)).toBeGreaterThan(taken);
  await expect(listening(taken, false)).rejects.toMatchObject({ code: "no-free-port" });
});

test("A name below localhost is the loopback address, even if the system does not know the name", async () => {
  const { address } = await addressOf({ port: 0, host: "holdfast-test.localhost", nextFreePort: false });
  expect(["127.0.0.1", "::1"]).toContain(address);
});

test("An address of another machine is refused with the address and what to set", async () => {
  // RFC 5737 reserves 192.0.2.0/24 for documentation: no machine has it.
  const elsewhere = addressOf({ port: 0, host: "192.0.2.1", nextFreePort: true });
  await expect(elsewhere).rejects.toMatchObject({
    code: "cannot-listen",
    message: expect.stringMatching(/"192\.0\.2\.1".*does not have this address.*--host/s),
  });
});
