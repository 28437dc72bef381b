import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/**
 * The part of PostgreSQL's protocol (version 3, "Frontend/Backend Protocol" of its manual) that a client needs to query
 * one row.
 */
export interface SmallPostgres extends AsyncDisposable {
  url: string;
}

/**
 * Responds to every query after 20 ms with one row that contains the number 1, or with an error if the query contains
 * `fail`.
 */
export async function smallPostgres(): Promise<SmallPostgres> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    // A client that disconnects ends the conversation.
    talk(socket).catch(() => undefined);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `postgres://someone@127.0.0.1:${(server.address() as AddressInfo).port}/shop`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

async function talk(socket: Socket): Promise<void> {
  let isStarted = false;
  let waiting = Buffer.alloc(0);
  let sql = "";
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    waiting = Buffer.concat([waiting, chunk]);
    for (;;) {
      // The first message has no type letter before its length.
      const head = isStarted ? 1 : 0;
      if (waiting.length < head + 4) break;
      const size = head + waiting.readInt32BE(head);
      if (waiting.length < size) break;
      const kind = isStarted ? String.fromCharCode(waiting[0] ?? 0) : "startup";
      const body = waiting.subarray(head + 4, size);
      waiting = waiting.subarray(size);
      isStarted = true;
      if (kind === "Q") sql = body.toString();
      if (kind === "P") sql = body.toString();
      await answer(socket, kind, sql);
    }
  }
}

async function answer(socket: Socket, kind: string, sql: string): Promise<void> {
  const ready = message("Z", "I");
  const fails = sql.includes("fail");
  const rows = fails
    ? message("E", "SERROR\0C42601\0Mit was told to\0\0")
    : Buffer.concat([rowDescription, oneRow, message("C", "SELECT 1\0")]);
  switch (kind) {
    case "startup":
      socket.write(Buffer.concat([message("R", "\0\0\0\0"), ready]));
      return;
    case "Q":
      await new Promise((resolve) => setTimeout(resolve, 20));
      socket.write(Buffer.concat([rows, ready]));
      return;
    // Parse and bind; the response to "describe" and "execute" is sent with "sync".
    case "P":
      socket.write(message("1", ""));
      return;
    case "B":
      socket.write(message("2", ""));
      return;
    case "S":
      await new Promise((resolve) => setTimeout(resolve, 20));
      socket.write(Buffer.concat([rows, ready]));
      return;
    case "X":
      socket.end();
  }
}

function message(kind: string, body: string): Buffer {
  const bytes = Buffer.from(body, "latin1");
  const head = Buffer.alloc(5);
  head.write(kind, "latin1");
  head.writeInt32BE(bytes.length + 4, 1);
  return Buffer.concat([head, bytes]);
}

/** One column `one` of type int4, as text. */
const rowDescription = message("T", "\0\u0001one\0\0\0\0\0\0\0\0\0\0\u0017\0\u0004\xff\xff\xff\xff\0\0");
const oneRow = message("D", "\0\u0001\0\0\0\u00011");
