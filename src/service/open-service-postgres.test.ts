import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { digestOf, jsonItem, newEventId, writeEnvelope } from "#protocol";
import { startPostgres, type TestPostgres } from "../../tests/kit/postgres.ts";
import { eventCommand } from "./commands/event-command.ts";
import { openConsoleApi } from "./console-api/console-api.ts";
import { openReader } from "./open-reader.ts";
import { openService, type Service } from "./open-service.ts";
import { everyIssue } from "./stores/filter-language.ts";

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startPostgres();
}, 120_000);

afterAll(() => postgres[Symbol.asyncDispose](), 120_000);

describe("services with a store in PostgreSQL", { timeout: 60_000 }, () => {
  it("services file into one database, and each finds what the other has filed", async () => {
    const address = await postgres.newDatabase();
    const services = await Promise.all([open(folder(), address), open(folder(), address)]);
    const ids = services.map(() => newEventId());
    for (const [at, service] of services.entries()) {
      const eventId = ids[at] ?? "";
      expect(await service.accept(1, anEvent(eventId, "Cannot read the cart"))).toMatchObject({ kind: "accepted" });
      await service.drained();
    }
    const reader = await openReader(folder(), address);
    onTestFinished(() => reader.close());
    for (const eventId of ids) expect(await reader.event(1, eventId)).toMatchObject({ eventId });
    const issues = () => reader.issues({ project: 1, filter: everyIssue, sort: "events", limit: 9 });
    await expect.poll(async () => (await issues()).issues.map(({ events }) => events)).toEqual([2]);
    const [issue] = (await issues()).issues;
    await services[1]?.change(1, [issue?.id ?? 0], { kind: "resolve", in: "now" }, "ada");
    expect((await issues()).issues[0]?.state).toMatchObject({ kind: "resolved" });
  });

  it("services file after a restart what they had accepted and not yet filed, once", async () => {
    const address = await postgres.newDatabase();
    const dataFolder = folder();
    const first = await open(dataFolder, address);
    const ids = Array.from({ length: 40 }, newEventId);
    await Promise.all(ids.map((id) => first.accept(1, anEvent(id, "boom"))));
    await first.close();
    const second = await open(dataFolder, address);
    await second.drained();
    const reader = await openReader(dataFolder, address);
    onTestFinished(() => reader.close());
    const events = async () =>
      (await reader.issues({ project: 1, filter: everyIssue, sort: "events", limit: 9 })).issues[0]?.events;
    await expect.poll(events).toBe(40);
    expect(second.stats().filing.duplicates).toBe(0);
  });

  it("services find the source lines of a build that another process has stored", async () => {
    const address = await postgres.newDatabase();
    const [first, second] = await Promise.all([open(folder(), address), open(folder(), address)]);
    await first.addBuild(1, aBuild(), "1.0.0");
    const eventId = newEventId();
    await second.accept(1, aBuiltEvent(eventId));
    await second.drained();
    const reader = await openReader(folder(), address);
    onTestFinished(() => reader.close());
    expect(JSON.stringify(await reader.event(1, eventId))).toContain("src/cart.ts");
  });

  it("services assign issues by rules and to members that another process has changed", async () => {
    const address = await postgres.newDatabase();
    const dataFolder = folder();
    const [first, second] = await Promise.all([open(dataFolder, address), open(folder(), address)]);
    const accounts = first.shared.openAccounts();
    const email = "ada@shop.example";
    const secret = await accounts.invites.create({ 1: "member" }, email);
    await accounts.accept(secret, { email, password: "a long password of ada" }, { address: "192.0.2.9" });
    const access = { kind: "accounts", accounts } as const;
    const api = openConsoleApi({ service: first, dataFolder, store: address, access });
    onTestFinished(() => api.close());
    expect(await api.ownership.change(1, "route:/cart Ada@shop.example", "kim")).toMatchObject({ kind: "saved" });
    let sent = 0;
    const assignee = async (): Promise<string | undefined> => {
      const eventId = newEventId();
      const exception = { values: [{ type: `Failure${"x".repeat(++sent)}`, value: "no cart" }] };
      const event = { event_id: eventId, transaction: "/cart", exception };
      await second.accept(1, writeEnvelope({ eventId }, [jsonItem("event", event)]));
      await second.drained();
      const found = await api.event(1, eventId);
      return found?.issue?.assignee;
    };
    await expect.poll(assignee, { interval: 200 }).toBe(email);
    await accounts.setRole(1, email, undefined);
    await expect.poll(assignee, { interval: 200 }).toBeUndefined();
  });

  it("events are found by the commands, with the address in HOLDFAST_STORE", async () => {
    const address = await postgres.newDatabase();
    const service = await open(folder(), address);
    const eventId = newEventId();
    await service.accept(1, anEvent(eventId, "Cannot read the cart"));
    await service.drained();
    vi.stubEnv("HOLDFAST_STORE", address);
    onTestFinished(() => void vi.unstubAllEnvs());
    const printed: string[] = [];
    const output = { print: (text: string) => void printed.push(text), warn: () => undefined };
    expect(await eventCommand.run([digestOf(eventId), "--data", folder()], output)).toBe(0);
    expect(printed.join("\n")).toContain("# TypeError: Cannot read the cart");
  });

  it("services do not start with an address of another kind, and do not print its password", async () => {
    const opening = openService({ dataFolder: folder(), store: "mysql://root:secret@db/holdfast" });
    await expect(opening).rejects.toThrow("[service-unknown-store]");
    await expect(opening).rejects.not.toThrow("secret");
  });
});

const folders: string[] = [];
const services: Service[] = [];

afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
  for (const one of folders.splice(0)) rmSync(one, { recursive: true, force: true });
});

function folder(): string {
  const one = mkdtempSync(join(tmpdir(), "holdfast-shared-"));
  folders.push(one);
  return one;
}

async function open(dataFolder: string, store: string): Promise<Service> {
  const service = await openService({ dataFolder, store });
  services.push(service);
  return service;
}

function anEvent(eventId: string, message: string, frame: object = { filename: "src/cart.ts" }): Uint8Array {
  const frames = [{ function: "total", lineno: 1, colno: 1, in_app: true, ...frame }];
  const exception = { values: [{ type: "TypeError", value: message, stacktrace: { frames } }] };
  return writeEnvelope({ eventId }, [jsonItem("event", { event_id: eventId, platform: "javascript", exception })]);
}

const debugId = "5c2f7a1e-93b4-4d60-8a17-0e6b1c9d2f34";

function aBuiltEvent(eventId: string): Uint8Array {
  return anEvent(eventId, "no cart", { filename: "/_assets/cart-1.js", debug_id: debugId });
}

/** A build with one map: the first column of its only line is the second line of `src/cart.ts`. */
function aBuild(): string {
  const build = folder();
  mkdirSync(join(build, "maps"));
  const map = { version: 3, debugId, sources: ["src/cart.ts"], sourcesContent: ["\nreturn cart.items;"], names: [] };
  writeFileSync(join(build, "maps", "cart-1.js.map"), JSON.stringify({ ...map, mappings: "AACA" }));
  return build;
}
