import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { openMcpExample } from "./mcp-example.contract.ts";
import { startHoldfastMcp } from "./start-stdio.contract.ts";

interface Server {
  url?: string;
  headers?: { Authorization?: string };
  command?: string;
  args?: string[];
}

const guide = readFileSync(new URL("../../../docs/guides/mcp.md", import.meta.url), "utf8");
const servers = [...guide.matchAll(/^## ([^\n]+)$|```json\n(.*?)```/gms)].reduce<{
  of: string;
  found: [string, Server][];
}>(
  ({ of, found }, [, heading, json]) => {
    if (json === undefined) return { of: heading ?? "", found };
    const { mcpServers, servers: others } = JSON.parse(json) as Record<string, Record<string, Server>>;
    const here = Object.entries(mcpServers ?? others ?? {});
    return { of, found: [...found, ...here.map(([name, server]): [string, Server] => [`${of}: ${name}`, server])] };
  },
  { of: "", found: [] },
).found;

test("Every configuration of the guide connects an agent: addresses answer, commands run", {
  timeout: 120_000,
}, async () => {
  const [production, development] = await Promise.all([openMcpExample(), openMcpExample({ access: { kind: "open" } })]);
  onTestFinished(async () => {
    await production.close();
    await development.close();
  });
  const secret = production.grant({ 1: "viewer" }, ["read"]);
  const originOf = (url: string): string => (url.startsWith("http://localhost:3000") ? development : production).origin;
  const connected: string[] = [];
  for (const [name, { url, headers, command, args = [] }] of servers) {
    const example = url?.startsWith("https://") ? production : development;
    const token = headers?.Authorization;
    if (url !== undefined) {
      expect([name, new URL(url).pathname]).toEqual([name, "/_holdfast/mcp"]);
      expect([name, token === undefined]).toEqual([name, example === development]);
      if (token !== undefined)
        expect(token).toMatch(/^Bearer \$\{(?:HOLDFAST_TOKEN|env:HOLDFAST_TOKEN|input:token)\}$/);
      const client = await example.connect(token === undefined ? undefined : secret);
      expect((await client.listTools()).tools.length).toBeGreaterThan(5);
      await client.close();
    } else {
      expect([name, command, args.slice(0, 2)]).toEqual([name, "npx", ["holdfast", "mcp"]]);
      const words = args.slice(2).map((word) => (URL.canParse(word) ? originOf(word) : word));
      const data = words.map((word) => (word === ".holdfast" ? development.dataFolder : word));
      const { client, wrong } = await startHoldfastMcp(data);
      expect((await client.listTools()).tools.length).toBeGreaterThan(5);
      expect(wrong).toEqual([]);
      await client.close();
    }
    connected.push(name);
  }
  expect(connected).toEqual([
    "Claude Code: holdfast",
    "Claude Code: errors",
    "Cursor: errors",
    "Cursor: holdfast",
    "VS Code: errors",
    "VS Code: folder",
  ]);
});
