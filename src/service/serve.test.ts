import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openService } from "./open-service.ts";
import { createServiceServer, type ServeDeps, serveLimits } from "./serve.ts";

async function serving(parts: ServeDeps) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-serve-"));
  const service = await openService({ dataFolder: folder });
  const server = createServiceServer(service, parts).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await service.close();
    rmSync(folder, { recursive: true });
  });
  return { service, port: (server.address() as AddressInfo).port };
}

/** Reads a connection until the other side closes it. */
function converse(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    socket.on("data", (data) => {
      answer += data.toString("latin1");
    });
    socket.on("error", () => undefined).on("close", () => resolve(answer));
    socket.write(text);
  });
}

test("the service speaks only HTTP: it refuses an upgrade and closes the socket", async () => {
  const { port } = await serving({});
  const upgrade = "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n";
  expect(await converse(port, upgrade)).toMatch(/^HTTP\/1\.1 400/);
});

test("the service closes connections with slow headers, slow bodies, or clients that read no response", async () => {
  const limits = { ...serveLimits, headersMs: 200, requestMs: 400, checkMs: 50, stalledMs: 500 };
  let stalled: ServerResponse | undefined;
  const console = async (_request: unknown, response: ServerResponse): Promise<void> => {
    stalled = response;
    response.writeHead(200, { "Content-Length": 50_000_000 });
    response.write(Buffer.alloc(50_000_000));
  };
  const { port } = await serving({ limits, console });
  expect(await converse(port, "POST /api/1/envelope/ HTTP/1.1\r\nHost: a\r\nX-Slow: ")).toMatch(/^HTTP\/1\.1 408/);
  const slowBody = "POST /api/1/envelope/?sentry_key=x HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nonly this";
  // An unknown key is refused at once. The rest of its body gets no more time than any other.
  expect(await converse(port, slowBody)).toMatch(/^HTTP\/1\.1 40[38]/);
  const reader: Socket = connect(port, "127.0.0.1");
  reader.pause().on("error", () => undefined);
  reader.write("GET /_holdfast HTTP/1.1\r\nHost: a\r\n\r\n");
  await expect.poll(() => stalled?.destroyed, { timeout: 5_000 }).toBe(true);
  reader.destroy();
});

test("connections of one client are bounded and counted in the metrics", async () => {
  const limits = { ...serveLimits, connectionsPerClient: 3 };
  const { service, port } = await serving({ limits, isShared: () => false });
  const sockets = Array.from({ length: 5 }, () => connect(port, "127.0.0.1").on("error", () => undefined));
  await expect.poll(() => service.refusals.totals.get("connections")).toBe(2);
  expect(service.metrics()).toContain('holdfast_refused_total{resource="connections"} 2\n');
  for (const socket of sockets) socket.destroy();
});

test("the metrics are for this machine, and elsewhere for tokens that may read", async () => {
  const { service, port } = await serving({});
  const ask = async (headers: Record<string, string>, path = "/metrics") => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    return [answer.status, (await answer.text()).includes("holdfast_answers_total")];
  };
  const elsewhere = { "x-forwarded-for": "203.0.113.7" };
  const tokenFor = async (scope: "read" | "upload"): Promise<string> => {
    const made = await service.shared.tokens.create(
      { kind: "project", project: 1 },
      { name: scope, scopes: [scope] },
      "ada",
    );
    return made.kind === "created" ? `Bearer ${made.secret}` : made.why;
  };
  expect(await ask({})).toEqual([200, true]);
  expect(await ask({}, "/_holdfast/metrics")).toEqual([200, true]);
  expect(await ask(elsewhere)).toEqual([401, false]);
  expect(await ask({ ...elsewhere, authorization: "Bearer hft_guessed" })).toEqual([401, false]);
  expect(await ask({ ...elsewhere, authorization: await tokenFor("upload") })).toEqual([403, false]);
  expect(await ask({ ...elsewhere, authorization: await tokenFor("read") })).toEqual([200, true]);
});
