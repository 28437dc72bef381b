/**
 * Measures the cost of accepting, filing and storing an event, compared with the least that any service does: HTTP,
 * JSON.parse, zstd and a bare insert. Both alternate in one run, so that other load on the machine affects both. The
 * figure is the CPU time of the whole process until everything that was acknowledged is filed.
 */
import { writeEnvelope } from "#protocol";
import { sendAll } from "../kit/bare-client.ts";
import { type MeasuredProcess, startMeasured } from "../kit/measured-process.ts";
import { median } from "../kit/median.ts";
import { EventSource } from "./generated-events.ts";

const connections = 64;
const warmUps = 6;

export async function measureCost({ rounds = 15, events = 4_000 } = {}): Promise<number> {
  const program = new URL("./contender.ts", import.meta.url);
  const floor = await startMeasured(program, ["floor"]);
  const service = await startMeasured(program, ["service"]);
  const source = new EventSource({ seed: 7, total: events * (rounds + warmUps), days: 0.005, until: Date.now() });
  const ratios: number[] = [];
  console.log(`${events} errors a round over ${connections} connections, counted until they are filed`);
  for (let round = 1 - warmUps; round <= rounds; round += 1) {
    const envelopes = Array.from({ length: events }, () => {
      const { eventId, payload } = source.next();
      return writeEnvelope({ eventId }, [{ header: { type: "event" }, payload: Buffer.from(payload) }]);
    });
    const base = await cpuPerEvent(floor, envelopes);
    const ours = await cpuPerEvent(service, envelopes);
    // At first the compiler is busy with both, and its own work would be counted.
    if (round < 1) continue;
    ratios.push(ours / base);
    console.log(
      `round ${round}: floor ${base.toFixed(0)} µs, accepted, filed and stored ${ours.toFixed(0)} µs = ${(ours / base).toFixed(2)}x`,
    );
  }
  floor.stop();
  service.stop();
  const middle = median(ratios);
  console.log(`median ${middle.toFixed(2)}x of the floor's CPU time (target: at most 1.40)\n`);
  return middle;
}

async function cpuPerEvent(server: MeasuredProcess, envelopes: readonly Uint8Array[]): Promise<number> {
  const before = await server.figures();
  let sent = 0;
  await sendAll(server, connections, () => envelopes[sent++]);
  const after = await server.figures();
  return (after.cpu - before.cpu) / envelopes.length;
}

if (import.meta.main) await measureCost();
