import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import http from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { expect } from "vitest";
import { journey, mebibytesOf } from "../kit/index.ts";

const test = journey({ app: "tests/fixtures/pages" });

const portOf = (app: { url: string }) => Number(new URL(app.url).port);

interface Poured {
  status: number | undefined;
  /** Peak growth of the server's memory in MiB. */
  grownBy: number;
}

/** Sends this many MiB without a declared length, as fast as they are accepted, regardless of a response. */
async function pour(
  app: { url: string; pid: number },
  path: string,
  mebibytes: number,
  type: string,
  head = "",
  tail = "",
): Promise<Poured> {
  const request = http.request({
    port: portOf(app),
    host: "127.0.0.1",
    method: "POST",
    path,
    headers: { "content-type": type },
    agent: false,
  });
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  let status: number | undefined;
  let open = true;
  request.on("response", (answer) => {
    status = answer.statusCode;
    // Later errors are the server closing the connection. Only the response counts.
    answer.on("error", () => undefined).resume();
  });
  request.on("error", () => undefined);
  request.on("close", () => {
    open = false;
    close();
  });
  const before = mebibytesOf(app.pid);
  let most = before;
  request.write(head);
  const chunk = Buffer.alloc(1_048_576, "x");
  for (let sent = 0; sent < mebibytes && open; sent++) {
    if (!request.write(chunk)) await Promise.race([new Promise((resolve) => request.once("drain", resolve)), closed]);
    most = Math.max(most, mebibytesOf(app.pid));
  }
  request.end(tail);
  await closed;
  return { status, grownBy: most - before };
}

test("a body of 300 MiB without a declared length is refused, and never in memory", { timeout: 120_000 }, async ({
  app,
}) => {
  const cases: [string, string][] = [
    ["/orders/7/_action/plain", "application/x-www-form-urlencoded"],
    ["/orders/7/_action/plain/_data", "application/json"],
    ["/api/echo", "text/plain"],
  ];
  // Memory of loaded code and first requests must not count for the body.
  for (const [path, type] of cases) expect((await pour(app, path, 16, type)).status).toBe(413);
  for (const [path, type] of cases) {
    const { status, grownBy } = await pour(app, path, 300, type);
    expect([path, status]).toEqual([path, 413]);
    expect(grownBy).toBeLessThan(20);
  }
});

test("an upload is stored on disk, not in memory, and is refused beyond its limit", { timeout: 120_000 }, async ({
  app,
}) => {
  const head = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: text/plain\r\n\r\n';
  const upload = (mebibytes: number) =>
    pour(app, "/orders/7/_action/upload", mebibytes, "multipart/form-data; boundary=x", head, "\r\n--x--\r\n");
  await upload(30);
  const taken = await upload(30);
  expect(taken.status).toBe(303);
  expect(taken.grownBy).toBeLessThan(20);
  const refused = await upload(300);
  expect(refused.status).toBe(413);
  expect(refused.grownBy).toBeLessThan(20);
});

test("2,000 clients with slow headers are disconnected, while pages are served", { timeout: 90_000 }, async ({
  app,
}) => {
  const port = portOf(app);
  let open = 0;
  const sockets: Socket[] = [];
  for (let count = 0; count < 2_000; count++) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => socket.destroy()).resume();
    socket.on("connect", () => {
      open++;
      socket.write("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ");
    });
    socket.on("close", () => open--);
    sockets.push(socket);
    if (count % 100 === 99) await wait(1);
  }
  await expect.poll(() => open, { timeout: 20_000 }).toBe(2_000);
  const dripping = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write("x");
  }, 2_000);
  while (open > 0) {
    const answer = await fetch(`${app.url}/`);
    expect([answer.status, (await answer.text()).includes("Home")]).toEqual([200, true]);
    await wait(500);
  }
  clearInterval(dripping);
  expect(open).toBe(0);
});

test("two users who alternate 10,000 requests at the same time each see only themselves", { timeout: 90_000 }, async ({
  app,
}) => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  const ask = async (user: string): Promise<string> => {
    const request = http.get({
      port: portOf(app),
      host: "127.0.0.1",
      path: "/whoami/_data",
      agent,
      headers: { cookie: `marker=${user}` },
    });
    const [answer] = (await once(request, "response")) as [http.IncomingMessage];
    let text = "";
    for await (const chunk of answer.setEncoding("utf8")) text += chunk;
    return text;
  };
  const wrong: string[] = [];
  let answered = 0;
  const lanes = Array.from({ length: 64 }, async () => {
    while (answered < 10_000) {
      const [user, other] = answered++ % 2 === 0 ? ["MARKER-ANNA", "MARKER-BERT"] : ["MARKER-BERT", "MARKER-ANNA"];
      const text = await ask(user as string);
      if (!text.includes(user as string) || text.includes(other as string)) wrong.push(text);
    }
  });
  await Promise.all(lanes);
  agent.destroy();
  expect(wrong).toEqual([]);
  expect(answered).toBeGreaterThanOrEqual(10_000);
});

test("a request that is not for a page of this host is refused, and the server continues", async ({ app }) => {
  const cases: [string, RegExp][] = [
    ["GET / HTTP/1.1\r\nHost: x/abc?bar=\r\n\r\n", /^HTTP\/1\.1 400/],
    ["GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", /^HTTP\/1\.1 (400|200)/],
    ["GET / HTTP/1.1\r\n\r\n", /^HTTP\/1\.1 400/],
    ["GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n", /^HTTP\/1\.1 400/],
    ["GET //evil.example/%2e%2e HTTP/1.1\r\nHost: a\r\n\r\n", /^HTTP\/1\.1 400/],
    ["GET //evil.example HTTP/1.1\r\nHost: a\r\n\r\n", /^HTTP\/1\.1 308 .*Location: \/evil\.example\r/s],
    ["TRACE / HTTP/1.1\r\nHost: a\r\n\r\n", /^HTTP\/1\.1 405/],
    ["CONNECT evil.example:443 HTTP/1.1\r\nHost: a\r\n\r\n", /^$|^HTTP\/1\.1 4/],
    ["GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n", /^HTTP\/1\.1 400/],
    [
      "GET http://169.254.169.254/ HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
      /^HTTP\/1\.1 400/,
    ],
    [
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      /^HTTP\/1\.1 400/,
    ],
    ["GET / HTTP/1.1\r\nHost: a\r\n__proto__: x\r\nconstructor: y\r\nConnection: close\r\n\r\n", /^HTTP\/1\.1 200/],
    [`GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, /^HTTP\/1\.1 431/],
    [`GET /${"x".repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, /^HTTP\/1\.1 431/],
    ["\x16\x03\x01\x02\x00\x01\x00", /^HTTP\/1\.1 400/],
    ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", /^HTTP\/1\.1 4|^HTTP\/1\.1 505|^$/],
  ];
  for (const [bytes, expected] of cases) {
    const socket = connect(portOf(app), "127.0.0.1");
    socket.on("error", () => socket.destroy());
    let text = "";
    const { promise: headArrived, resolve: onHead } = Promise.withResolvers<void>();
    socket.setEncoding("latin1").on("data", (chunk) => {
      text += chunk;
      if (text.includes("\r\n\r\n")) onHead();
    });
    socket.write(bytes, "latin1");
    await Promise.race([once(socket, "close"), headArrived]);
    socket.destroy();
    expect([bytes.slice(0, 60), text.slice(0, 600)]).toEqual([bytes.slice(0, 60), expect.stringMatching(expected)]);
  }
  expect((await fetch(`${app.url}/`)).status).toBe(200);
});

test("a process out of file descriptors refuses connections, and responds again once others are closed", async ({
  app,
}) => {
  const inUse = readdirSync(`/proc/${app.pid}/fd`).length;
  expect(spawnSync("prlimit", [`--pid=${app.pid}`, `--nofile=${inUse + 50}`]).status).toBe(0);
  const crowd = Array.from({ length: 300 }, () => {
    const socket = connect({ port: portOf(app), host: "127.0.0.1" });
    socket.on("error", () => undefined);
    socket.write("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n");
    return socket;
  });
  await expect.poll(() => crowd.filter(({ closed }) => closed).length).toBeGreaterThan(200);
  expect(readdirSync(`/proc/${app.pid}/fd`).length).toBeGreaterThanOrEqual(inUse + 45);
  for (const socket of crowd) socket.destroy();
  await expect.poll(() => fetch(app.url).then(({ status }) => status, String)).toBe(200);
});
