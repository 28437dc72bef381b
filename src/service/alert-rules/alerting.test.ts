import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { type AlertReceiver, startAlertReceiver } from "../../../tests/kit/alert-receiver.ts";
import { AlertOutbox } from "../alerts/alert-outbox.ts";
import { openAlertDatabase } from "../alerts/open-alert-database.ts";
import { openConsoleApi } from "../console-api/console-api.ts";
import { keepLastAddress } from "../last-address.ts";
import { openReader } from "../open-reader.ts";
import { openService, type Service, type ServiceOptions } from "../open-service.ts";

const quick = { pace: { everyMs: 20, leaseMs: 60_000 } };
const secret = "a secret of sixteen or more";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "holdfast-alerting-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  keepLastAddress(path, "https://errors.example");
  return path;
}

async function open(dataFolder: string, alerts: ServiceOptions["alerts"] = quick): Promise<Service> {
  const service = await openService({ dataFolder, alerts });
  onTestFinished(() => service.close());
  return service;
}

async function receiver(): Promise<AlertReceiver> {
  const started = await startAlertReceiver();
  onTestFinished(() => started[Symbol.asyncDispose]());
  return started;
}

async function addWebhook(service: Service, dataFolder: string, { url, host }: AlertReceiver): Promise<void> {
  const { administration, close } = openConsoleApi({ service, dataFolder, access: { kind: "open" } });
  onTestFinished(close);
  const { alerts } = administration;
  const channel = { kind: "webhook", url, secret };
  expect(await alerts.saveChannel(1, { id: undefined, name: "Ops", channel }, "ada")).toEqual({});
  expect(
    await alerts.changeConditions(1, { quietHours: undefined, allowedHosts: [host], summaryMail: "off" }, "ada"),
  ).toEqual({});
}

function envelope(message: string, release = "shop@1.0.0"): Uint8Array {
  const eventId = newEventId();
  // Function and line make the issue.
  const called = message.replaceAll(/\W/g, "_");
  const lines = { pre_context: ["function total() {"], context_line: `  return ${called}();`, post_context: ["}"] };
  const frames = [{ filename: "src/cart.ts", function: called, lineno: 3, in_app: true, ...lines }];
  const values = [{ type: "TypeError", value: message, stacktrace: { frames } }];
  const event = { event_id: eventId, release, transaction: "/cart", level: "error", exception: { values } };
  return writeEnvelope({ eventId }, [jsonItem("event", event)]);
}

async function report(service: Service, message: string, release?: string): Promise<void> {
  expect(await service.accept(1, envelope(message, release))).toMatchObject({ kind: "accepted" });
  await service.drained();
}

const titles = ({ received }: AlertReceiver): unknown[] => received.map(({ body }) => `${body.reason}: ${body.title}`);

// Each test starts its own threads, which takes seconds on a busy machine.
describe("alerts of a service", { timeout: 60_000 }, () => {
  it("a new issue and its regression are sent once each, with line, route, release, digest and link", async () => {
    const [dataFolder, hook] = [folder(), await receiver()];
    const service = await open(dataFolder);
    await report(service, "was there before");
    await addWebhook(service, dataFolder, hook);
    await report(service, "Cannot read the cart");
    await report(service, "Cannot read the cart");
    await expect.poll(() => titles(hook)).toEqual(["New issue: TypeError: Cannot read the cart"]);
    const [first] = hook.received;
    expect(first?.body).toMatchObject({
      version: 1,
      project: { id: 1, name: "My application" },
      route: "/cart",
      release: "shop@1.0.0",
      digest: expect.stringMatching(/^[\dA-Z-]+$/),
      link: "https://errors.example/_holdfast/1/issues/2",
      source: { file: "src/cart.ts:3", lines: [{ number: 2 }, { number: 3, isFailing: true }, { number: 4 }] },
    });
    expect(first?.headers["holdfast-signature"]).toMatch(/^t=\d+,v1=[\da-f]{64}$/);
    const reader = await openReader(dataFolder);
    const issue = await reader.issue(1, { number: 2 });
    reader.close();
    await service.change(1, [issue?.id ?? 0], { kind: "resolve", in: "now" }, "ada");
    await report(service, "Cannot read the cart", "shop@1.1.0");
    await report(service, "Cannot read the cart", "shop@1.1.0");
    await report(service, "another one");
    await expect.poll(() => hook.received.length).toBe(3);
    expect(titles(hook).slice(1).toSorted()).toEqual([
      "Happens again, in shop@1.1.0: TypeError: Cannot read the cart",
      "New issue: TypeError: another one",
    ]);
  });

  it("what is filed right after the first channel was saved is sent, and nothing of a time without one", async () => {
    const [dataFolder, hook] = [folder(), await receiver()];
    const turns = { everyMs: 60_000, leaseMs: 60_000 };
    const first = await open(dataFolder, { pace: turns });
    await report(first, "was there before");
    await addWebhook(first, dataFolder, hook);
    // No turn has been yet.
    await report(first, "came right after it");
    await first.close();
    const second = await open(dataFolder);
    await expect.poll(() => titles(hook)).toEqual(["New issue: TypeError: came right after it"]);
    const { administration, close } = openConsoleApi({ service: second, dataFolder, access: { kind: "open" } });
    onTestFinished(close);
    const [channel] = administration.alerts.of(1).channels;
    expect(await administration.alerts.removeChannel(1, channel?.id ?? "", "ada")).toBe(true);
    await report(second, "while there was no channel");
    await addWebhook(second, dataFolder, hook);
    await report(second, "with a channel again");
    await expect.poll(() => titles(hook).slice(1)).toEqual(["New issue: TypeError: with a channel again"]);
  });

  it("two thousand new issues lead to twenty messages and one summary", async () => {
    const [dataFolder, hook] = [folder(), await receiver()];
    const flood = { messages: 20, windowMs: 600_000, sameSubjectMs: 86_400_000 };
    const clock = { now: () => Date.now() + moved.ms, elapsed: () => performance.now() };
    // In the first minutes of an hour: whole hours are compared with last week's, and here none ends.
    const moved = { ms: 3_600_000 - (Date.now() % 3_600_000) + 180_000 };
    const limits = {
      accept: { itemsPerSecond: 20_000, itemBurst: 20_000 },
      store: { newIssuesPerHour: 20_000 },
    };
    const service = await openService({ dataFolder, clock, limits, alerts: { ...quick, limits: { flood } } });
    onTestFinished(() => service.close());
    await addWebhook(service, dataFolder, hook);
    for (let hundred = 0; hundred < 20; hundred += 1)
      await Promise.all(
        Array.from({ length: 100 }, (_, at) => service.accept(1, envelope(`boom ${nameOf(hundred * 100 + at)}`))),
      );
    await service.drained();
    const rows = openAlertDatabase(dataFolder);
    onTestFinished(() => rows.close());
    const outbox = new AlertOutbox(rows, () => Date.now());
    await expect.poll(async () => (await outbox.cursors(1)).get("new-issue"), { timeout: 50_000 }).toBe(2_000);
    await expect.poll(() => hook.received.length).toBe(20);
    moved.ms += 601_000;
    await expect.poll(() => hook.received.length).toBe(21);
    expect(hook.received[20]?.body).toMatchObject({ reason: "Summary", title: "1,980 further alerts" });
  });

  it("a process that is killed between filing and sending sends once after the restart", async () => {
    const [dataFolder, hook] = [folder(), await receiver()];
    const first = await open(dataFolder);
    await addWebhook(first, dataFolder, hook);
    await first.close();
    const child = spawn(
      process.execPath,
      ["--conditions=holdfast-source", "--input-type=module", "--eval", filingProcess],
      {
        env: {
          ...process.env,
          FOLDER: dataFolder,
          ENVELOPE: Buffer.from(envelope("left behind")).toString("base64"),
          SERVICE: new URL("../open-service.ts", import.meta.url).href,
        },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    const [said] = await once(child.stdout, "data");
    expect(String(said)).toBe("filed\n");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(hook.received).toEqual([]);
    // Found and not sent, and killed again.
    hook.status = 503;
    const second = await open(dataFolder);
    const rows = openAlertDatabase(dataFolder);
    onTestFinished(() => rows.close());
    const outbox = new AlertOutbox(rows, () => Date.now());
    await expect.poll(async () => [...(await outbox.channelStates(1)).values()][0]?.failure?.why).toMatch("503");
    await second.close();
    hook.status = 200;
    const third = await openService({
      dataFolder,
      alerts: quick,
      clock: { now: () => Date.now() + 60_000, elapsed: () => performance.now() },
    });
    onTestFinished(() => third.close());
    await report(third, "and a new one");
    await expect
      .poll(() => titles(hook).toSorted())
      .toEqual(["New issue: TypeError: and a new one", "New issue: TypeError: left behind"]);
  });

  it("without a channel nothing is opened", async () => {
    const dataFolder = folder();
    const service = await open(dataFolder);
    await report(service, "boom");
    await service.close();
    expect(existsSync(join(dataFolder, "alerts.db"))).toBe(false);
  });

  it("secrets of a channel are neither shown nor in the audit log, and stay when they are left empty", async () => {
    const [dataFolder, hook] = [folder(), await receiver()];
    const service = await open(dataFolder);
    await addWebhook(service, dataFolder, hook);
    const { administration, close } = openConsoleApi({ service, dataFolder, access: { kind: "open" } });
    onTestFinished(close);
    const [shown] = administration.alerts.of(1).channels;
    expect(shown).toEqual({ id: shown?.id, name: "Ops", kind: "webhook", target: hook.host });
    const typed = { kind: "webhook", url: "", secret: "" };
    expect(await administration.alerts.saveChannel(1, { id: shown?.id, name: "Duty", channel: typed }, "ada")).toEqual(
      {},
    );
    expect(service.shared.alertSettings.of(1).channels).toEqual([
      { id: shown?.id, name: "Duty", channel: { kind: "webhook", url: hook.url, secret } },
    ]);
    const log = (await administration.audit(1, 9)).map(({ what }) => what);
    expect(log).toEqual([
      "changed the alert channel Duty (webhook)",
      `set quiet hours of alerts: none; private hosts: ${hook.host}; summary: off`,
      "added the alert channel Ops (webhook)",
    ]);
    expect(readFileSync(join(dataFolder, "audit.jsonl"), "utf8")).not.toContain(secret);
  });
});

const filingProcess = `
  const { openService } = await import(process.env.SERVICE);
  const alerts = { pace: { everyMs: 1e9, leaseMs: 1 } };
  const service = await openService({ dataFolder: process.env.FOLDER, alerts });
  await service.accept(1, Buffer.from(process.env.ENVELOPE, "base64"));
  await service.drained();
  console.log("filed");
  setInterval(() => undefined, 1000);
`;

/** Letters, because numbers in a message do not make another issue. */
function nameOf(number: number): string {
  return Array.from(String(number), (digit) => "abcdefghij"[Number(digit)]).join("x");
}
