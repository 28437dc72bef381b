import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { sendWebResponse, webRequestOf } from "#http";
import { type ApiService, openApiService } from "../../../../tests/kit/api-service.ts";
import type { ServiceCommand } from "../command.ts";
import { eventCommand } from "../event-command.ts";
import { issuesCommand } from "../issues-command.ts";
import { loginCommand, logoutCommand } from "../login-command.ts";
import { resolveCommand } from "../resolve-command.ts";
import { tail } from "../tail-command.ts";
import { traceCommand } from "../trace-command.ts";
import { Logins } from "./logins.ts";
import { openRemote } from "./open-remote.ts";

describe("commands with --service", { timeout: 60_000 }, () => {
  let service: ApiService;
  let origin: string;
  let home: string;
  let closeServer: () => void;

  beforeAll(async () => {
    service = await openApiService();
    const server = createServer((incoming, response) => {
      const request = webRequestOf(incoming, origin);
      if (request === undefined) return void response.writeHead(400).end();
      void service
        .handle(request, { address: "192.0.2.1" })
        .then((answer) => sendWebResponse({ incoming, response }, answer));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    closeServer = () => server.close().closeAllConnections();
    home = mkdtempSync(join(tmpdir(), "holdfast-logins-"));
  }, 60_000);

  afterAll(async () => {
    vi.unstubAllEnvs();
    closeServer();
    await service.close();
    rmSync(home, { recursive: true });
  });

  beforeEach(() => {
    vi.stubEnv("XDG_CONFIG_HOME", home);
    vi.stubEnv("HOLDFAST_TOKEN", "");
  });

  async function run(command: ServiceCommand, ...args: string[]): Promise<{ code: number; text: string }> {
    const printed: string[] = [];
    const output = { print: (text: string) => printed.push(text), warn: (text: string) => printed.push(text) };
    const code = await command.run([...args, "--service", origin], output);
    return { code, text: printed.join("\n") };
  }

  async function setToken(...scopes: ("read" | "triage")[]): Promise<void> {
    vi.stubEnv("HOLDFAST_TOKEN", await service.token({ kind: "project", project: 1 }, scopes));
  }

  it("issues, events and traces are read with a token of the environment, for people and for programs", async () => {
    await setToken("read");
    expect((await run(issuesCommand)).text).toMatch(/^#1 {2}open {6}.*1× {2}BasketError: The basket is empty/);
    const issues: unknown = JSON.parse((await run(issuesCommand, "is:open", "--json")).text);
    expect(issues).toMatchObject([{ number: 1, events: 1 }]);
    const { own, other, trace } = service.events;
    expect((await run(eventCommand, own)).text).toContain("BasketError: The basket is empty");
    expect(JSON.parse((await run(eventCommand, own, "--json")).text)).toMatchObject({ id: own });
    expect(await run(eventCommand, other), "an event of another project").toEqual({
      code: 1,
      text: `There is no event ${other}.`,
    });
    expect((await run(traceCommand, trace)).text).toContain("error  BasketError: The basket is empty");
    expect(JSON.parse((await run(traceCommand, trace, "--json")).text)).toMatchObject({ traceId: trace });
    expect((await run(traceCommand, "0".repeat(32))).code).toBe(1);
  });

  it("an issue is resolved with the scope for it, and refused without", async () => {
    await setToken("read");
    await expect(run(resolveCommand, "1")).rejects.toThrow("api-scope-missing");
    await setToken("triage");
    expect(await run(resolveCommand, "#1", "--json")).toEqual({ code: 0, text: '{"changed":1}' });
    expect((await run(issuesCommand, "is:resolved")).text).toMatch(/^#1 {2}resolved/);
    expect(await run(resolveCommand, "77")).toEqual({ code: 1, text: "0 issues are resolved." });
    await expect(run(resolveCommand, "one")).rejects.toThrow('"one" is no number of an issue.');
  });

  it("what arrives is printed once, each record in its line", async () => {
    await setToken("read");
    const remote = openRemote(origin);
    const stopped = new AbortController();
    const printed: string[] = [];
    let asked = 0;
    await tail({
      ask: async (after) => {
        asked += 1;
        if (asked === 2) stopped.abort();
        return remote.call("GET /projects/{project}/live", { params: { project: 1 }, query: { after } });
      },
      output: { print: (text) => printed.push(text) },
      isJson: false,
      signal: stopped.signal,
    });
    expect(printed.filter((line) => line.includes("The basket is empty"))).toHaveLength(1);
    expect(printed.filter((line) => line.includes("basket opened"))).toHaveLength(1);
  });

  it("a login gives this machine a token that only its person can read, and a logout revokes it", async () => {
    await service.join("ada@remote.test", { 1: "member" });
    await expect(run(issuesCommand)).rejects.toThrow("Run holdfast login");
    const printed: string[] = [];
    const output = { print: (text: string) => printed.push(text), warn: () => undefined };
    const running = loginCommand.run(["--service", origin, "--no-browser"], output);
    await expect.poll(() => printed.length).toBe(2);
    const asked = new URL(printed[0]?.replace("Open ", "") ?? "").searchParams;
    const [challenge = "", state = ""] = [asked.get("challenge") ?? "", asked.get("state") ?? ""];
    expect(printed[1]).toContain(challenge.slice(0, 4));
    const back = `http://127.0.0.1:${asked.get("port")}/`;
    expect((await fetch(`${back}?code=guess&state=another`)).status, "another program").toBe(404);
    const wish = { email: "ada@remote.test", name: "command line on here", scopes: ["read"], challenge };
    const code = (await service.api.tokens.beginLogin(wish)) ?? "";
    expect(await (await fetch(`${back}?${new URLSearchParams({ code, state })}`)).text()).toContain("signed in");
    expect(await running).toBe(0);
    const { file } = new Logins();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const token = new Logins().tokenFor(origin) ?? "";
    expect(printed.join()).not.toContain(token);
    expect((await run(issuesCommand)).text).toContain("BasketError");

    expect((await run(logoutCommand)).text).toBe(`You are signed out of ${origin}.`);
    expect(await service.api.tokens.find(token)).toBeUndefined();
    await expect(run(issuesCommand)).rejects.toThrow("Run holdfast login");
  });

  it("a token is not sent unencrypted into other networks, and a service that is away is named", async () => {
    await setToken("read");
    const to = (address: string) => issuesCommand.run(["--service", address], { print: () => 0, warn: () => 0 });
    await expect(to("http://errors.example.org")).rejects.toThrow("is not encrypted");
    await expect(to("errors.example.org")).rejects.toThrow("is no address of a service");
    await expect(to("http://127.0.0.1:1")).rejects.toThrow("http://127.0.0.1:1 cannot be reached");
  });
});
