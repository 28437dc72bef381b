import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { digestOf, jsonItem, newEventId, writeEnvelope } from "#protocol";
import type { CommandOutput } from "./commands/command.ts";
import { dsnCommand } from "./commands/dsn-command.ts";
import { eventCommand } from "./commands/event-command.ts";
import { issuesCommand } from "./commands/issues-command.ts";
import { keepLastAddress } from "./last-address.ts";
import { openService, type Service, type ServiceOptions } from "./open-service.ts";
import { storedIds } from "./stores/filed-examples.ts";
import { openSqliteReader } from "./stores/sqlite/open-sqlite-store.ts";
import { lowest, stepsBelow } from "./thread/lower-thread-priority.ts";

function printedTo(printed: string[], warned: string[] = []): CommandOutput {
  return { print: (text) => printed.push(text), warn: (text) => warned.push(text) };
}

// Each test starts its own threads, which takes seconds on a busy machine.
describe("the service", { timeout: 60_000 }, () => {
  it("makes project 1 at its first start, and keeps its key", async () => {
    const dataFolder = folder();
    const first = await open(dataFolder);
    const [project] = first.projects.all;
    expect(project).toMatchObject({ id: 1, publicKey: expect.stringMatching(/^[0-9a-f]{32}$/) });
    await first.close();
    const second = await open(dataFolder);
    expect(second.projects.all).toEqual([project]);
  });

  it("does not start with a list of projects that it cannot read, since every client would be refused", async () => {
    const dataFolder = folder();
    writeFileSync(join(dataFolder, "projects.json"), "[{");
    await expect(open(dataFolder)).rejects.toThrow("[service-projects-unreadable]");
  });

  it.each([
    ["HOLDFAST_NEW_ISSUES_PER_HOUR", "service-wrong-new-issues"],
    ["HOLDFAST_SCHEDULED_TASKS", "service-wrong-scheduled-tasks"],
    ["HOLDFAST_ALERT_MESSAGES", "service-wrong-alert-messages"],
  ])("does not start if %s is no whole number above 0", async (variable, code) => {
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const number of ["0", "many", "1.5", ""]) {
      vi.stubEnv(variable, number);
      await expect(open(folder()), number).rejects.toThrow(`[${code}]`);
    }
  });

  it("has as many scheduled tasks in a project as the operator allows", async () => {
    vi.stubEnv("HOLDFAST_SCHEDULED_TASKS", "2");
    onTestFinished(() => void vi.unstubAllEnvs());
    const dataFolder = folder();
    const service = await open(dataFolder);
    for (const name of ["backup", "mails", "report"]) {
      const checkIn = { check_in_id: newEventId(), monitor_slug: name, status: "ok" };
      await service.accept(1, writeEnvelope({}, [jsonItem("check_in", checkIn)]));
    }
    await service.drained();
    const store = openSqliteReader({ folder: join(dataFolder, "store") });
    expect((await store.monitors(1)).map(({ name }) => name).toSorted()).toEqual(["backup", "mails"]);
    store.close();
  });

  it("files an accepted event, which can be found by its digest", async () => {
    const dataFolder = folder();
    const service = await open(dataFolder);
    const eventId = newEventId();
    expect(await service.accept(1, anEvent(eventId, "Cannot read the cart"))).toEqual({
      kind: "accepted",
      eventId,
      limits: [],
    });
    await service.drained();
    const store = openSqliteReader({ folder: join(dataFolder, "store") });
    expect(await store.event(1, eventId)).toMatchObject({ eventId, body: { kind: "whole" } });
    store.close();
    const printed: string[] = [];
    expect(await eventCommand.run([digestOf(eventId).toLowerCase(), "--data", dataFolder], printedTo(printed))).toBe(0);
    expect(printed.join("\n")).toContain("# TypeError: Cannot read the cart");
    printed.length = 0;
    await issuesCommand.run(["is:open", "--data", dataFolder], printedTo(printed));
    expect(printed.join("\n")).toMatch(/#1 .*open.*TypeError: Cannot read the cart/);
  });

  // Only Linux gives a thread its own priority.
  it.runIf(process.platform === "linux")("files at a lower priority than it responds", async () => {
    await open(folder());
    const nameOf = (thread: string): string => readFileSync(`/proc/self/task/${thread}/comm`, "utf8").trim();
    const filing = readdirSync("/proc/self/task").find((thread) => nameOf(thread) === "holdfast-filing");
    await expect.poll(() => getPriority(Number(filing))).toBe(Math.min(getPriority() + stepsBelow, lowest));
  });

  it("files after a restart what it had accepted and not yet filed", async () => {
    const dataFolder = folder();
    const first = await open(dataFolder);
    const ids = Array.from({ length: 50 }, newEventId);
    await Promise.all(ids.map((id) => first.accept(1, anEvent(id, "boom"))));
    await first.close();
    const second = await open(dataFolder);
    await second.drained();
    const store = openSqliteReader({ folder: join(dataFolder, "store") });
    expect(await storedIds(store, ids)).toEqual(ids);
    store.close();
  });

  it("changes issues on request", async () => {
    const dataFolder = folder();
    const service = await open(dataFolder);
    await service.accept(1, anEvent(newEventId(), "boom"));
    await service.drained();
    const store = openSqliteReader({ folder: join(dataFolder, "store") });
    const issue = (await store.issue(1, { number: 1 }))?.id ?? 0;
    expect(await service.change(1, [issue], { kind: "comment", text: "seen" }, "ada")).toEqual([issue]);
    expect(await store.history(1, issue)).toMatchObject([{ by: "ada", what: { kind: "comment", text: "seen" } }]);
    store.close();
  });

  it("finds a project that the command line has added meanwhile", async () => {
    const dataFolder = folder();
    const service = await open(dataFolder);
    await dsnCommand.run(["--data", dataFolder, "--new", "second"], printedTo([]));
    expect(await service.accept(2, anEvent(newEventId(), "boom"))).toMatchObject({ kind: "accepted" });
    expect(await service.accept(3, anEvent(newEventId(), "boom"))).toMatchObject({ kind: "forbidden" });
  });

  it("reports what it dropped, beside the accepted items", async () => {
    const dataFolder = folder();
    const service = await open(dataFolder, { attachments: { keep: false } });
    const eventId = newEventId();
    const attachment = { header: { type: "attachment" }, payload: Buffer.from("a screenshot") };
    await service.accept(1, writeEnvelope({ eventId }, [jsonItem("event", { message: "x" }), attachment]));
    await service.close();
    const store = openSqliteReader({ folder: join(dataFolder, "store") });
    expect(await store.discards(1, 0, Date.now() + 3_600_000)).toMatchObject([
      { reason: "not-kept", category: "attachment", n: 1 },
    ]);
    store.close();
  });

  it("refuses a second service on the same folder", async () => {
    const dataFolder = folder();
    await open(dataFolder);
    await expect(openService({ dataFolder })).rejects.toThrow("is in use by process");
  });

  it("gives no other user access to its files", async () => {
    const dataFolder = folder();
    const service = await open(dataFolder);
    await service.accept(1, anEvent(newEventId(), "boom"));
    await service.drained();
    const files = readdirSync(dataFolder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(4);
    const open_ = files.filter((file) => (statSync(join(file.parentPath, file.name)).mode & 0o077) !== 0);
    expect(open_.map((file) => file.name)).toEqual([]);
  });

  it("writes its figures in the Prometheus format", async () => {
    const service = await open(folder());
    await service.accept(1, anEvent(newEventId(), "boom"));
    await service.drained();
    const metrics = service.metrics();
    expect(metrics).toContain('holdfast_items_kept_total{type="event"} 1\n');
    expect(metrics).toContain("holdfast_filed_events_total 1\n");
    expect(metrics).toContain(
      'holdfast_acknowledged_total{by="store"} 0\nholdfast_acknowledged_total{by="journal"} 1\n',
    );
    for (const figure of ["bridging", "unfiled_bytes", "store_away_seconds"])
      expect(metrics).toContain(`\nholdfast_${figure} 0\n`);
    for (const line of metrics.trim().split("\n"))
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"\})? -?[\d.e+]+)$/);
  });

  it("prints the address for reports of applications", async () => {
    const printed: string[] = [];
    await dsnCommand.run(["--data", folder(), "--origin", "https://errors.example/deep"], printedTo(printed));
    expect(printed).toEqual([expect.stringMatching(/^https:\/\/[0-9a-f]{32}@errors\.example\/deep\/1$/)]);
  });

  it("reports that it has created the folder", async () => {
    const warned: string[] = [];
    const mistyped = join(folder(), "mistyped");
    await dsnCommand.run(["--data", mistyped], printedTo([], warned));
    expect(warned[0]).toContain(`no folder ${mistyped}.`);
    warned.length = 0;
    await dsnCommand.run(["--data", mistyped], printedTo([], warned));
    expect(warned.join("")).not.toContain("no folder");
  });

  it("reports that the address is a guess where no service has listened", async () => {
    const printed: string[] = [];
    const warned: string[] = [];
    const dataFolder = folder();
    await dsnCommand.run(["--data", dataFolder], printedTo(printed, warned));
    expect(printed).toEqual([expect.stringContaining("127.0.0.1:4600")]);
    expect(warned).toEqual([expect.stringMatching(/http:\/\/127\.0\.0\.1:4600 is a guess.*--data.*--origin/)]);
    warned.length = 0;
    await dsnCommand.run(["--data", dataFolder, "--origin", "https://errors.example"], printedTo([], warned));
    expect(warned).toEqual([]);
  });

  it("stores its last address", async () => {
    const dataFolder = folder();
    keepLastAddress(dataFolder, "http://127.0.0.1:4801");
    const printed: string[] = [];
    const warned: string[] = [];
    await dsnCommand.run(["--data", dataFolder], printedTo(printed, warned));
    expect(warned).toEqual([]);
    expect(printed).toEqual([expect.stringMatching(/^http:\/\/[0-9a-f]{32}@127\.0\.0\.1:4801\/1$/)]);
  });
});

const folders: string[] = [];
const services: Service[] = [];

afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
  for (const path of folders.splice(0)) rmSync(path, { recursive: true });
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "holdfast-service-"));
  folders.push(path);
  return path;
}

async function open(dataFolder: string, limits: ServiceOptions["limits"] = {}): Promise<Service> {
  const service = await openService({ dataFolder, limits });
  services.push(service);
  return service;
}

function anEvent(eventId: string, message: string): Uint8Array {
  const frames = [
    { filename: "src/cart.ts", function: "total", lineno: 3, in_app: true, context_line: "return cart.items" },
  ];
  const event = {
    event_id: eventId,
    exception: { values: [{ type: "TypeError", value: message, stacktrace: { frames } }] },
  };
  return writeEnvelope({ eventId }, [jsonItem("event", event)]);
}
