import { connect, type Socket } from "node:net";

/** A request whose last byte is held back, as by a hostile client that exhausts shared resources. */
export class HeldPost {
  readonly #socket: Socket;
  readonly #body: Buffer;
  readonly #status: Promise<number>;

  /** Takes the project's address and key from its DSN. Sends the body's length, unless a header overrides it. */
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

  /** Resolves when the operating system has accepted the text. */
  write(text: string): Promise<void> {
    return new Promise((resolve) => this.#socket.write(text, () => resolve()));
  }

  finish(): void {
    this.#socket.write(this.#body.subarray(-1));
  }

  /** 0 if the connection ends without a response. */
  async status(): Promise<number> {
    const status = await this.#status;
    this.#socket.destroy();
    return status;
  }
}

/** Status of the first response on a connection. 0 if it closes without one. */
export function statusOn(socket: Socket): Promise<number> {
  return new Promise((resolve) => {
    socket.once("data", (data) => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(data.toString("latin1"))?.[1] ?? 0)));
    socket.once("close", () => resolve(0));
  });
}
