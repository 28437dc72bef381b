import { connect, type Socket } from "node:net";

export interface Target {
  readonly port: number;
  readonly key: string;
  readonly project?: number;
}

/** The status of one response, and how long it took. */
export interface Answered {
  readonly status: number;
  readonly ms: number;
}

/**
 * Posts envelopes over `connections` connections, each after the response to the one before. A minimal client on bare
 * sockets: it shares the machine with the servers and must leave them the CPU time.
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
  target: Target,
  next: () => Uint8Array | undefined,
  answered: (answer: Answered) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(target.port, "127.0.0.1");
    let sentAt = 0;
    const send = (): void => {
      const body = next();
      if (body === undefined) {
        socket.destroy();
        resolve();
        return;
      }
      sentAt = performance.now();
      post(socket, target, body);
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

/**
 * Posts at a steady rate, independent of the responses: if every connection still waits for a response, the next post
 * is late, not skipped.
 */
export async function sendSteadily(
  target: Target,
  { perSecond, seconds, connections }: { perSecond: number; seconds: number; connections: number },
  next: () => Uint8Array,
  answered: (answer: Answered) => void,
): Promise<void> {
  const began = performance.now();
  let sent = 0;
  const waiting: (() => void)[] = [];
  const due = (): number => Math.min(seconds, (performance.now() - began) / 1_000) * perSecond;
  const isOver = (): boolean => performance.now() - began >= seconds * 1_000;
  const pace = setInterval(() => {
    while (waiting.length > 0 && (sent < due() || isOver())) {
      sent += 1;
      waiting.shift()?.();
    }
  }, 2);
  try {
    await Promise.all(Array.from({ length: connections }, () => sendWhenDue()));
  } finally {
    clearInterval(pace);
  }

  function sendWhenDue(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(target.port, "127.0.0.1");
      let sentAt = 0;
      const finish = (): void => {
        socket.destroy();
        resolve();
      };
      const wait = (): void => {
        if (isOver()) return finish();
        waiting.push(() => {
          if (isOver()) return finish();
          sentAt = performance.now();
          post(socket, target, next());
        });
      };
      socket.setNoDelay(true);
      socket.on("connect", wait);
      socket.on("data", (data) => {
        const text = data.toString("latin1", 0, 12);
        // A refusal may arrive in two pieces; only the first begins with the protocol's name.
        if (!text.startsWith("HTTP/")) return;
        answered({ status: Number(text.slice(9, 12)), ms: performance.now() - sentAt });
        wait();
      });
      socket.on("error", reject);
    });
  }
}

function post(socket: Socket, { key, project = 1 }: Target, body: Uint8Array): void {
  socket.cork();
  socket.write(
    `POST /api/${project}/envelope/?sentry_version=7&sentry_key=${key} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body);
  socket.uncork();
}
