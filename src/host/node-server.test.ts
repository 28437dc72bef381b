import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { request as ask, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { Refusals } from "#bounds";
import { type PageHandler, RunningActions } from "#pages";
import { openService } from "#service";
import { silentServerSignals } from "#signals";
import { hostLimits } from "./limits.ts";
import { createNodeServer, type NodeServerDeps } from "./node-server.ts";
import { createClientAddresses } from "./origin.ts";
import { stopServer } from "./process/stop.ts";

type Handle = (incoming: IncomingMessage, response: ServerResponse) => void | Promise<void>;

function pagesOf(handle: Handle): PageHandler {
  return {
    build: "test",
    owns: () => true,
    upgrade: () => undefined,
    warm: async () => undefined,
    schedules: async () => [],
    lifecycle: async () => ({}),
    handle: async (incoming, response) => handle(incoming, response),
  };
}

/** A server whose pages are one function, with limits short enough to reach in a test. */
async function serving(handle: Handle, parts: Partial<NodeServerDeps> = {}) {
  const server = createNodeServer({
    pages: pagesOf(handle),
    files: { build: "test", has: () => false, serve: () => false },
    mounts: [],
    clientAddresses: createClientAddresses({ origin: undefined, trustedProxies: [] }),
    isKnownHost: () => true,
    log: undefined,
    limits: { ...hostLimits, headersMs: 200, requestMs: 400, stalledMs: 1_000, checkSocketsMs: 50 },
    isReady: () => true,
    isShort: () => false,
    refusals: new Refusals(),
    signals: silentServerSignals,
    ...parts,
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  return { server, port: (server.address() as AddressInfo).port };
}

/** Returns everything that a connection receives until the other side closes it. */
function converse(port: number, ...texts: string[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.setEncoding("latin1").on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", () => socket.destroy()).on("close", () => resolve(text));
    for (const one of texts) socket.write(one);
  });
}

const noActions = new RunningActions();
const reasons = { tooLate: () => new Error("too late"), interrupted: () => new Error("interrupted") };

const readAll: Handle = async (incoming, response) => {
  for await (const _chunk of incoming);
  response.end("read");
};

test("a client that does not finish the headers or the body gets a status and is closed", async () => {
  const { port } = await serving(readAll);
  expect(await converse(port, "GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ")).toMatch(/^HTTP\/1\.1 408/);
  expect(await converse(port, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nonly this")).toMatch(
    /^HTTP\/1\.1 408/,
  );
});

test("a connection that was opened ahead of need and never used is closed without a response", async () => {
  const { port } = await serving(readAll);
  expect(await converse(port)).toBe("");
});

test("peers that vanish at any moment, and never close their side, leave no connection open", async () => {
  const large = Buffer.alloc(20_000_000, "x");
  const { server, port } = await serving((incoming, response) => void response.end(incoming.url === "/" ? "" : large), {
    limits: { ...hostLimits, headersMs: 200, requestMs: 400, stalledMs: 500, keepAliveMs: 100, checkSocketsMs: 50 },
  });
  let accepted = 0;
  server.on("connection", () => {
    accepted += 1;
  });
  const moments = {
    "before a word": "",
    "within the headers": "GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ",
    "within the body": "POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nonly this",
    "after an answer": "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "within an answer": "GET /large HTTP/1.1\r\nHost: a\r\n\r\n",
  };
  const peers = Object.values(moments).flatMap((said) =>
    Array.from({ length: 20 }, () => {
      // It neither reads nor closes, like a peer whose cable was pulled.
      const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      socket.on("error", () => undefined).pause();
      socket.write(said);
      return socket;
    }),
  );
  onTestFinished(() => {
    for (const peer of peers) peer.destroy();
  });
  const countOpen = promisify(server.getConnections.bind(server));
  await expect.poll(() => accepted).toBe(peers.length);
  await expect.poll(() => countOpen(), { timeout: 10_000 }).toBe(0);
});

test("a client that stops reading a response is closed; one that reads slowly is served", async () => {
  const large = Buffer.alloc(20_000_000, "x");
  const { server, port } = await serving((_incoming, response) => void response.end(large));
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => socket.destroy());
  const [atServer] = (await once(server, "connection")) as [Socket];
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  // Nothing is read: the buffers of both sides fill up, and then nothing moves.
  await once(atServer, "close");
  let taken = 0;
  socket.on("data", (chunk) => {
    taken += chunk.length;
  });
  await once(socket, "close");
  expect(taken).toBeLessThan(large.length);

  const reading = ask({ port, host: "127.0.0.1", path: "/" }).end();
  const [answer] = (await once(reading, "response")) as [IncomingMessage];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length % 7 === 0) await wait(1);
  }
  expect(length).toBe(large.length);
});

test("short of memory, pages are refused at once; health reports the true state", async () => {
  let asked = 0;
  const { port } = await serving(
    (_incoming, response) => {
      asked++;
      response.end();
    },
    { isShort: () => true, isReady: () => false },
  );
  const page = await fetch(`http://127.0.0.1:${port}/`);
  expect([page.status, page.headers.get("retry-after"), asked]).toEqual([503, "2", 0]);
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(503);
});

test("a check-in by GET, as curl sends it, is accepted where the service is part of the application", async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), "holdfast-check-in-"));
  const service = await openService({ dataFolder });
  onTestFinished(async () => {
    await service.close();
    rmSync(dataFolder, { recursive: true });
  });
  const { port } = await serving((incoming, response) => void service.handle(incoming, response));
  const key = service.projects.byId(1)?.publicKey;
  const answer = await fetch(`http://127.0.0.1:${port}/api/1/cron/nightly/${key}/?status=ok`);
  expect(answer.status).toBe(200);
});

test("a mount that fails still gets a response", async () => {
  const { port } = await serving(() => undefined, {
    mounts: [{ path: "/mount", handle: () => Promise.reject(new Error("x")) }],
  });
  expect((await fetch(`http://127.0.0.1:${port}/mount/x`)).status).toBe(500);
});

test("stopping lets requests in progress finish, refuses new ones, and closes keep-alive connections", async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { server, port } = await serving(async (_incoming, response) => {
    await held;
    response.end("whole");
  });
  const underWay = fetch(`http://127.0.0.1:${port}/`);
  await expect.poll(() => new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))).toBe(1);
  const ended = stopServer(server, [noActions], { withinMs: 5_000 });
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  release();
  expect(await (await underWay).text()).toBe("whole");
  expect(await ended).toBe("finished");
});

test("stopping cuts requests that do not finish in time", async () => {
  const { server, port } = await serving(() => undefined);
  const never = fetch(`http://127.0.0.1:${port}/`).catch(() => "cut");
  await once(server, "request");
  expect(await stopServer(server, [noActions], { withinMs: 50 })).toBe("cut");
  expect(await never).toBe("cut");
});

test("a client that sends more than is read is still logged, and ends nothing", async () => {
  const clients: string[] = [];
  const half: Handle = async (incoming, response) => {
    for await (const _chunk of incoming) break;
    response.writeHead(413, { Connection: "close" }).end();
    incoming.resume();
  };
  const { port } = await serving(half, { log: (_incoming, _response, _startedAt, client) => clients.push(client) });
  const body = "x".repeat(2_000_000);
  await converse(port, `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  await expect.poll(() => clients).toEqual(["127.0.0.1"]);
});

test.each<[string, Handle]>([
  [
    "at once",
    () => {
      throw new Error("boom");
    },
  ],
  ["later", () => Promise.reject(new Error("boom"))],
])("an error of a handler, %s, gets a response and leaves the server running", async (_, handle) => {
  const { port } = await serving(readAll, { mounts: [{ path: "/fails", handle }] });
  expect((await fetch(`http://127.0.0.1:${port}/fails`)).status).toBe(500);
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("read");
});

test("stopping waits for the last action, even if no client is connected; an action that exceeds the time is aborted", async () => {
  const actions = new RunningActions();
  const { server } = await serving(readAll);
  const { promise, resolve } = Promise.withResolvers<void>();
  actions.begin({ ms: 60_000, ...reasons, work: () => promise });
  const ended = stopServer(server, [actions], { withinMs: 5_000 });
  await once(server, "close");
  expect(await Promise.race([ended, Promise.resolve("waits")])).toBe("waits");
  resolve();
  expect(await ended).toBe("finished");

  const other = await serving(readAll);
  const { ended: abandoned } = actions.begin({
    ms: 60_000,
    ...reasons,
    work: (signal) => new Promise<string>((told) => signal.addEventListener("abort", () => told("abandoned"))),
  });
  expect(await stopServer(other.server, [actions], { withinMs: 2_000 })).toBe("finished");
  expect(await abandoned).toBe("abandoned");
});

test("connections over the limit, and of one client over its own, are closed and counted", async () => {
  const limits = { ...hostLimits, connections: 5, connectionsPerClient: 3 };
  /** Returns how many of some connections get a response. */
  const open = async (port: number, count: number): Promise<number> => {
    const sockets = Array.from({ length: count }, () => connect(port, "127.0.0.1").on("error", () => undefined));
    const answered = sockets.map(
      (socket) =>
        new Promise<number>((resolve) => {
          socket.once("data", () => resolve(1)).once("close", () => resolve(0));
          socket.write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
        }),
    );
    const total = (await Promise.all(answered)).reduce((sum, one) => sum + one, 0);
    for (const socket of sockets) socket.destroy();
    return total;
  };
  const all = new Refusals();
  const shared = await serving(readAll, { limits, refusals: all, isShared: () => true });
  expect(await open(shared.port, 8)).toBe(5);
  expect(all.totals.get("connections")).toBe(3);
  const each = new Refusals();
  const single = await serving(readAll, { limits, refusals: each, isShared: () => false });
  expect(await open(single.port, 5)).toBe(3);
  expect(each.totals.get("connections")).toBe(2);
  // Once they have closed, others are accepted.
  await expect.poll(() => open(single.port, 3)).toBe(3);
});

test("requests that are refused for lack of memory are counted", async () => {
  const refusals = new Refusals();
  const { port } = await serving(readAll, { refusals, isShort: () => true });
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(503);
  expect(refusals.totals.get("memory")).toBe(1);
});

test("a page that needs no work is sent while memory is short, and only by the host that it belongs to", async () => {
  const pages: PageHandler = {
    ...pagesOf(() => expect.unreachable()),
    answerKnown: ({ incoming, response }) => {
      if (incoming.url !== "/known") return false;
      response.end("known");
      return true;
    },
  };
  const { port } = await serving(readAll, { pages, isShort: () => true, isKnownHost: (host) => host === "ours" });
  const ask = (path: string, host: string) =>
    converse(port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  expect(await ask("/known", "ours")).toMatch(/^HTTP\/1\.1 200 .*known$/s);
  expect(await ask("/known", "theirs")).toMatch(/^HTTP\/1\.1 421 /);
  expect(await ask("/other", "ours")).toMatch(/^HTTP\/1\.1 503 /);
});

test("a request that names two hosts, or one that is not ours, is refused before anything else; health is not asked for its host", async () => {
  const { port } = await serving((_incoming, response) => void response.end("page"), {
    isKnownHost: (host) => host === "ours",
  });
  const ask = (path: string, ...hosts: string[]) =>
    converse(
      port,
      `GET ${path} HTTP/1.1\r\n${hosts.map((host) => `Host: ${host}\r\n`).join("")}Connection: close\r\n\r\n`,
    );
  expect(await ask("/", "ours")).toMatch(/^HTTP\/1\.1 200 .*page$/s);
  expect(await ask("/", "ours", "ours")).toMatch(/^HTTP\/1\.1 400 /);
  expect(await ask("/", "theirs")).toMatch(/^HTTP\/1\.1 421 .*does not answer for "theirs"/s);
  expect(await ask("/healthz", "theirs")).toMatch(/^HTTP\/1\.1 200 /);
});
