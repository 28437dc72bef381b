import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { Logins } from "../commands/remote/logins.ts";
import { type McpExample, openMcpExample } from "./mcp-example.contract.ts";
import { holdfastFromSource, type StartedMcp, startHoldfastMcp } from "./start-stdio.contract.ts";

// Each starts processes from source, which compile everything.
vi.setConfig({ testTimeout: 120_000 });

let example: McpExample;

beforeAll(async () => {
  example = await openMcpExample();
});

afterAll(() => example.close());

async function call({ client }: StartedMcp, name: string, given: Record<string, unknown> = {}): Promise<string> {
  const { content } = await client.callTool({ name, arguments: given });
  return (content as { text: string }[])[0]?.text ?? "";
}

test("holdfast mcp reads a data folder while its service runs, and offers no tool that changes", async () => {
  const started = await startHoldfastMcp(["--data", example.dataFolder]);
  const { tools } = await started.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["find_issues", "read_event", "reproduce"]));
  expect(tools.map(({ name }) => name)).not.toContain("resolve_issue");
  expect(await call(started, "read_event", { event: example.events.shop })).toContain("return cart.items.length;");
  expect(await call(started, "resolve_issue", { issue: 1, project: 1 })).toContain("This token only reads.");
  expect(started.wrong).toEqual([]);
});

test("holdfast mcp starts before anything was filed, and says that there is nothing yet", async () => {
  const started = await startHoldfastMcp(["--data", `${example.dataFolder}/none`]);
  expect(await call(started, "find_issues")).toContain("There is no project");
  expect(started.wrong).toEqual([]);
});

test("holdfast mcp --service forwards to a service with the token of the environment or of the login, or says why it cannot", async () => {
  const secret = example.grant({ 1: "member" }, ["triage"]);
  const service = ["--service", example.origin];
  const started = await startHoldfastMcp(service, { HOLDFAST_TOKEN: secret });
  expect((await started.client.listTools()).tools.map(({ name }) => name)).toContain("resolve_issue");
  const { issue } = (await example.api.event(1, example.events.shop)) ?? {};
  expect(await call(started, "comment_issue", { issue: issue?.number, text: "by an agent" })).toContain("is on #");
  expect(started.wrong).toEqual([]);
  const folder = mkdtempSync(join(tmpdir(), "holdfast-mcp-login-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  new Logins({ XDG_CONFIG_HOME: folder }).keep(example.origin, secret);
  const signedIn = await startHoldfastMcp(service, { XDG_CONFIG_HOME: folder });
  expect((await signedIn.client.listTools()).tools.map(({ name }) => name)).toContain("resolve_issue");
  await expect(startHoldfastMcp(service, { HOLDFAST_TOKEN: "hft_no" })).rejects.toThrow(
    "This token is unknown or revoked.",
  );
});

test("holdfast mcp names the package that is not installed", () => {
  const hook = `import { registerHooks } from "node:module"; registerHooks({ resolve: (name, context, next) => {
    if (name.startsWith("@modelcontextprotocol/")) throw Object.assign(new Error(name), { code: "ERR_MODULE_NOT_FOUND" });
    return next(name, context); } });`;
  const args = ["--import", `data:text/javascript,${encodeURIComponent(hook)}`, ...holdfastFromSource("mcp")];
  const run = spawnSync(process.execPath, args, {
    encoding: "utf8",
    env: { HOLDFAST_DATA: example.dataFolder },
  });
  expect([run.status, run.stdout]).toEqual([1, ""]);
  expect(run.stderr).toMatch(/npm install @modelcontextprotocol\/sdk.*\[service-no-mcp-package\]/);
});
