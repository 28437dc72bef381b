import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { textsIn } from "../../../tests/kit/find-bytes.ts";
import { startPostgres, type TestPostgres } from "../../../tests/kit/postgres.ts";
import { openConsoleApi } from "../console-api/console-api.ts";
import { openReader } from "../open-reader.ts";
import { openService } from "../open-service.ts";
import { connect } from "../stores/postgres/connect/connections.ts";
import { postgresLimits } from "../stores/postgres/limits.ts";
import { allVisitorMarks, eventEnvelope, leaveTraces, reportedEvent, visitorMarks } from "./visitor-examples.ts";

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startPostgres();
}, 120_000);

afterAll(() => postgres[Symbol.asyncDispose](), 120_000);

/** Which marks are in any value of any table. */
async function marksIn(address: string): Promise<string[]> {
  const connections = await connect(address, postgresLimits);
  const found = new Set<string>();
  try {
    const { reading } = connections;
    const tables = await reading.all<{ name: string }>(
      "SELECT relname AS name FROM pg_class WHERE relnamespace = 'holdfast'::regnamespace AND relkind = 'r'",
    );
    for (const { name } of tables)
      for (const row of await reading.all<Record<string, unknown>>(`SELECT * FROM holdfast.${name}`))
        for (const value of Object.values(row)) {
          const bytes = value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(JSON.stringify(value ?? null));
          for (const mark of textsIn(bytes, allVisitorMarks)) found.add(mark);
        }
  } finally {
    await connections.close();
  }
  return [...found];
}

describe("forgetting in PostgreSQL", { timeout: 120_000 }, () => {
  it("an erasure leaves nothing of a visitor in any row", async () => {
    const address = await postgres.newDatabase();
    const dataFolder = mkdtempSync(join(tmpdir(), "holdfast-erasures-"));
    onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
    const service = await openService({ dataFolder, store: address });
    onTestFinished(() => service.close());
    const eventId = await leaveTraces(service);
    const others = Array.from({ length: 20 }, (_, n) => reportedEvent(`other-${n}`, `The cart of ${n} is empty`));
    for (const event of others) await service.accept(1, eventEnvelope(event));
    await service.drained();
    // The search is able to find her.
    const { customer, note, line, span, email } = visitorMarks;
    await expect
      .poll(() => marksIn(address), { timeout: 30_000 })
      .toEqual(expect.arrayContaining([customer, note, line, span, email]));
    const api = openConsoleApi({ service, dataFolder, store: address, access: { kind: "open" } as never });
    onTestFinished(() => api.close());
    await api.erase.begin(1, { kind: "visitor", identity: email }, "owner");
    await expect
      .poll(() => api.erase.reports(1), { timeout: 60_000 })
      .toMatchObject([{ state: "done", removed: { events: 1, attachments: 1, traces: 1, logLines: 2, feedback: 1 } }]);
    expect(await marksIn(address)).toEqual([]);
    const reader = await openReader(dataFolder, address);
    onTestFinished(() => reader.close());
    expect(await reader.event(1, eventId)).toBeUndefined();
    const stored = await reader.eventsById(
      1,
      others.map((event) => String(event.event_id)),
    );
    expect(stored.filter(({ body }) => body.kind === "whole")).toHaveLength(20);
    expect(await reader.check()).toEqual([]);
  });
});
