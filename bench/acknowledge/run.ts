import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";

/**
 * What does it cost to acknowledge an error durably, compared with a server that only reads the body and says yes? Both run by turns
 * in one run, so that what else the machine does falls on both. Counted is the server's own CPU time.
 */
const rounds = 7;
const requests = 8_000;
const connections = 64;

const program = fileURLToPath(new URL("./server.ts", import.meta.url));
const empty = await startServer("empty");
const acknowledging = await startServer("acknowledging");
const bodies = Array.from({ length: 200 }, anEnvelope);
console.log(
  `${requests} envelopes of ${Math.round(bodies.reduce((sum, body) => sum + body.length, 0) / bodies.length)} bytes a round, ${connections} connections`,
);
// The compiler is done with both after some twenty thousand requests; before, its own work would be counted.
for (let warmUp = 0; warmUp < 3; warmUp += 1) {
  await load(empty);
  await load(acknowledging);
}

const ratios: number[] = [];
for (let round = 1; round <= rounds; round += 1) {
  const base = await load(empty);
  const ours = await load(acknowledging);
  ratios.push(ours.cpuMicros / base.cpuMicros);
  console.log(
    `round ${round}: empty ${base.cpuMicros.toFixed(1)} us, acknowledged ${ours.cpuMicros.toFixed(1)} us (${Math.round(ours.perSecond)}/s) = ${(ours.cpuMicros / base.cpuMicros).toFixed(2)}x`,
  );
}
ratios.sort((left, right) => left - right);
console.log(`median ${ratios[Math.floor(rounds / 2)]?.toFixed(2)}x of an empty handler's CPU time`);
empty.child.disconnect();
acknowledging.child.disconnect();

interface Server {
  readonly child: ChildProcess;
  readonly port: number;
  readonly key: string;
}

async function startServer(kind: string): Promise<Server> {
  const child = fork(program, [kind], { execArgv: ["--conditions=holdfast-source"] });
  const [{ port, key }] = await once(child, "message");
  return { child, port, key };
}

async function load(server: Server): Promise<{ cpuMicros: number; perSecond: number }> {
  const before = await cpuOf(server);
  const began = performance.now();
  let left = requests;
  await Promise.all(
    Array.from({ length: connections }, () =>
      keepSending(server, () => {
        left -= 1;
        return left >= 0 ? bodies[left % bodies.length] : undefined;
      }),
    ),
  );
  const seconds = (performance.now() - began) / 1_000;
  const after = await cpuOf(server);
  return { cpuMicros: (after - before) / requests, perSecond: requests / seconds };
}

async function cpuOf({ child }: Server): Promise<number> {
  child.send("cpu");
  const [{ cpu }] = await once(child, "message");
  return cpu.user + cpu.system;
}

/** A client of a few lines on a bare socket: the machine is shared, and what the client burns the servers lack. */
function keepSending({ port, key }: Server, next: () => Uint8Array | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const send = (): void => {
      const body = next();
      if (body === undefined) {
        socket.destroy();
        resolve();
        return;
      }
      socket.cork();
      socket.write(
        `POST /api/1/envelope/?sentry_version=7&sentry_key=${key} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      socket.write(body);
      socket.uncork();
    };
    socket.setNoDelay(true);
    socket.on("connect", send);
    socket.on("data", (data) => {
      if (!data.toString("latin1", 9, 12).startsWith("200")) reject(new Error(data.toString()));
      else send();
    });
    socket.on("error", reject);
  });
}

/** About the size of a browser's error: ten frames, a dozen breadcrumbs. */
function anEnvelope(): Uint8Array {
  const eventId = newEventId();
  const frames = Array.from({ length: 12 }, (_, index) => ({
    filename: `https://shop.example/assets/chunk-${index}-4f2a91c.js`,
    function: `handle${index}`,
    lineno: 1,
    colno: 1_000 * index,
    in_app: true,
  }));
  const breadcrumbs = Array.from({ length: 24 }, (_, index) => ({
    timestamp: 1_794_700_000 + index,
    category: index % 2 === 0 ? "ui.click" : "fetch",
    message: `main > section.cart > button#pay-${index}`,
    data: { method: "GET", url: `/api/orders/${index}`, status_code: 200 },
  }));
  const event = {
    event_id: eventId,
    timestamp: 1_794_700_024.5,
    platform: "javascript",
    release: "shop@1.4.2",
    environment: "production",
    exception: {
      values: [
        { type: "TypeError", value: "Cannot read properties of undefined (reading 'total')", stacktrace: { frames } },
      ],
    },
    breadcrumbs,
    request: {
      url: "https://shop.example/orders/7",
      headers: { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0" },
    },
    contexts: {
      trace: { trace_id: newEventId(), span_id: newEventId().slice(16) },
      browser: { name: "Chrome", version: "156.0" },
    },
    tags: { route: "/orders/[id]", tenant: "acme" },
    user: { id: "4711" },
  };
  return writeEnvelope({ eventId, sentAtMs: 1_794_700_025_000 }, [jsonItem("event", event)]);
}
