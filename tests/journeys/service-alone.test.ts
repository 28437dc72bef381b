import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, test } from "vitest";
import { digestOf, envelopeUrl, jsonItem, newEventId, readDsn, writeEnvelope } from "#protocol";
import { openSharedState } from "#service";

const command = fileURLToPath(new URL("../../bin/holdfast.js", import.meta.url));
const run = (...args: string[]) => spawnSync(process.execPath, [command, ...args], { cwd: tmpdir(), encoding: "utf8" });
const password = "several words to remember";

test("a standalone holdfast service with wrong settings does not start, and names all of them", () => {
  const data = mkdtempSync(join(tmpdir(), "holdfast-wrong-"));
  onTestFinished(() => rmSync(data, { recursive: true }));
  const wrong = { HOLDFAST_SECRET_BEFORE: "abc", HOLDFAST_OWNERSHIP_RULES: "-1", HOLDFAST_MCP_CALLS: "x" };
  const start = (env: Record<string, string>) =>
    spawnSync(process.execPath, [command, "service", "--port", "0", "--data", data], {
      cwd: tmpdir(),
      encoding: "utf8",
      env: { ...process.env, ...env },
      timeout: 30_000,
    });
  const { status, stdout, stderr } = start(wrong);
  expect([status, stdout]).toEqual([1, ""]);
  for (const name of Object.keys(wrong)) expect(stderr).toContain(name);
  const one = start({ HOLDFAST_SECRET: "short" });
  expect([one.status, one.stderr]).toEqual([1, expect.stringMatching(/^HOLDFAST_SECRET has 5 characters;.*\n$/)]);
});

describe("a standalone holdfast service", () => {
  let folder: string;
  let service: ChildProcess;
  let said: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-alone-"));
    said = "";
    service = spawn(process.execPath, [command, "service", "--port", "0", "--data", folder]);
    service.stdout?.on("data", (data) => {
      said += data;
    });
    while (!said.includes("Console:")) await once(service.stdout ?? service, "data");
  });

  afterEach(async () => {
    service.kill("SIGTERM");
    await once(service, "exit");
    rmSync(folder, { recursive: true });
  });

  it("accepts a client's reports, and shows them to its first owner after signing in", async () => {
    const origin = /listens at (\S+)/.exec(said)?.[1] ?? "";
    const key = /http:\/\/(\w{32})@/.exec(said)?.[1] ?? "";
    const eventId = newEventId();
    const event = { event_id: eventId, exception: { values: [{ type: "TypeError", value: "the cart is empty" }] } };
    const sent = await fetch(`${origin}/api/1/envelope/?sentry_key=${key}`, {
      method: "POST",
      body: Buffer.from(writeEnvelope({ eventId }, [jsonItem("event", event)])),
    });
    expect(sent.status).toBe(200);

    // The application that sent it may tell visitors what became of it.
    const answer = `${origin}/api/1/answer/${digestOf(eventId)}?sentry_key=${key}`;
    await expect.poll(async () => (await fetch(answer)).json()).toEqual({ state: "known" });

    const beginning = await fetch(`${origin}/`, { redirect: "manual" });
    expect([beginning.status, beginning.headers.get("location")]).toEqual([302, "/_holdfast"]);
    const stranger = await fetch(`${origin}/_holdfast/1/issues`);
    expect(new URL(stranger.url).pathname).toBe("/_holdfast/sign-in");
    expect(await stranger.text()).not.toContain("the cart is empty");

    const link = /Console: \S+(\/_holdfast\/welcome\/\S+)/.exec(said)?.[1] ?? "";
    const welcomed = await fetch(`${origin}${link}/_action/accept`, {
      method: "POST",
      headers: { origin },
      body: new URLSearchParams({ email: "ada@example.org", password }),
      redirect: "manual",
    });
    const cookie = welcomed.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect(cookie).toContain("holdfast-console");
    await expect
      .poll(async () => (await fetch(`${origin}/_holdfast/1/issues`, { headers: { cookie } })).text())
      .toContain("the cart is empty");

    const settings = await (await fetch(`${origin}/_holdfast/1/settings`, { headers: { cookie } })).text();
    const shown = readDsn(/http:\/\/\w{32}@[\w.:/]+/.exec(settings)?.[0] ?? "");
    const byShownDsn = await fetch(shown === undefined ? "" : `${envelopeUrl(shown)}?sentry_key=${shown.publicKey}`, {
      method: "POST",
      body: Buffer.from(writeEnvelope({ eventId: newEventId() }, [jsonItem("event", { message: "by the shown DSN" })])),
    });
    expect(byShownDsn.status).toBe(200);

    // An agent with a token of the project reads the same, with the official client.
    const shared = await openSharedState(folder);
    const made = await shared.tokens.create(
      { kind: "project", project: 1 },
      { name: "agent", scopes: ["read"] },
      "kim",
    );
    await shared.close();
    const agent = async (secret: string): Promise<Client> => {
      const requestInit = { headers: { authorization: `Bearer ${secret}` } };
      const transport = new StreamableHTTPClientTransport(new URL(`${origin}/_holdfast/mcp`), { requestInit });
      const client = new Client({ name: "test", version: "1" });
      await client.connect(transport as Parameters<Client["connect"]>[0]);
      return client;
    };
    const client = await agent(made.kind === "created" ? made.secret : "");
    const read = await client.callTool({ name: "read_event", arguments: { event: digestOf(eventId) } });
    expect(JSON.stringify(read.content)).toContain("the cart is empty");
    await client.close();
    await expect(agent("hft_unknown")).rejects.toThrow("unknown or revoked");
  });

  it("is checked by the doctor while it runs, and lets no other use its address and its folder", () => {
    const doctor = run("doctor", "--data", folder);
    expect(doctor.stdout).toMatch(/✓ Store +\d+ weeks?, .* no damage found/);
    expect(doctor.status).toBe(0);
    const port = /listens at \S+:(\d+)/.exec(said)?.[1] ?? "";
    const elsewhere = join(folder, "elsewhere");
    expect(run("service", "--port", port, "--data", elsewhere)).toMatchObject({
      status: 1,
      stderr: `Another program listens at http://127.0.0.1:${port} already. Stop it, or name another port with --port. [service-address-taken]\n`,
    });
    expect(run("service", "--port", "0", "--data", folder).stderr).toContain("[service-folder-in-use]");
  });
});
