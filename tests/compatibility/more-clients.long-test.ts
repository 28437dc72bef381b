import { execFile } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everyIssue } from "../../src/service/stores/filter-language.ts";
import { openSqliteReader } from "../../src/service/stores/sqlite/open-sqlite-store.ts";
import { dataFolder, RunningService } from "../faults/running-service.ts";
import { keepProof } from "../kit/keep-proof.ts";
import { type InstalledClients, installClients, namesOf } from "./installed-clients.ts";

const run = promisify(execFile);
const programs = fileURLToPath(new URL("./clients/", import.meta.url));

/** With their dependencies these are 300 MB. Captured requests cover them otherwise. */
const packages = {
  "sentry-node-8": "npm:@sentry/node@8.55.2",
  "sentry-node-10": "npm:@sentry/node@10.78.0",
  "@opentelemetry/exporter-trace-otlp-http": "0.223.1",
  "@opentelemetry/exporter-trace-otlp-proto": "0.223.1",
  "@opentelemetry/sdk-trace-base": "2.12.0",
};

describe("an official client that is installed for the test", () => {
  let clients: InstalledClients;

  beforeAll(() => {
    clients = installClients("senders", packages);
    for (const program of ["send.js", "export.js"])
      copyFileSync(join(programs, program), join(clients.folder, program));
  }, 600_000);

  afterAll(() => clients[Symbol.dispose]());

  it.each(["sentry-node-8", "sentry-node-10"])(
    "%s reports an error with its cause, a message and a trace",
    async (client) => {
      using data = dataFolder();
      await using service = await RunningService.start(data.path);
      await run(process.execPath, ["send.js", client, service.dsn], { cwd: clients.folder });
      await service.filed();
      const store = openSqliteReader({ folder: join(data.path, "store") });
      const { issues } = await store.issues({ project: 1, filter: everyIssue, sort: "last-seen", limit: 9 });
      expect(issues.map(({ title, level }) => [title, level]).sort()).toEqual([
        [expect.stringContaining(`greetings from ${client}`), "warning"],
        [expect.stringContaining(`the cart of ${client} is empty`), "error"],
      ]);
      const [segment] = await store.segments({
        project: 1,
        route: "/checkout",
        from: 0,
        to: Date.now() + 60_000,
        limit: 1,
      });
      const { spans } = await store.trace(1, segment?.traceId ?? "");
      expect(spans.map(({ name }) => name)).toEqual(expect.arrayContaining(["/checkout", "SELECT cart"]));
      store.close();
    },
  );

  it.each(["http", "proto"])("OpenTelemetry's exporter (%s) sends a span and the exception in it", async (form) => {
    using data = dataFolder();
    await using service = await RunningService.start(data.path);
    const { origin, username } = new URL(service.dsn);
    const address = `${origin}/api/1/integration/otlp/v1/traces`;
    await run(process.execPath, ["export.js", form, address, username], { cwd: clients.folder });
    await service.filed();
    const store = openSqliteReader({ folder: join(data.path, "store") });
    const { issues } = await store.issues({ project: 1, filter: everyIssue, sort: "last-seen", limit: 9 });
    expect(issues).toMatchObject([{ type: "RangeError", title: `no items in ${form}` }]);
    const route = `/exported/${form}`;
    expect(await store.segments({ project: 1, route, from: 0, to: Date.now() + 60_000, limit: 9 })).toHaveLength(1);
    store.close();
    keepProof("real-clients", [`Against the running service: ${namesOf(packages)}.`]);
  });
});
