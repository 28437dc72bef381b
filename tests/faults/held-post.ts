import { connect, type Socket } from "node:net";

/** A request of which the last byte is held back, as a hostile client does that wants to use up what all share. */
export class HeldPost {
  readonly #socket: Socket;
  readonly #body: Buffer;
  readonly #status: Promise<number>;

  /**
   * The project's address and key are taken from its DSN. Without a header of its own for it, the body's length is
   * announced.
   */
  constructor(dsn: string, body: Buffer, headers: Readonly<Record<string, string>> = {}) {
    const { port, username, pathname } = new URL(dsn);
    this.#body = body;
    this.#socket = connect({ port: Number(port), host: "127.0.0.1" });
    this.#socket.on("error", () => undefined);
    this.#status = statusOn(this.#socket);
    const all = {
      Host: "127.0.0.1",
      ...(!("Transfer-Encoding" in headers) && { "Content-Length": body.length }),
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#socket.write(`POST /api${pathname}/envelope/?sentry_key=${username} HTTP/1.1\r\n${lines.join("")}\r\n`);
    this.#socket.write(body.subarray(0, -1));
  }

  /** Resolves when the system has taken it. */
  write(text: string): Promise<void> {
    return new Promise((resolve) => this.#socket.write(text, () => resolve()));
  }

  finish(): void {
    this.#socket.write(this.#body.subarray(-1));
  }

  /** 0 when the connection ends without an answer. */
  async status(): Promise<number> {
    const status = await this.#status;
    this.#socket.destroy();
    return status;
  }
}

/** The status of the first answer on a connection; 0 when it closes without one. */
export function statusOn(socket: Socket): Promise<number> {
  return new Promise((resolve) => {
    socket.once("data", (data) => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(data.toString("latin1"))?.[1] ?? 0)));
    socket.once("close", () => resolve(0));
  });
}
