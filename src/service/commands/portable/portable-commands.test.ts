import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { sendWebResponse, webRequestOf } from "#http";
import { type ApiService, openApiService } from "../../../../tests/kit/api-service.ts";
import type { EventLine, PortableLine } from "../../stores/portable/lines.ts";
import type { ServiceCommand } from "../command.ts";
import { exportCommand } from "../export-command.ts";
import { importCommand } from "../import-command.ts";

const hour = 3_600_000;
const at = Date.now() - 3 * hour;

const shelves = ["upper", "lower", "other"];

function eventLine(n: number): EventLine {
  const id = (0x10000 + n).toString(16).padEnd(32, "a");
  const message = { text: `The ${shelves[n % 3]} shelf is empty` };
  const collections = { exceptions: [], tags: {}, breadcrumbs: [], contexts: {}, extra: {}, modules: {} };
  const event = { level: "error" as const, ...collections, debugImages: [], message };
  return { kind: "event", id, at: at + n, receivedAt: at + n, level: "error", environment: "production", event };
}

describe("export and import through the API", { timeout: 120_000 }, () => {
  let service: ApiService;
  let server: Server;
  let origin: string;
  let folder: string;
  /** Decides for each request what happens to its connection. */
  let cut: (method: string, n: number) => "whole" | "before" | "after" | "within" = () => "whole";

  beforeAll(async () => {
    service = await openApiService();
    let requests = 0;
    server = createServer((incoming, response) => {
      requests += 1;
      const fault = cut(incoming.method ?? "", requests);
      if (fault === "before") return void incoming.socket.destroy();
      const request = webRequestOf(incoming, origin);
      if (request === undefined) return void response.writeHead(400).end();
      void service.handle(request, { address: "192.0.2.1" }).then(async (answer) => {
        if (fault === "after") return void incoming.socket.destroy();
        if (fault === "within") {
          const text = await answer.text();
          response.writeHead(answer.status, { "Content-Type": "application/x-ndjson", "Content-Length": text.length });
          response.write(text.slice(0, text.length * 0.7), () => incoming.socket.destroy());
          return;
        }
        void sendWebResponse({ incoming, response }, answer);
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    folder = mkdtempSync(join(tmpdir(), "holdfast-portable-"));
    vi.stubEnv("HOLDFAST_TOKEN", "");
    await service.api.portable.importLines(
      1,
      Array.from({ length: 300 }, (_, n) => eventLine(n)),
      "kim",
    );
    await service.api.change(1, [2], { kind: "comment", text: "Who fills it?" }, "kim");
    await service.api.change(1, [2], { kind: "resolve", in: "now" }, "kim");
  }, 120_000);

  afterAll(async () => {
    vi.unstubAllEnvs();
    server.close().closeAllConnections();
    await service.close();
    rmSync(folder, { recursive: true });
  });

  async function run(command: ServiceCommand, ...args: string[]): Promise<{ code: number; text: string }> {
    const printed: string[] = [];
    const output = { print: (text: string) => printed.push(text), warn: (text: string) => printed.push(text) };
    const code = await command.run([...args, "--service", origin], output);
    return { code, text: printed.join("\n") };
  }

  async function allow(project: number): Promise<void> {
    vi.stubEnv("HOLDFAST_TOKEN", await service.token({ kind: "project", project }, ["admin"]));
  }

  it("survive connections that are cut before, within and after a request", async () => {
    await allow(1);
    const file = join(folder, "shop.ndjson.gz");
    cut = (_, n) => (n === 1 ? "before" : n === 2 || n === 3 ? "within" : "whole");
    expect((await run(exportCommand, file)).text).toMatch(/lines are in .*shop\.ndjson\.gz\.$/);
    expect(existsSync(`${file}.progress`)).toBe(false);
    const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split("\n");
    const kinds = lines.map((line) => (JSON.parse(line) as { kind: string }).kind);
    expect([kinds[0], kinds.at(-1)]).toEqual(["header", "end"]);
    expect(
      kinds.filter((kind) => kind === "event"),
      "each once",
    ).toHaveLength(301);
    await expect(run(exportCommand, file)).rejects.toThrow("is there already");

    await allow(2);
    let posts = 0;
    cut = (method) => {
      posts += Number(method === "POST");
      return posts % 3 === 1 ? "after" : "whole";
    };
    const { code, text } = await run(importCommand, file, "--project", "2");
    cut = () => "whole";
    expect(code).toBe(0);
    expect(text, "the response was lost, and the lines came again").toContain("were there already");
    const issues = await listed(2);
    expect(issues.map(({ title, events }) => [title, events])).toEqual(
      expect.arrayContaining([
        ["The upper shelf is empty", 100],
        ["The lower shelf is empty", 100],
        ["The other shelf is empty", 100],
      ]),
    );
    expect(issues.find(({ title }) => title === "The upper shelf is empty")?.state.kind).toBe("resolved");
  });

  async function listed(
    project: number,
  ): Promise<readonly { title: string; events: number; state: { kind: string } }[]> {
    const token = await service.token({ kind: "project", project }, ["read"]);
    const { json } = await service.call(`GET /projects/${project}/issues?limit=100`, { token });
    return (json as { items: { title: string; events: number; state: { kind: string } }[] }).items;
  }

  it("names the line that is wrong, and goes on after it is corrected or left out", async () => {
    await allow(2);
    const file = join(folder, "wrong.ndjson");
    const write = (...lines: (PortableLine | object | string)[]): void =>
      writeFileSync(file, lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
    let exports = 0;
    const nextHeader = () => ({ kind: "header", format: 1, exportedAt: ++exports });
    const end = { kind: "end" };
    write(nextHeader(), eventLine(1_001), { ...eventLine(1_002), at: "now" }, eventLine(1_003), end);
    const to = ["--project", "2"] as const;
    await expect(run(importCommand, file, ...to)).rejects.toThrow(/Line 3 of .* at: It must be/);
    expect(await service.api.event(2, eventLine(1_001).id), "what was before it is there").toBeDefined();
    const skipped = await run(importCommand, file, ...to, "--skip-wrong");
    expect(skipped).toMatchObject({ code: 1, text: expect.stringContaining("Line 3 is left out") });
    expect(await service.api.event(2, eventLine(1_003).id)).toBeDefined();

    write(nextHeader(), eventLine(1_004), '{"kind":"nonsense"}', end);
    await expect(run(importCommand, file, ...to)).rejects.toThrow(/Line 3 of .*kind: It must be one of issue, event/);
    write(nextHeader(), eventLine(1_005), eventLine(1_006));
    await expect(run(importCommand, file, ...to)).rejects.toThrow("ends after line 3, before the end of the export");
    write(nextHeader(), eventLine(1_007), eventLine(1_008));
    truncateSync(file, statSync(file).size - 100);
    await expect(run(importCommand, file, ...to), "half a line").rejects.toThrow("Line 3 of");
    write({ kind: "header", format: 99 }, end);
    await expect(run(importCommand, file, ...to)).rejects.toThrow('has the format "99"');
    write({ kind: "issue" });
    await expect(run(importCommand, file, ...to)).rejects.toThrow("is not the header of an export");
    write(nextHeader(), { kind: "figures", of: "passwords", rows: [{}] }, end);
    await expect(run(importCommand, file, ...to)).rejects.toThrow("This version does not know them");
  });

  it("owners alone may export and import", async () => {
    vi.stubEnv("HOLDFAST_TOKEN", await service.token({ kind: "project", project: 1 }, ["read", "triage"]));
    await expect(run(exportCommand, join(folder, "secret.ndjson"))).rejects.toThrow("api-scope-missing");
    const token = await service.token({ kind: "project", project: 1 }, ["admin"]);
    expect(await service.call("GET /projects/1/export?after=nonsense", { token })).toMatchObject({ status: 400 });
    const large = { lines: [{ kind: "attachment", base64: "a".repeat(13_000_000) }] };
    expect(await service.call("POST /projects/1/import", { token, body: large })).toMatchObject({ status: 413 });
    expect(service.failures).toEqual([]);
  });
});
