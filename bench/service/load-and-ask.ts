/**
 * Measures what it costs to file an event, how much disk space it takes, and how fast queries are afterwards.
 *
 *   node --conditions=holdfast-source bench/service/load-and-ask.ts
 *     [--events 1000000] [--days 90] [--folder DIR] [--store postgres://…] [--templates N]
 *     [--seed 7] [--until 2026-11-15 | --until now] [--load-only]
 *
 * Files generated events by the same steps as the service (envelope, journal record, filing, store), shows its
 * progress, queries while it loads, and afterwards runs every query of the console. `--events 0` only queries a store
 * that was filled before. Targets in SQLite at a million events: p95 of each query at most 50 ms and of an event by
 * digest at most 1 ms; at most 0.15 of the raw JSON on disk. Target at ten million, in both stores: p95 of each query
 * at most 100 ms.
 *
 * With `--templates N` only N events are generated and parsed, and the store files copies of them, each with its own
 * ids, time, release and visitor. So ten million are there in a third of the time; what filing costs and how much room
 * an event takes is measured without it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { digestOf } from "#protocol";
import { fileRecords } from "../../src/service/filing/file-records.ts";
import { readFiledItems } from "../../src/service/filing/read-record.ts";
import {
  eventByIdOrDigest,
  find,
  issueByNumber,
  issueList,
  issueTabs,
  lastDays,
  live,
  liveVisitors,
  overview,
  pages,
  readFilter,
  releaseByName,
  releaseComparison,
  releases,
  routeExamples,
  routeTrend,
  search,
  traceById,
  usual,
  visitorById,
  visitorsOfIssue,
} from "../../src/service/queries/index.ts";
import { openStore, openStoreReader } from "../../src/service/stores/open-store.ts";
import { storeAddressOf } from "../../src/service/stores/store-address.ts";
import { CopySource } from "./copied-events.ts";
import { EventSource } from "./generated-events.ts";
import { filingInto, GeneratedRecords } from "./generated-records.ts";

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "1000000" },
    days: { type: "string", default: "90" },
    folder: { type: "string" },
    store: { type: "string" },
    templates: { type: "string", default: "0" },
    seed: { type: "string", default: "7" },
    until: { type: "string", default: "2026-11-15" },
    "load-only": { type: "boolean", default: false },
  },
});
const total = Number(values.events);
const folder = values.folder ?? mkdtempSync(join(tmpdir(), "holdfast-load-"));
const until = values.until === "now" ? Date.now() : Date.parse(values.until);
const batchRecords = 1_000;

const address = storeAddressOf(folder, values.store ?? "");
const store = await openStore(address);
const filing = filingInto(store);
// Five of six records are errors, and only those advance the time.
const source = new EventSource({ seed: Number(values.seed), total: (total * 5) / 6, days: Number(values.days), until });
const generated = new GeneratedRecords(source, await store.appliedUpTo());
let position = generated.position;
let filingCpuMs = 0;
let whileLoading = 0;
const reader = await openStoreReader(address);
const context = { store: reader, now: until };
const began = performance.now();

const templates = Array.from({ length: Number(values.templates) }, () => generated.next()).flatMap((record) =>
  readFiledItems(record, filing),
);
const copies =
  templates.length === 0 ? undefined : new CopySource(templates, { total, days: Number(values.days), until });

for (let filed = 0; filed < total; filed += batchRecords) {
  const length = Math.min(batchRecords, total - filed);
  const records = copies === undefined ? Array.from({ length }, () => generated.next()) : [];
  const items = copies === undefined ? [] : Array.from({ length }, () => copies.next(position++));
  const before = process.cpuUsage();
  if (copies === undefined) await fileRecords(filing, records, generated.position);
  else await store.commit({ upTo: position, items });
  const { user, system } = process.cpuUsage(before);
  filingCpuMs += (user + system) / 1000;
  const asked = performance.now();
  await issueList(context, { project: 1, filter: "is:open", period: lastDays(1, until) });
  whileLoading = Math.max(whileLoading, performance.now() - asked);
  showProgress(filed + length);
}
await store.settled();
await store.makeDurable();
if (total > 0) await tellWhatItCost();

if (!values["load-only"]) await askEverything();

reader.close();
store.close();
if (values.folder === undefined) rmSync(folder, { recursive: true });

async function askEverything(): Promise<void> {
  const sample = await sampleOfEvents();
  const list = (filter: string, days: number) => () =>
    issueList(context, { project: 1, filter, period: lastDays(days, until) });
  const any = () => sample[Math.floor(Math.random() * sample.length)] ?? { eventId: "0".repeat(32), traceId: "" };
  await ask("event by digest", () => store.event(1, any().eventId.slice(0, 15)));
  await ask("event with path, neighbours, feedback", () => eventByIdOrDigest(context, 1, digestOf(any().eventId)));
  await ask("issues, 24 h sparklines", list("is:open", 1));
  await ask("issues, 14 d sparklines", list("is:open", 14));
  await ask("issues, 90 d sparklines", list("is:open", 90));
  await ask("issues by release and environment", list("is:open release:shop@1.1*.0 environment:staging", 14));
  await ask("issues by route", list("route:/kar*", 14));
  await ask("issues by text", list("failed order", 1));
  await ask("issues by visitor", () =>
    issueList(context, {
      project: 1,
      filter: `user:user-${Math.floor(Math.random() * 50_000)}`,
      period: lastDays(1, until),
    }),
  );
  await ask("tabs with counts", () => issueTabs(context, 1));
  await ask("the biggest issue", () => issueByNumber(context, 1, 1, lastDays(30, until)));
  await ask("events of the biggest issue", async () => {
    const filter = { states: [], terms: [], words: [] };
    const { issues } = await reader.issues({ project: 1, filter, sort: "events", limit: 1 });
    return reader.eventsOf(1, issues[0]?.id ?? 0, { limit: 50 });
  });
  await ask("trace", () => traceById(context, 1, any().traceId));
  await ask("pages, 24 h", () => pages(context, 1, lastDays(1, until)));
  await ask("pages, 14 d", () => pages(context, 1, lastDays(14, until)));
  await ask("releases", () => releases(context, 1));
  await ask("overview", () => overview(context, 1));
  const busiest = (await pages(context, 1, lastDays(14, until)))[0]?.route ?? "";
  const route = (days: number) => ({ project: 1, route: busiest, period: lastDays(days, until) });
  await ask("a route, 24 h", () => routeTrend(context, route(1)));
  await ask("a route, 14 d", () => routeTrend(context, route(14)));
  await ask("a route, 90 d", () => routeTrend(context, route(90)));
  await ask("examples of a route", () => routeExamples(context, { ...route(14), minMs: 500 }));
  await ask("usual, 14 d", () => usual(context, 1, "14d"));
  await ask("usual, 90 d", () => usual(context, 1, "90d"));
  await ask("live", () => live(context, { project: 1 }));
  await ask("live, who", () => liveVisitors(context, 1));
  await ask("a release", async () => releaseByName(context, 1, (await releases(context, 1))[0]?.name ?? ""));
  await ask("two releases", async () => {
    const [to = "", from = ""] = await reader.releaseNames(1);
    return releaseComparison(context, 1, { from, to });
  });
  const anyone = () => `user-${Math.floor(Math.random() * 50_000)}`;
  await ask("a visitor, found by id", async () => {
    const found = await find(context, 1, anyone());
    return found.kind === "visitor" ? visitorById(context, 1, found.visitor) : undefined;
  });
  await ask("visitors of the biggest issue", () =>
    visitorsOfIssue(context, { project: 1, number: 1, sort: "last", page: 1 }),
  );
  await ask("search for part of a name", () => search(context, 1, anyone().slice(0, 7)));
  await ask("find", () => find(context, 1, digestOf(any().eventId)));
}

async function ask(question: string, run: () => Promise<unknown>): Promise<void> {
  for (let warm = 0; warm < 5; warm++) await run();
  const before = process.cpuUsage();
  const times: number[] = [];
  while (times.length < 60) {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  const { user, system } = process.cpuUsage(before);
  const [p50 = 0, p95 = 0] = [times[30], times[57]];
  const cpu = (user + system) / 60_000;
  const columns = [p50, p95, cpu].map((ms) => ms.toFixed(2).padStart(8));
  console.log(`${question.padEnd(40)} p50 ${columns[0]} ms   p95 ${columns[1]} ms   CPU ${columns[2]} ms`);
}

async function sampleOfEvents(): Promise<{ eventId: string; traceId: string }[]> {
  const { issues } = await reader.issues({ project: 1, filter: readFilter(""), sort: "events", limit: 200 });
  const events = await Promise.all(issues.map(({ id }) => reader.eventsOf(1, id, { limit: 20 })));
  return events.flat().map(({ eventId, traceId = "" }) => ({ eventId, traceId }));
}

async function tellWhatItCost(): Promise<void> {
  const seconds = (performance.now() - began) / 1000;
  const partitions = await reader.partitions();
  const diskBytes = partitions.reduce((sum, { bytes }) => sum + bytes, await reader.lastingBytes());
  const memory = process.memoryUsage().rss / 1e6;
  console.log(
    `\n\n${total.toLocaleString("en")} events of ${(generated.rawBytes / total).toFixed(0)} B in ${seconds.toFixed(0)} s, generating included`,
  );
  console.log(
    `filing: ${((filingCpuMs * 1000) / total).toFixed(0)} µs CPU of this process per event; slowest list while loading ${whileLoading.toFixed(1)} ms`,
  );
  console.log(
    `disk: ${(diskBytes / total).toFixed(0)} B per event, ${(diskBytes / generated.rawBytes).toFixed(3)} of the raw JSON; memory ${memory.toFixed(0)} MB\n`,
  );
}

function showProgress(filed: number): void {
  const share = filed / total;
  const bar = "█".repeat(Math.round(share * 40)).padEnd(40, "·");
  const perSecond = (filed / ((performance.now() - began) / 1000)).toFixed(0);
  process.stdout.write(`\r${bar} ${(share * 100).toFixed(1)} %  ${filed.toLocaleString("en")} events  ${perSecond}/s `);
}
