/**
 * What becomes of the service when one project sends five times as much as it may? Wanted: what is filed of it is at least 0.9 of what would be filed without
 * the excess, the process holds at most 300 MB, and another project's answers take at most twice as long in the worst of a hundred.
 */
import { writeEnvelope } from "#protocol";
import { type Answered, sendSteadily } from "../kit/bare-client.ts";
import { type MeasuredProcess, startMeasured } from "../kit/measured-process.ts";
import { EventSource } from "./generated-events.ts";

/** What a project may send for any length of time, by the service's own limits. */
const quotaPerSecond = 1_000;

export async function measureOverload({ seconds = 20 } = {}): Promise<void> {
  const service = await startMeasured(new URL("./contender.ts", import.meta.url), ["limited"]);
  const source = new EventSource({ seed: 11, total: 1e6, days: 1, until: Date.now() });
  const next = (): Uint8Array => {
    const { eventId, payload } = source.next();
    return writeEnvelope({ eventId }, [{ header: { type: "event" }, payload: Buffer.from(payload) }]);
  };
  // The burst that every project has in hand would hide the first seconds of the overload, and the compiler is busy at first.
  await during(service, quotaPerSecond * 5, next, 5);
  const usual = await during(service, quotaPerSecond, next, seconds);
  const overload = await during(service, quotaPerSecond * 5, next, seconds);
  console.log(
    `${seconds} s of one project at its quota, then at five times its quota; another sends 20 a second throughout`,
  );
  console.log(row("at its quota", usual));
  console.log(row("five times its quota", overload));
  const goodput = overload.filedPerSecond / usual.filedPerSecond;
  const slower = overload.otherP99 / usual.otherP99;
  console.log(
    `goodput ${goodput.toFixed(2)} (wanted: at least 0.90), memory ${service.peakMemory().toFixed(0)} MB at most (wanted: 300), the other project's p99 ${slower.toFixed(2)}x (wanted: at most 2)\n`,
  );
  service.stop();
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
      { perSecond: 20, seconds: forSeconds, connections: 4 },
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

if (import.meta.main) await measureOverload({ seconds: Number(process.argv[2] ?? 20) });
