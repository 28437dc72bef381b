import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { TestPostgres } from "./postgres.ts";

/** A proxy on loopback in front of a PostgreSQL of the tests, which can lose an answer. */
export interface PostgresProxy extends AsyncDisposable {
  /** The address of the same database through the proxy. */
  through(address: string): string;
  /**
   * Cuts the connection of the next statement that contains this text: `answered` after the server has done it and
   * before its answer arrives, `sent` as soon as the server has it. Resolves when that has happened.
   */
  cut(text: string, when: "sent" | "answered"): Promise<void>;
}

interface Cut {
  readonly text: string;
  readonly when: "sent" | "answered";
  readonly done: () => void;
}

/** "ReadyForQuery", which is the last message of every answer. */
const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5]);

export async function postgresProxy(postgres: TestPostgres): Promise<PostgresProxy> {
  const sockets = new Set<Socket>();
  let next: Cut | undefined;
  const server = createServer((client) => {
    const upstream = connect(join(postgres.sockets, ".s.PGSQL.5432"));
    let losing: Cut | undefined;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.once("close", () => sockets.delete(socket));
    }
    const lose = (cut: Cut): void => {
      client.destroy();
      cut.done();
    };
    client.on("data", (chunk) => {
      upstream.write(chunk);
      if (next === undefined || !chunk.includes(next.text)) return;
      losing = next;
      next = undefined;
      if (losing.when === "sent") lose(losing);
    });
    upstream.on("data", (chunk) => {
      if (losing === undefined) client.write(chunk);
      else if (losing.when === "answered" && chunk.includes(readyForQuery)) lose(losing);
    });
    client.once("close", () => upstream.end());
    upstream.once("close", () => client.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    through: (address) => `postgres://holdfast@127.0.0.1:${port}${new URL(address).pathname}`,
    cut: (text, when) =>
      new Promise<void>((resolve) => {
        next = { text, when, done: resolve };
      }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
