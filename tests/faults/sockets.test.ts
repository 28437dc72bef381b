import { setMaxListeners } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, expect, vi } from "vitest";
import { SocketLink, type SocketState } from "../../src/pages/react/socket-link.ts";
import { application, journey, keepProof, mebibytesOf } from "../kit/index.ts";
import { openSocket, type SocketClient } from "../kit/socket-client.ts";

const isLong = process.env.HOLDFAST_TEST_LONG !== undefined;
const sockets = isLong ? 1_000 : 100;
const hostileOfEachKind = isLong ? 20 : 3;
const attackMs = isLong ? 60_000 : 4_000;
/**
 * A connection needs about 35 KiB. A hostile client that comes 25 times a second fills the buffers of each of its
 * connections, and leaves garbage.
 */
const growthMebibytes = isLong ? 250 : 120;
/**
 * The second half of a long attack must not need more than the first: then the memory is bounded, whatever it lasts. In
 * the short one, most garbage of the first half has not been collected yet.
 */
const growthOfSecondHalf = isLong ? 30 : 60;

const app = application({
  "src/server/room.ts": `import { channel } from "holdfast/server";
export const room = channel<number>("room");
`,
  "src/pages/room.server.ts": `import { onSocket } from "holdfast/server";
import { room } from "../server/room.ts";
export const socket = onSocket({}, async ({ messages, send, signal }) => {
  room.subscribe((number) => send({ number, padding: "x".repeat(500) }), { signal });
  for await (const _ of messages);
});
export async function POST(request: Request): Promise<Response> {
  await room.publish(Number(await request.text()));
  return new Response(null, { status: 204 });
}
`,
  "src/pages/index.tsx": "export default () => <h1>Home</h1>;\n",
});
const test = journey({ app, env: { HOLDFAST_DRAIN_SECONDS: "0", NODE_OPTIONS: "--max-semi-space-size=2" } });

/** Stands for the window of all clients. */
const page = new EventTarget();
setMaxListeners(0, page);
vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
afterAll(() => vi.unstubAllGlobals());

/** A good client: the one that pages use. */
class Listener {
  readonly numbers: number[] = [];
  readonly states: SocketState[] = [];
  readonly link = new SocketLink({
    address: "/room",
    onState: (state) => this.states.push(state),
    onMessage: (message) => this.numbers.push((message as { number: number }).number),
  });
}

const handshake =
  "GET /room HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

/** A frame with an empty mask. */
function frame(opcode: number, payload: Buffer, { isLast = true, announced = payload.length } = {}): Buffer {
  const head = Buffer.alloc(14);
  head[0] = (isLast ? 0x80 : 0) | opcode;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(announced), 2);
  return Buffer.concat([head, payload]);
}

/** What one hostile client does with its open socket, until it is closed or time is up. */
const attacks: Readonly<Record<string, (socket: Socket) => Buffer | undefined>> = {
  "floods with messages": () => Buffer.concat(Array.from({ length: 500 }, () => frame(1, Buffer.from("1")))),
  "floods with pings": () => Buffer.concat(Array.from({ length: 500 }, () => frame(9, Buffer.alloc(125)))),
  "never reads": (socket) => void socket.pause(),
  "announces a giant message": () => frame(1, Buffer.alloc(1_000), { announced: 2 ** 40 }),
  "sends a message above the limit": () => frame(1, Buffer.alloc(200_000)),
  "sends endless parts": () =>
    Buffer.concat(Array.from({ length: 200 }, (_, at) => frame(at === 0 ? 1 : 0, Buffer.from("x"), { isLast: false }))),
  "sends what is no frame": () => Buffer.from(Array.from({ length: 300 }, () => Math.floor(Math.random() * 256))),
  "sends binary, nested and broken JSON": () =>
    Buffer.concat([frame(1, Buffer.from("[".repeat(20_000))), frame(2, Buffer.from([1])), frame(1, Buffer.from("{"))]),
  "sends a frame byte by byte": () => Buffer.from([0x81]),
};

interface Attack {
  /** How often the server closed a hostile connection, by kind. */
  closed: Map<string, number>;
  end(): Promise<void>;
}

/** Hostile clients that come again as soon as they are closed. */
function attack(port: number): Attack {
  const closed = new Map<string, number>();
  let isOver = false;
  const one = async (kind: string, act: (socket: Socket) => Buffer | undefined): Promise<void> => {
    while (!isOver) {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => socket.destroy());
      if (kind !== "never reads") socket.resume();
      socket.write(handshake);
      while (!isOver && !socket.destroyed) {
        const bytes = act(socket);
        if (bytes && socket.writableLength < 1_000_000) socket.write(bytes);
        await wait(20);
      }
      if (!isOver) closed.set(kind, (closed.get(kind) ?? 0) + 1);
      socket.destroy();
    }
  };
  const all = Object.entries(attacks).flatMap(([kind, act]) =>
    Array.from({ length: hostileOfEachKind }, () => one(kind, act)),
  );
  return {
    closed,
    end: async () => {
      isOver = true;
      await Promise.all(all);
    },
  };
}

test("sockets hear every message while others flood, stop reading or break the protocol, and all come back after a restart", {
  timeout: 300_000,
}, async ({ app }) => {
  vi.stubGlobal("location", { origin: app.url });
  const say = async (number: number): Promise<void> => {
    const { status } = await fetch(`${app.url}/room`, { method: "POST", body: String(number) });
    expect(status).toBe(204);
  };
  await say(-1);
  for (let count = 0; count < 50; count++) expect((await fetch(app.url)).status).toBe(200);
  const before = mebibytesOf(app.pid);
  const listeners = Array.from({ length: sockets }, () => new Listener());
  for (const listener of listeners) {
    listener.link.open();
    if (Math.random() < 0.05) await wait(5);
  }
  const open = () => listeners.filter(({ states }) => states.at(-1) === "open").length;
  await expect.poll(open, { timeout: 60_000 }).toBe(sockets);
  const quiet = mebibytesOf(app.pid) - before;

  const attackers = attack(Number(new URL(app.url).port));
  const slowest = { message: 0, page: 0 };
  let said = 0;
  let halfway = 0;
  const endsAt = performance.now() + attackMs;
  while (performance.now() < endsAt) {
    const at = performance.now();
    await say(said++);
    await expect.poll(() => listeners.filter(({ numbers }) => numbers.length >= said).length, waits).toBe(sockets);
    slowest.message = Math.max(slowest.message, performance.now() - at);
    const asked = performance.now();
    expect((await fetch(app.url)).status).toBe(200);
    slowest.page = Math.max(slowest.page, performance.now() - asked);
    if (performance.now() < endsAt - attackMs / 2) halfway = Math.max(halfway, mebibytesOf(app.pid) - before);
    await wait(50);
  }
  const grown = mebibytesOf(app.pid) - before;
  const harmless = new Set(["never reads", "sends a frame byte by byte"]);
  const unharmed = () => Object.keys(attacks).filter((kind) => !harmless.has(kind) && !attackers.closed.get(kind));
  // On a busy machine some of them have only begun by now.
  await expect.poll(unharmed, waits).toEqual([]);
  await attackers.end();
  const expected = Array.from({ length: said }, (_, number) => number);
  for (const { numbers, states } of listeners) {
    expect(numbers).toEqual(expected);
    expect(states).toEqual(["connecting", "open"]);
  }

  const witnesses: SocketClient[] = [];
  for (let count = 0; count < 10; count++) witnesses.push(await openSocket(`${app.url}/room`));
  await app.stop();
  expect(new Set((await Promise.all(witnesses.map(({ closed }) => closed))).map(({ code }) => code))).toEqual(
    new Set([1001]),
  );
  await expect.poll(open).toBe(0);
  await app.start();
  const startedAt = performance.now();
  await expect.poll(open, { timeout: 60_000 }).toBe(sockets);
  const backMs = performance.now() - startedAt;
  await say(said);
  await expect.poll(() => listeners.filter(({ numbers }) => numbers.at(-1) === said).length, waits).toBe(sockets);
  for (const { link } of listeners) link.end();

  const facts = [
    `- Sockets: ${sockets}; hostile clients beside them: ${hostileOfEachKind * Object.keys(attacks).length}, for ${attackMs / 1_000} s`,
    `- Messages to all of them: ${said}, each received once by every socket, in order; the slowest took ${Math.round(slowest.message)} ms, the slowest page ${Math.round(slowest.page)} ms`,
    `- The server's memory grew by ${Math.round(quiet)} MiB for the sockets, and by ${Math.round(halfway)} MiB in the first half of the attack, ${Math.round(grown)} MiB at its end; bound: ${growthMebibytes} MiB, and ${growthOfSecondHalf} MiB for the second half`,
    `- Hostile connections that the server closed: ${[...attackers.closed].map(([kind, count]) => `${kind} ${count}`).join(", ")}`,
    `- At the shutdown sockets were closed with 1001; all ${sockets} were connected to the next process ${(backMs / 1_000).toFixed(1)} s after it was ready`,
  ];
  console.log(facts.join("\n"));
  keepProof("many-sockets", facts);
  expect(grown).toBeLessThan(growthMebibytes);
  expect(grown - halfway).toBeLessThan(growthOfSecondHalf);
  expect(slowest.message).toBeLessThan(5_000);
  expect(slowest.page).toBeLessThan(5_000);
});

const waits = { timeout: 20_000, interval: 5 };
