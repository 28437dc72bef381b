import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { freePort } from "../../tests/kit/free-ports.ts";
import { startPostgres, type TestPostgres, unprivileged } from "../../tests/kit/postgres.ts";
import { openReader } from "./open-reader.ts";
import { openService } from "./open-service.ts";

const certificates = join(import.meta.dirname, "../../tests/fixtures/tls");

let postgres: TestPostgres;
let port: number;
/** By the socket, which is not encrypted. */
let local: string;

beforeAll(async () => {
  port = await freePort();
  postgres = await startPostgres({ listen_addresses: "127.0.0.1,127.0.0.2", port: String(port) });
  local = await postgres.newDatabase();
  const user = unprivileged();
  for (const name of ["server.crt", "server.key"]) {
    const file = join(postgres.sockets, "data", name);
    copyFileSync(join(certificates, name), file);
    chmodSync(file, 0o600);
    if (user) chownSync(file, user.uid, user.gid);
  }
  await postgres.run(local, "ALTER SYSTEM SET ssl = on");
  await postgres.run(local, "SELECT pg_reload_conf()");
}, 120_000);

afterAll(() => postgres[Symbol.asyncDispose](), 120_000);

describe("a connection to PostgreSQL", { timeout: 60_000 }, () => {
  it.each([
    ["require", "sslmode=require"],
    ["verify-ca", `sslmode=verify-ca&sslrootcert=${certificates}/ca.crt`],
    ["verify-full", `sslmode=verify-full&sslrootcert=${certificates}/ca.crt`],
  ])("a connection to PostgreSQL with %s is encrypted, and reports are filed over it", async (_, settings) => {
    const store = await addressWith(settings);
    const dataFolder = folder();
    const service = await openService({ dataFolder, store });
    onTestFinished(() => service.close());
    const eventId = newEventId();
    expect(await service.accept(1, anEvent(eventId))).toMatchObject({ kind: "accepted" });
    await service.drained();
    const reader = await openReader(dataFolder, store);
    onTestFinished(() => reader.close());
    expect(await reader.event(1, eventId)).toMatchObject({ eventId });
    const name = new URL(store).pathname.slice(1);
    const connections = await postgres.run(
      local,
      `SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE datname = '${name}'`,
    );
    expect(connections.length).toBeGreaterThan(0);
    expect(connections.filter(({ ssl }) => ssl !== true)).toEqual([]);
  });

  it.each([
    ["verify-ca", "another authority", "127.0.0.1", "other-ca.crt"],
    ["verify-full", "another authority", "127.0.0.1", "other-ca.crt"],
    ["verify-full", "another name", "127.0.0.2", "ca.crt"],
  ])("a connection to PostgreSQL with %s is refused to %s", async (mode, _, host, authority) => {
    const store = await addressWith(`sslmode=${mode}&sslrootcert=${certificates}/${authority}`, host);
    await expect(openService({ dataFolder: folder(), store })).rejects.toThrow(/certificate|altnames/i);
  });
});

async function addressWith(settings: string, host = "127.0.0.1"): Promise<string> {
  const name = new URL(await postgres.newDatabase()).pathname;
  return `postgres://holdfast@${host}:${port}${name}?${settings}`;
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "holdfast-encrypted-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function anEvent(eventId: string): Uint8Array {
  const event = { event_id: eventId, timestamp: Date.now() / 1_000, level: "error", message: "boom" };
  return writeEnvelope({ eventId }, [jsonItem("event", event)]);
}
