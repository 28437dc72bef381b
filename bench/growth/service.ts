/**
 * How does the service grow with the events it keeps: the cost of filing one, its room on the disk, and two questions?
 * One store in SQLite takes all of them, spread over 90 days, and is measured at each size.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileRecords } from "../../src/service/filing/file-records.ts";
import { issueList, lastDays, readFilter } from "../../src/service/queries/index.ts";
import { openStore, openStoreReader } from "../../src/service/stores/open-store.ts";
import type { StoreReader } from "../../src/service/stores/store.ts";
import { storeAddressOf } from "../../src/service/stores/store-address.ts";
import { EventSource } from "../service/generated-events.ts";
import { filingInto, GeneratedRecords } from "../service/generated-records.ts";
import { drawCurve } from "./curve.ts";

const days = 90;
const until = Date.parse("2026-11-15");
const batchRecords = 1_000;
// At first, the compiler's work would be counted.
const warmUps = 6_000;
const times = 60;

interface Figures {
  readonly size: number;
  readonly filingMicros: number;
  readonly diskBytes: number;
  readonly digestMs: number;
  readonly listMs: number;
}

export async function measureServiceGrowth(sizes: readonly number[], keep: boolean): Promise<void> {
  await grow([warmUps]);
  const figures = await grow(sizes);
  console.log(table(figures));
  if (!keep) return;
  const results = path.join(import.meta.dirname, "../pages/results");
  await mkdir(results, { recursive: true });
  await writeFile(path.join(results, "growth-service-filing.svg"), drawCurve(filingCurve(figures)));
  await writeFile(path.join(results, "growth-service-questions.svg"), drawCurve(questionsCurve(figures)));
}

/** A size is measured when so many events are there. */
async function grow(sizes: readonly number[]): Promise<Figures[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-growth-"));
  const address = storeAddressOf(folder, "");
  const store = await openStore(address);
  const reader = await openStoreReader(address);
  const largest = Math.max(...sizes);
  // Five of six records are errors, and only those advance the time.
  const records = new GeneratedRecords(new EventSource({ seed: 7, total: (largest * 5) / 6, days, until }), 0);
  const filing = filingInto(store);
  const figures: Figures[] = [];
  let filed = 0;
  try {
    for (const size of sizes.toSorted((a, b) => a - b)) {
      // The second half of the way: the cost of an event when nearly so many are there.
      const from = filed + (size - filed) / 2;
      let [cpuMicros, counted] = [0, 0];
      while (filed < size) {
        const batch = Array.from({ length: Math.min(batchRecords, size - filed) }, () => records.next());
        const before = process.cpuUsage();
        await fileRecords(filing, batch, records.position);
        const { user, system } = process.cpuUsage(before);
        filed += batch.length;
        if (filed <= from) continue;
        cpuMicros += user + system;
        counted += batch.length;
      }
      await store.settled();
      await store.makeDurable();
      await store.emptyLogs();
      const asked = await ask(reader, size, records.at);
      figures.push({ size, filingMicros: cpuMicros / counted, ...asked });
      console.log(`${size.toLocaleString("en")} events: ${JSON.stringify(figures.at(-1))}`);
    }
  } finally {
    reader.close();
    store.close();
    rmSync(folder, { recursive: true });
  }
  return figures;
}

async function ask(reader: StoreReader, size: number, now: number): Promise<Omit<Figures, "size" | "filingMicros">> {
  const partitions = await reader.partitions();
  const bytes = partitions.reduce((sum, partition) => sum + partition.bytes, await reader.lastingBytes());
  const { issues } = await reader.issues({ project: 1, filter: readFilter(""), sort: "events", limit: 200 });
  const events = (await Promise.all(issues.map(({ id }) => reader.eventsOf(1, id, { limit: 20 })))).flat();
  const any = (): string => events[Math.floor(Math.random() * events.length)]?.eventId ?? "";
  const context = { store: reader, now };
  const list = { project: 1, filter: "is:open", period: lastDays(14, now) };
  return {
    diskBytes: bytes / size,
    digestMs: await p95(() => reader.event(1, any().slice(0, 15))),
    listMs: await p95(() => issueList(context, list)),
  };
}

async function p95(run: () => Promise<unknown>): Promise<number> {
  for (let warm = 0; warm < 5; warm++) await run();
  const taken: number[] = [];
  while (taken.length < times) {
    const start = performance.now();
    await run();
    taken.push(performance.now() - start);
  }
  return taken.toSorted((a, b) => a - b)[Math.floor(times * 0.95)] ?? 0;
}

function filingCurve(figures: readonly Figures[]): Parameters<typeof drawCurve>[0] {
  return {
    title: "Filing an event, by the events in the store",
    x: "events",
    y: "µs, bytes",
    lines: [
      { name: "processor time, µs", color: "#0a7d5a", points: figures.map((at) => [at.size, at.filingMicros]) },
      { name: "room on the disk, bytes", color: "#8a5a00", points: figures.map((at) => [at.size, at.diskBytes]) },
    ],
  };
}

function questionsCurve(figures: readonly Figures[]): Parameters<typeof drawCurve>[0] {
  return {
    title: "Questions to the service, by the events in the store (95th percentile)",
    x: "events",
    y: "ms",
    lines: [
      { name: "event by digest", color: "#0a7d5a", points: figures.map((at) => [at.size, at.digestMs]) },
      { name: "list of issues, 14 days", color: "#8a5a00", points: figures.map((at) => [at.size, at.listMs]) },
    ],
  };
}

function table(figures: readonly Figures[]): string {
  const rows = figures.map(({ size, filingMicros, diskBytes, digestMs, listMs }) => {
    const columns = [size.toLocaleString("en"), filingMicros.toFixed(0), diskBytes.toFixed(0)];
    return `| ${[...columns, digestMs.toFixed(2), listMs.toFixed(1)].join(" | ")} |`;
  });
  const head = "| events | filing one, µs | disk, B per event | event by digest, p95 ms | list of issues, p95 ms |";
  return [`\n### The service, by its events\n`, head, "|---:|---:|---:|---:|---:|", ...rows].join("\n");
}
