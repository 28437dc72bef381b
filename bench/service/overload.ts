/**
 * Measures the service while one project sends five times its quota. Targets: it files at least 0.9 of what it would
 * file without the excess, the process holds at most 300 MB, and the p99 response time of another project at most
 * doubles.
 *
 * The quota depends on the machine: the capacity of the service is measured first, and the quota is a sixth of it, so
 * that a sender on the same two cores can reach five times the quota. Rounds with and without the excess alternate, so
 * that other load on the machine affects both.
 */
import { newEventId, writeEnvelope } from "#protocol";
import { type Answered, sendAll, sendSteadily } from "../kit/bare-client.ts";
import { type MeasuredProcess, startMeasured } from "../kit/measured-process.ts";
import { median } from "../kit/median.ts";
import { EventSource } from "./generated-events.ts";

const program = new URL("./contender.ts", import.meta.url);
const excess = 5;
const quotaShare = 1 / 6;
const othersPerSecond = 50;

export async function measureOverload({ seconds = 10, rounds = 3 } = {}): Promise<void> {
  const next = envelopes();
  const capacity = await measureCapacity(next);
  const quota = Math.round(capacity * quotaShare);
  console.log(
    `The service files ${capacity.toFixed(0)} events a second here; a project may send ${quota}. Another sends ${othersPerSecond} throughout.`,
  );
  const service = await startMeasured(program, ["limited", String(quota)]);
  // The compiler is busy at first, and the project's unused burst would hide the first second.
  await during(service, quota * excess, next, 5);
  const pairs: { usual: Phase; overload: Phase }[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const usual = await during(service, quota, next, seconds);
    const overload = await during(service, quota * excess, next, seconds);
    console.log(row(`${round}: at its quota`, usual));
    console.log(row(`${round}: ${excess} times its quota`, overload));
    pairs.push({ usual, overload });
  }
  const goodput = median(pairs.map(({ usual, overload }) => overload.filedPerSecond / usual.filedPerSecond));
  const slower = median(pairs.map(({ usual, overload }) => overload.otherP99 / usual.otherP99));
  console.log(
    `goodput ${goodput.toFixed(2)} (target: at least 0.90), memory ${service.peakMemory().toFixed(0)} MB at most (target: 300), the other project's p99 ${slower.toFixed(2)}x (target: at most 2)\n`,
  );
  service.stop();
}

/** Events per second from senders that wait for each response, until all are filed. */
async function measureCapacity(next: () => Uint8Array): Promise<number> {
  const service = await startMeasured(program, ["service"]);
  const events = 6_000;
  const loadOnce = async (): Promise<number> => {
    const began = performance.now();
    let left = events;
    await sendAll(service, 64, () => {
      left -= 1;
      return left >= 0 ? next() : undefined;
    });
    await service.figures();
    return (events * 1_000) / (performance.now() - began);
  };
  await loadOnce();
  const capacity = await loadOnce();
  service.stop();
  return capacity;
}

/** Some hundred different errors with a new id each time: generating each one would slow down the sender. */
function envelopes(): () => Uint8Array {
  const source = new EventSource({ seed: 11, total: 1e6, days: 1, until: Date.now() });
  const templates = Array.from({ length: 400 }, () => {
    const { eventId, payload } = source.next();
    const bytes = Buffer.from(
      writeEnvelope({ eventId }, [{ header: { type: "event" }, payload: Buffer.from(payload) }]),
    );
    return { bytes, idsAt: [bytes.indexOf(eventId), bytes.lastIndexOf(eventId)] };
  });
  let sent = 0;
  return () => {
    const { bytes, idsAt } = templates[sent++ % templates.length] ?? { bytes: Buffer.alloc(0), idsAt: [] };
    const fresh = Buffer.from(bytes);
    const eventId = newEventId();
    for (const at of idsAt) fresh.write(eventId, at, "latin1");
    return fresh;
  };
}

interface Phase {
  readonly offered: number;
  readonly taken: number;
  readonly filedPerSecond: number;
  readonly otherP50: number;
  readonly otherP99: number;
}

async function during(
  service: MeasuredProcess,
  perSecond: number,
  next: () => Uint8Array,
  forSeconds: number,
): Promise<Phase> {
  const [key = "", otherKey = ""] = service.keys;
  const before = await service.figures();
  const began = performance.now();
  let [offered, taken] = [0, 0];
  const others: number[] = [];
  await Promise.all([
    sendSteadily({ ...service, key }, { perSecond, seconds: forSeconds, connections: 128 }, next, ({ status }) => {
      offered += 1;
      if (status === 200) taken += 1;
    }),
    sendSteadily(
      { ...service, key: otherKey, project: 2 },
      { perSecond: othersPerSecond, seconds: forSeconds, connections: 4 },
      next,
      ({ status, ms }: Answered) => {
        if (status !== 200) throw new Error(`The other project was answered with ${status}.`);
        others.push(ms);
      },
    ),
  ]);
  const after = await service.figures();
  others.sort((left, right) => left - right);
  const at = (share: number): number => others[Math.floor(others.length * share)] ?? Number.NaN;
  return {
    offered: offered / forSeconds,
    taken: taken / forSeconds,
    filedPerSecond: (after.filed - before.filed) / ((performance.now() - began) / 1_000),
    otherP50: at(0.5),
    otherP99: at(0.99),
  };
}

function row(name: string, { offered, taken, filedPerSecond, otherP50, otherP99 }: Phase): string {
  return `${name.padEnd(24)} offered ${offered.toFixed(0)}/s, taken ${taken.toFixed(0)}/s, filed ${filedPerSecond.toFixed(0)}/s; the other: p50 ${otherP50.toFixed(1)} ms, p99 ${otherP99.toFixed(1)} ms`;
}

if (import.meta.main) await measureOverload({ seconds: Number(process.argv[2] ?? 10) });
