import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { readDsn } from "#protocol";
import { openReader, openService, serviceCommands } from "#service";
import { handOverBuild, handOverLimits } from "./hand-over-build.ts";

const ids = ["c".repeat(32), "d".repeat(32)] as const;
const limits = { ...handOverLimits, startAfterMs: 0, retryMs: 1, tries: 5 };

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-hand-over-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A build with a map for the browser and one for the server. */
function aBuild(): string {
  const folder = newFolder();
  for (const [part, id] of [
    ["maps/_assets", ids[0]],
    ["server", ids[1]],
  ] as const) {
    mkdirSync(join(folder, part), { recursive: true });
    const map = {
      version: 3,
      sources: [],
      sourcesContent: ['const x = {"debug_id":"no id"}'],
      mappings: "",
      debug_id: id,
    };
    writeFileSync(join(folder, part, "chunk.js.map"), JSON.stringify(map));
  }
  const commits = [{ hash: "a".repeat(40), author: "Jo", at: 1, subject: "cart: totals", files: ["src/cart.ts"] }];
  writeFileSync(join(folder, "commits.json"), JSON.stringify(commits));
  return folder;
}

async function listening(handle: RequestListener): Promise<string> {
  const server = createServer(handle).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function newToken(folder: string): Promise<string> {
  const printed: string[] = [];
  const output = { print: (text: string) => void printed.push(text), warn: () => undefined };
  await serviceCommands.token.run(["shop", "--project", "2", "--data", folder], output);
  return printed.join();
}

async function handOver(host: string, token: string, key = "k".repeat(32), project = 2) {
  const warnings: string[] = [];
  const dsn = readDsn(`http://${key}@${host}/${project}`) ?? expect.fail("no DSN");
  const handing = handOverBuild({
    dsn,
    token,
    folder: aBuild(),
    build: "b1",
    release: () => "1.0.0",
    limits,
    warn: (text) => void warnings.push(text),
  });
  await handing.settled;
  return { end: await handing.ended, warnings };
}

describe("the build of an application that reports to another machine", () => {
  it("is handed over once: maps of browser and server, and commits", async () => {
    const dataFolder = newFolder();
    const service = await openService({ dataFolder });
    onTestFinished(() => service.close());
    await service.projects.add("shop");
    const host = await listening((incoming, response) => void service.handle(incoming, response));
    const token = await newToken(dataFolder);
    expect(await handOver(host, token)).toEqual({ end: { kind: "done", uploaded: 2 }, warnings: [] });
    expect(await handOver(host, token)).toEqual({ end: { kind: "done", uploaded: 0 }, warnings: [] });
    const reader = await openReader(dataFolder);
    expect(await reader.commits(2, "1.0.0")).toMatchObject([{ subject: "cart: totals", files: ["src/cart.ts"] }]);
    expect(await reader.sourceMapBytes()).toBeGreaterThan(0);
    reader.close();
    const { end, warnings } = await handOver(host, token, undefined, 1);
    expect(end).toEqual({ kind: "refused", why: "The token is for project 2 (shop), and the request names 1." });
    expect(warnings).toEqual([expect.stringContaining("did not take the source maps of this build")]);
    expect((await handOver(host, "f".repeat(64))).end.kind).toBe("refused");
  });

  it("is not sent to another service of the Sentry protocol, and neither is the token", async () => {
    const heard: string[] = [];
    for (const status of [200, 401, 404]) {
      const host = await listening((incoming, response) => {
        heard.push(`${incoming.method} ${incoming.url} ${incoming.headers.authorization}`);
        response.writeHead(status).end(status === 404 ? "<html>" : "{}");
      });
      expect(await handOver(host, "secret")).toEqual({ end: { kind: "left-alone" }, warnings: [] });
    }
    expect(heard).toEqual(Array(3).fill("GET /api/0/builds/2/ undefined"));
  });

  it("is tried again while the service is away, and continues with what is missing", async () => {
    const taken: string[] = [];
    const failed = new Set<string | undefined>();
    const host = await listening((incoming, response) => {
      const pieces: Buffer[] = [];
      incoming.on("data", (piece) => pieces.push(piece));
      incoming.on("end", () => {
        // The first request of each kind fails.
        if (!failed.has(incoming.method)) return failed.add(incoming.method) && response.writeHead(503).end("{}");
        if (incoming.method === "PUT") taken.push(JSON.parse(gunzipSync(Buffer.concat(pieces)).toString()).debug_id);
        response.end(JSON.stringify({ service: "holdfast", missing: ids.filter((id) => !taken.includes(id)) }));
      });
    });
    expect(await handOver(host, "secret")).toEqual({ end: { kind: "done", uploaded: 2 }, warnings: [] });
    expect(taken).toEqual(ids);
  });

  it("is given up with one warning if the service stays away", async () => {
    let requests = 0;
    const host = await listening((_incoming, response) => {
      requests += 1;
      response.writeHead(503).end();
    });
    const { end, warnings } = await handOver(host, "secret");
    expect([end.kind, requests, warnings.length]).toEqual(["given-up", limits.tries, 1]);
  });
});
