import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { afterEach, expect, test } from "vitest";
import { mcpLimits, mcpLimitsOf } from "./limits.ts";
import { type McpExample, openMcpExample } from "./mcp-example.contract.ts";

let example: McpExample;

afterEach(() => example.close());

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

interface Posted {
  secret?: string;
  headers?: Record<string, string>;
  body?: string;
  method?: string;
}

function post({ secret, headers = {}, body = JSON.stringify(initialize), method = "POST" }: Posted): Promise<Response> {
  return fetch(example.origin, {
    method,
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
      ...headers,
    },
    ...(method === "POST" && { body }),
  });
}

test("Refuses what has no token, comes from another site, or is no message, with a status and a sentence", async () => {
  example = await openMcpExample();
  const secret = example.grant({ 1: "owner" }, ["read"]);
  const upload = example.grant({ 1: "owner" }, ["upload"]);
  const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}}`;
  const cases: readonly (readonly [what: string, sent: Posted, status: number])[] = [
    ["allowed", { secret }, 200],
    ["no token", {}, 401],
    ["unknown token", { secret: "hft_x" }, 401],
    ["no bearer", { headers: { authorization: "Basic a2lt" } }, 401],
    ["upload only", { secret: upload }, 403],
    ["another site", { secret, headers: { origin: "https://evil.test" } }, 403],
    ["sandboxed page", { secret, headers: { origin: "null" } }, 403],
    ["own page", { secret, headers: { origin: example.origin } }, 200],
    ["GET", { secret, method: "GET" }, 405],
    ["DELETE", { secret, method: "DELETE" }, 405],
    ["too large", { secret, body: " ".repeat(mcpLimits.bodyBytes + 1) }, 413],
    ["no JSON", { secret, body: "{" }, 400],
    ["several messages", { secret, body: JSON.stringify([initialize, initialize]) }, 400],
    ["too deep", { secret, body: deep }, 400],
    ["no message", { secret, body: "{}" }, 400],
    ["unknown method", { secret, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "x" }) }, 200],
    ["notification", { secret, body: JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }) }, 202],
    ["other type", { secret, headers: { "content-type": "text/plain" } }, 415],
    ["accepts HTML", { secret, headers: { accept: "text/html" } }, 406],
    [
      "wrong version",
      { secret, headers: { "mcp-protocol-version": "1" }, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' },
      400,
    ],
  ];
  const seen = await Promise.all(cases.map(async ([what, sent]) => [what, (await post(sent)).status]));
  expect(seen).toEqual(cases.map(([what, , status]) => [what, status]));
  const refused = await post({});
  expect(refused.headers.get("www-authenticate")).toBe('Bearer realm="holdfast"');
  expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining("needs a token") } });
});

test("One token may make a limited number of calls and learns when to retry; others are not affected", async () => {
  example = await openMcpExample({ limits: { ...mcpLimits, callBurst: 2 }, clock: { elapsed: () => 0 } });
  const [first, second] = [example.grant({ 1: "viewer" }, ["read"]), example.grant({ 1: "viewer" }, ["read"])];
  const statuses = [];
  for (const secret of [first, first, first, second]) statuses.push((await post({ secret })).status);
  expect(statuses).toEqual([200, 200, 429, 200]);
  expect((await post({ secret: first })).headers.get("retry-after")).toBe("1");
});

test("Open access admits programs on this machine without a token, by its own names only", async () => {
  example = await openMcpExample({ access: { kind: "open" } });
  expect((await post({})).status).toBe(200);
  expect((await post({ headers: { "x-forwarded-for": "192.0.2.1" } })).status).toBe(401);
  expect((await post({ headers: { origin: "https://evil.test" } })).status).toBe(403);
  // A name that its owner lets point to this machine.
  const byOtherName = request(example.origin, { method: "POST", headers: { host: "evil.test:3000" } }).end("{}");
  const [answer] = (await once(byOtherName, "response")) as [IncomingMessage];
  expect(answer.resume().statusCode).toBe(401);
});

test("A long answer is cut with a hint, its parts are the whole, and the operator sets the length", async () => {
  const limits = { ...mcpLimits, answerCharacters: 200 };
  example = await openMcpExample({ limits });
  const client = await example.connect(example.grant({ 1: "viewer" }, ["read"]));
  const { eventId } = (await example.api.event(1, example.events.shop))?.event ?? {};
  const parts: string[] = [];
  for (let from: number | undefined = 0; from !== undefined; ) {
    const { content } = await client.callTool({ name: "read_event", arguments: { event: eventId, from } });
    const [{ text } = { text: "" }] = content as { text: string }[];
    expect(text.length).toBeLessThan(limits.answerCharacters + 500);
    const [, part = "", rest = ""] = /--- begin \w+ ---\n(.*)\n--- end \w+ ---(.*)/s.exec(text) ?? [];
    parts.push(part);
    const [, next] = /Ask again with from: (\d+)\.$/.exec(rest) ?? [];
    from = next === undefined ? undefined : Number(next);
  }
  expect(parts.length).toBeGreaterThan(2);
  const whole = await example.api.eventAsMarkdown(1, example.events.shop, `${example.origin}/_holdfast`);
  expect(parts.join("")).toBe(whole?.replaceAll("\u200b", ""));
  const { content } = await client.callTool({ name: "read_event", arguments: { event: eventId, from: 9_999_999 } });
  expect(JSON.stringify(content)).toContain("and none after 9999999");
  await client.close();
  expect(mcpLimitsOf({ HOLDFAST_MCP_CHARACTERS: "500", HOLDFAST_MCP_CALLS: "7" })).toMatchObject({
    answerCharacters: 500,
    callBurst: 7,
  });
  expect(() => mcpLimitsOf({ HOLDFAST_MCP_CHARACTERS: "many" })).toThrow("service-wrong-mcp-characters");
  expect(() => mcpLimitsOf({ HOLDFAST_MCP_CALLS: "0" })).toThrow("service-wrong-mcp-calls");
});
