import { connect } from "node:net";

export interface Target {
  readonly port: number;
  readonly key: string;
  readonly project?: number;
}

/** What one request got: its status, and how long the answer took. */
export interface Answered {
  readonly status: number;
  readonly ms: number;
}

/**
 * Posts envelopes over so many connections, each as soon as the one before it was answered. A client of a few lines on bare sockets: the machine is
 * shared, and what the client burns the servers lack.
 */
export async function sendAll(
  target: Target,
  connections: number,
  next: () => Uint8Array | undefined,
  answered: (answer: Answered) => void = expectTaken,
): Promise<void> {
  await Promise.all(Array.from({ length: connections }, () => keepSending(target, next, answered)));
}

function expectTaken({ status }: Answered): void {
  if (status !== 200) throw new Error(`An envelope was answered with ${status}.`);
}

function keepSending(
  { port, key, project = 1 }: Target,
  next: () => Uint8Array | undefined,
  answered: (answer: Answered) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let sentAt = 0;
    const send = (): void => {
      const body = next();
      if (body === undefined) {
        socket.destroy();
        resolve();
        return;
      }
      sentAt = performance.now();
      socket.cork();
      socket.write(
        `POST /api/${project}/envelope/?sentry_version=7&sentry_key=${key} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      socket.write(body);
      socket.uncork();
    };
    socket.setNoDelay(true);
    socket.on("connect", send);
    socket.on("data", (data) => {
      try {
        answered({ status: Number(data.toString("latin1", 9, 12)), ms: performance.now() - sentAt });
        send();
      } catch (error) {
        socket.destroy();
        reject(error);
      }
    });
    socket.on("error", reject);
  });
}
