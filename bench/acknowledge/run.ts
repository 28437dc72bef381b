import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { sendAll } from "../kit/bare-client.ts";
import { type MeasuredProcess, startMeasured } from "../kit/measured-process.ts";

/**
 * Measures the cost of acknowledging an error durably, compared with a server that only reads the body and responds.
 * Both alternate in one run, so that other load on the machine affects both. The figure is the server's own CPU time.
 */
// Many short rounds: the speed of a shared machine changes within seconds, and then changes for both.
const rounds = 41;
const requests = 2_000;
const connections = 64;

const program = new URL("./server.ts", import.meta.url);
const empty = await startMeasured(program, ["empty"]);
const acknowledging = await startMeasured(program, ["acknowledging"]);
const bodies = Array.from({ length: 200 }, anEnvelope);
console.log(
  `${requests} envelopes of ${Math.round(bodies.reduce((sum, body) => sum + body.length, 0) / bodies.length)} bytes a round, ${connections} connections`,
);
// The compiler needs about twenty thousand requests for both; until then its own work would be counted.
for (let warmUp = 0; warmUp < 12; warmUp += 1) {
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
empty.stop();
acknowledging.stop();

async function load(server: MeasuredProcess): Promise<{ cpuMicros: number; perSecond: number }> {
  const before = await server.figures();
  const began = performance.now();
  let left = requests;
  await sendAll(server, connections, () => {
    left -= 1;
    return left >= 0 ? bodies[left % bodies.length] : undefined;
  });
  const seconds = (performance.now() - began) / 1_000;
  const after = await server.figures();
  return { cpuMicros: (after.cpu - before.cpu) / requests, perSecond: requests / seconds };
}

/** About the size of a browser's error: twelve frames, two dozen breadcrumbs. */
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
