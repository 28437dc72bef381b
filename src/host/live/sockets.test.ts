import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { Refusals } from "#bounds";
import { forbidden, onRequest, onSocket, type SocketContext, unauthorized } from "#pages/server";
import { liveApplication, type TestApplication, type TestOptions } from "../../../tests/kit/live-application.ts";
import { openSocket, SocketRefused } from "../../../tests/kit/socket-client.ts";

const said = z.object({ text: z.string().max(20) });
type Talk = SocketContext<{ text: string }>;

/** An application with the socket `/talk`, behind the host's own server. */
function talking(run: (talk: Talk) => unknown, options: TestOptions & { more?: object; files?: object } = {}) {
  const { more, files, ...rest } = options;
  const socket = onSocket({ receives: said }, run);
  return liveApplication({ "talk.server.ts": { socket, ...more }, ...files }, rest);
}

async function echo({ messages, send }: Talk): Promise<void> {
  for await (const { text } of messages) send({ heard: text });
}

/** The status by which a socket is refused; 101 if it opens. */
async function statusOf(app: TestApplication, path: string, headers: Record<string, string> = {}): Promise<number> {
  try {
    const { raw, closed } = await openSocket(app.origin + path, { headers });
    raw.close();
    await closed;
    return 101;
  } catch (error) {
    if (error instanceof SocketRefused) return error.status;
    throw error;
  }
}

test("messages go both ways, checked by the schema, dates and the like included", async () => {
  await using app = await talking(async ({ messages, send, params, url }) => {
    send({ at: new Date(0), params, path: url.pathname });
    for await (const { text } of messages) send({ heard: text });
  });
  const client = await openSocket(`${app.origin}/talk`);
  client.send({ text: "one", more: "left out by the schema" });
  client.send({ text: "two" });
  await expect
    .poll(() => client.received)
    .toEqual([{ at: ["~d", 0], params: {}, path: "/talk" }, { heard: "one" }, { heard: "two" }]);
  client.raw.close(1000);
  expect(await client.closed).toEqual({ code: 1000, reason: "" });
  await expect.poll(() => app.streams.count).toBe(0);
  expect(app.recorded).toEqual([]);
});

test("a refused socket has the headers of response hooks", async () => {
  const hook = onRequest(({ url }) => (url.search ? new Response("Closed", { status: 503 }) : {}), {
    onResponse: (response) => response.setHeader("X-Hook", `${response.kind} ${response.status}`),
  });
  await using app = await talking(echo, {
    files: { "request.server.ts": { default: hook } },
    more: { guard: () => forbidden() },
  });
  const upgrade = { connection: "upgrade", upgrade: "websocket" };
  const refused = await app.ask("/talk", { headers: upgrade });
  expect([refused.status, refused.headers["x-hook"]]).toEqual([403, "api 403"]);
  const closed = await app.ask("/talk?closed", { headers: upgrade });
  expect([closed.status, closed.text, closed.headers["x-hook"]]).toEqual([503, "Closed", "api 503"]);
});

test("hook and guards decide before the socket opens, with a plain status", async () => {
  await using app = await talking(echo, {
    files: {
      "request.server.ts": {
        default: ({ cookies }: { cookies: Map<string, string> }) => ({ user: cookies.get("user") }),
      },
      "_layout.server.ts": {
        guard: ({ locals }: { locals: { user?: string } }) => {
          if (locals.user === undefined) unauthorized();
          if (locals.user === "eve") forbidden();
        },
      },
    },
  });
  expect(await statusOf(app, "/talk")).toBe(401);
  expect(await statusOf(app, "/talk", { cookie: "user=eve" })).toBe(403);
  expect(await statusOf(app, "/talk", { cookie: "user=ada" })).toBe(101);
  // A browser learns the reason by a plain request.
  expect((await app.ask("/talk")).status).toBe(401);
  const asked = await app.ask("/talk", { headers: { cookie: "user=ada" } });
  expect([asked.status, asked.headers.upgrade]).toEqual([426, "websocket"]);
  expect(app.recorded).toEqual([]);
});

test("a page of another site cannot open a socket, unless it is trusted; an open route sees none of its cookies", async () => {
  const cookies: (string | null)[] = [];
  const note = ({ headers }: Talk) => void cookies.push(headers.get("cookie"));
  await using app = await talking(note, {
    trustedOrigins: ["https://shop.example"],
    files: { "open.server.ts": { socket: onSocket({}, note as never), origins: ["https://other.example"] } },
  });
  const from = (origin: string) => ({ origin, cookie: "user=ada" });
  expect(await statusOf(app, "/talk", from("https://other.example"))).toBe(403);
  expect(await statusOf(app, "/talk", from("null"))).toBe(403);
  expect(await statusOf(app, "/open", from("https://evil.example"))).toBe(403);
  expect(cookies).toEqual([]);
  expect(await statusOf(app, "/talk", from(app.origin))).toBe(101);
  expect(await statusOf(app, "/talk", from("https://shop.example"))).toBe(101);
  expect(await statusOf(app, "/talk", { cookie: "user=ada" })).toBe(101);
  expect(await statusOf(app, "/open", from("https://other.example"))).toBe(101);
  expect(cookies).toEqual(["user=ada", "user=ada", "user=ada", null]);
});

test("addresses without a socket refuse, and so does a handshake that is wrong", async () => {
  const page = () => "page";
  await using app = await talking(echo, {
    files: { "index.tsx": { default: page }, "plain.server.ts": { GET: page } },
  });
  for (const path of ["/", "/plain", "/talk/_data", "/nowhere"]) expect(await statusOf(app, path)).toBe(400);
  const answers = await Promise.all(
    [
      "Upgrade: h2c",
      "Upgrade: websocket",
      "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x",
    ].map((lines) => converse(app.port, `GET /talk HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\n${lines}\r\n\r\n`)),
  );
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(app.streams.count).toBe(0);
});

test("a message that does not fit closes the socket and says what is wrong; the handler never sees it", async () => {
  const heard: unknown[] = [];
  await using app = await talking(async ({ messages }) => {
    for await (const message of messages) heard.push(message);
  });
  const codes = async (send: (client: Awaited<ReturnType<typeof openSocket>>) => void) => {
    const client = await openSocket(`${app.origin}/talk`);
    send(client);
    return client.closed;
  };
  expect(await codes(({ raw }) => raw.send("not json"))).toMatchObject({ code: 1008, reason: "the body is not JSON" });
  expect(await codes((client) => client.send({ text: 7 }))).toMatchObject({ code: 1008, reason: /^text: / });
  expect(await codes((client) => client.send({ text: "ä".repeat(21) }))).toMatchObject({ code: 1008 });
  expect(await codes(({ raw }) => raw.send(`${"[".repeat(100)}${"]".repeat(100)}`))).toMatchObject({ code: 1008 });
  expect(await codes(({ raw }) => raw.send(Buffer.from([1, 2]), { binary: true }))).toMatchObject({ code: 1003 });
  expect(await codes((client) => client.send({ text: "x".repeat(70_000) }))).toMatchObject({ code: 1009 });
  expect([heard, app.recorded]).toEqual([[], []]);
});

test("a handler that throws is an event with its route, and the close has its digest", async () => {
  await using app = await talking(async ({ messages }) => {
    for await (const { text } of messages) throw new Error(`cannot ${text}`);
  });
  const client = await openSocket(`${app.origin}/talk`);
  client.send({ text: "dance" });
  expect(await client.closed).toEqual({ code: 1011, reason: "TEST-TEST-0001" });
  expect(app.recorded.map(({ error, place }) => [String(error), place.route, place.during])).toEqual([
    ["Error: cannot dance", "/talk", "socket"],
  ]);
});

test("a handler that returns, refuses or chooses a code ends the socket so", async () => {
  await using app = await talking(async ({ messages, close }) => {
    for await (const { text } of messages) {
      if (text === "refuse") forbidden();
      if (text === "code") close(4_100, "enough");
      if (text === "return") return;
    }
  });
  const codeAfter = async (text: string) => {
    const client = await openSocket(`${app.origin}/talk`);
    client.send({ text });
    return client.closed;
  };
  expect(await codeAfter("return")).toEqual({ code: 1000, reason: "" });
  expect(await codeAfter("refuse")).toEqual({ code: 4403, reason: "" });
  expect(await codeAfter("code")).toEqual({ code: 4100, reason: "enough" });
  expect(app.recorded).toEqual([]);
});

test("what cannot be sent is an error of the handler, not of the code that happens to send", async () => {
  await using app = await talking(
    async ({ messages, send }) => {
      for await (const { text } of messages) send(text === "long" ? "x".repeat(2_000) : () => undefined);
    },
    { limits: { messageBytes: 1_000 } },
  );
  for (const text of ["long", "function"]) {
    const client = await openSocket(`${app.origin}/talk`);
    client.send({ text });
    expect(await client.closed).toMatchObject({ code: 1011 });
  }
  expect(app.recorded.map(({ error }) => (error as { code?: string }).code)).toEqual([
    "message-too-large",
    "data-not-sendable",
  ]);
});

test("the last messages of a client that leaves are heard, and then its signal is aborted", async () => {
  const heard: string[] = [];
  let isAborted = false;
  await using app = await talking(async ({ messages, signal }) => {
    for await (const { text } of messages) {
      await wait(5);
      heard.push(text);
    }
    isAborted = signal.aborted;
  });
  const client = await openSocket(`${app.origin}/talk`);
  for (const text of ["one", "two", "three"]) client.send({ text });
  client.raw.close();
  await expect.poll(() => app.streams.count).toBe(0);
  expect([heard, isAborted]).toEqual([["one", "two", "three"], true]);
});

test("a client that does not read is disconnected when too much waits for it, and others go on", async () => {
  const refusals = new Refusals();
  const sends = new Set<(message: unknown) => void>();
  await using app = await talking(
    async ({ messages, send }) => {
      sends.add(send);
      for await (const _ of messages);
      sends.delete(send);
    },
    { refusals },
  );
  const [deaf, good] = [await openSocket(`${app.origin}/talk`), await openSocket(`${app.origin}/talk`)];
  deaf.raw._socket.pause();
  let sent = 0;
  for (; sends.size > 1; sent++) {
    for (const send of sends) send("x".repeat(60_000));
    await wait(1);
  }
  expect(refusals.totals.get("sockets")).toBe(1);
  await expect.poll(() => good.received.length).toBe(sent);
  expect(app.streams.unsent).toBe(0);
  // It learns the reason when it reads again.
  deaf.raw._socket.resume();
  expect(await deaf.closed).toMatchObject({ code: 1013 });
  expect(good.raw.readyState).toBe(1);
});

test("a client that sends too much is disconnected, by messages as by pings", async () => {
  const refusals = new Refusals();
  await using app = await talking(echo, { limits: { socketMessagesPerSecond: 10 }, refusals });
  const chatty = await openSocket(`${app.origin}/talk`);
  for (let count = 0; count < 30; count++) chatty.send({ text: "hello" });
  expect(await chatty.closed).toMatchObject({ code: 1008, reason: "Too many messages." });
  const pinging = await openSocket(`${app.origin}/talk`);
  for (let count = 0; count < 30; count++) pinging.raw.ping(Buffer.alloc(100));
  expect(await pinging.closed).toMatchObject({ code: 1008 });
  expect(refusals.totals.get("sockets")).toBe(2);
});

test("messages wait for a slow handler in the network, not in memory; one that never reads them is given up", async () => {
  let count = 0;
  await using app = await talking(
    async ({ messages, signal }) => {
      for await (const _ of messages) if (++count === 20) await new Promise((_, reject) => (signal.onabort = reject));
    },
    { limits: { socketPingMs: 100, socketMessagesPerSecond: 1_000 } },
  );
  const client = await openSocket(`${app.origin}/talk`);
  for (let sent = 0; sent < 100; sent++) client.send({ text: `${sent}` });
  expect(await client.closed).toMatchObject({ code: 1013, reason: "The messages are not read." });
  expect(count).toBe(20);
});

test("a client that is gone without a word is noticed by pings", async () => {
  await using app = await talking(echo, { limits: { socketPingMs: 50 } });
  const [silent, good] = [
    await openSocket(`${app.origin}/talk`, { autoPong: false }),
    await openSocket(`${app.origin}/talk`),
  ];
  await silent.closed;
  await expect.poll(() => app.streams.count).toBe(1);
  expect(good.raw.readyState).toBe(1);
});

test("a stopping process closes sockets with 1001, waits for their handlers and opens no others", async () => {
  const { promise: write, resolve } = Promise.withResolvers<void>();
  await using app = await talking(async (talk) => {
    await echo(talk);
    await write;
  });
  const client = await openSocket(`${app.origin}/talk`);
  await expect.poll(() => app.streams.count).toBe(1);
  app.streams.endAll("stopping");
  expect(await client.closed).toEqual({ code: 1001, reason: "The server stops." });
  expect(app.streams.count).toBe(1);
  resolve();
  await app.streams.idle();
  expect(await statusOf(app, "/talk")).toBe(503);
});

test("newer code in development closes sockets with 1012, so that they come back to it", async () => {
  await using app = await talking(echo);
  const client = await openSocket(`${app.origin}/talk`);
  await expect.poll(() => app.streams.count).toBe(1);
  app.streams.endAll("changed");
  expect(await client.closed).toMatchObject({ code: 1012 });
  expect(await statusOf(app, "/talk")).toBe(101);
});

test("sockets over the limit are refused with 503 before they open", async () => {
  await using app = await talking(echo, { limits: { streamsAtOnce: 1 } });
  const client = await openSocket(`${app.origin}/talk`);
  await expect.poll(() => app.streams.count).toBe(1);
  expect(await statusOf(app, "/talk")).toBe(503);
  client.raw.close();
  await expect.poll(() => app.streams.count).toBe(0);
  expect(await statusOf(app, "/talk")).toBe(101);
});

/** Everything that a plain connection receives after it has sent a text. */
function converse(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1").setEncoding("latin1");
    socket.on("data", (piece) => {
      answer += piece;
    });
    socket.on("error", () => socket.destroy()).on("close", () => resolve(answer));
    socket.write(text);
  });
}
