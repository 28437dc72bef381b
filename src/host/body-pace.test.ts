import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { BodyPace } from "./body-pace.ts";

/** A server that reads whole bodies, a clock that the test moves, and one client that has sent part of 1 MiB. */
async function sending(bytes: number) {
  let now = 0;
  const ended: string[] = [];
  const bodies = new BodyPace({
    graceMs: 30_000,
    bytesPerSecond: 1_000,
    everyMs: 3_600_000,
    now: () => now,
    end: (socket) => {
      ended.push("ended");
      socket.destroy();
    },
  });
  let taken = 0;
  const server = createServer((incoming: IncomingMessage, response: ServerResponse) => {
    bodies.watch(incoming, response);
    incoming
      .on("error", () => undefined)
      .on("data", (piece: Buffer) => {
        taken += piece.length;
      });
    incoming.on("end", () => response.end("read"));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => undefined);
  const closed = once(socket.resume(), "close");
  socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n");
  await once(server, "request");
  const send = async (more: number): Promise<void> => {
    socket.write(Buffer.alloc(more));
    const all = taken + more;
    await expect.poll(() => taken).toBe(all);
  };
  await send(bytes);
  const pass = (ms: number): readonly string[] => {
    now += ms;
    bodies.check();
    return ended;
  };
  return { send, pass, closed, socket, ended };
}

test("a body that keeps its pace may take as long as it needs", async () => {
  const { send, pass, socket } = await sending(48_576);
  for (let minute = 0; minute < 10; minute++) {
    await send(60_000);
    expect(pass(60_000)).toEqual([]);
  }
  const answer = once(socket, "data");
  await send(400_000);
  expect(String(await answer)).toContain("read");
  expect(pass(3_600_000)).toEqual([]);
});

test("a body below the minimum rate ends its connection, after a grace time of half a minute", async () => {
  const { pass, closed, ended } = await sending(5_000);
  expect(pass(34_000)).toEqual([]);
  pass(2_000);
  await closed;
  expect(ended).toEqual(["ended"]);
});
