/**
 * How far is filing from the least that must be done? The floor parses the JSON, packs it against the first event of its
 * issue, and inserts it into one table with one index; filing also reads, scrubs, groups, indexes, counts and keeps
 * issues. Both take the same events in turns of a thousand, so that other load on the machine meets both alike.
 *
 *   node --conditions=holdfast-source bench/service/filing-floor.ts [--events 30000]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { zstdCompressSync } from "node:zlib";
import { isObject, writeEnvelope } from "#protocol";
import { fileRecords } from "../../src/service/filing/file-records.ts";
import { Scrubber } from "../../src/service/filing/scrub.ts";
import type { JournalRecord } from "../../src/service/journal/record.ts";
import { openSqliteStore } from "../../src/service/stores/sqlite/open-sqlite-store.ts";
import { EventSource, type Generated } from "./generated-events.ts";

const { values } = parseArgs({ options: { events: { type: "string", default: "30000" } } });
const total = Number(values.events);
const batch = 1_000;
const folder = mkdtempSync(join(tmpdir(), "holdfast-floor-"));
const source = new EventSource({ seed: 7, total, days: 2, until: Date.UTC(2026, 10, 15) });

const bare = new DatabaseSync(join(folder, "bare.db"));
bare.exec("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
bare.exec("CREATE TABLE event (id INTEGER PRIMARY KEY, event_id BLOB UNIQUE, body BLOB)");
const insert = bare.prepare("INSERT INTO event (event_id, body) VALUES (?, ?)");
const dictionaries = new Map<string, Buffer>();

const store = openSqliteStore({ folder: join(folder, "store") });
const filing = { store, scrubber: new Scrubber(), symbolicate: <T>(_project: number, event: T) => event, onFault };
let position = 0;
const cpuMs = { floor: 0, filing: 0 };

for (let done = 0; done < total; done += batch) {
  const events = Array.from({ length: batch }, () => source.next());
  const records = events.map(recordOf);
  cpuMs.floor += cpuOf(() => insertBare(events));
  cpuMs.filing += cpuOf(() => fileRecords(filing, records, position));
}
store.close();
bare.close();
rmSync(folder, { recursive: true });

const perEvent = (ms: number) => `${((ms * 1000) / total).toFixed(0)} µs`;
console.log(
  `floor ${perEvent(cpuMs.floor)}, filing ${perEvent(cpuMs.filing)} CPU per event: ${(cpuMs.filing / cpuMs.floor).toFixed(2)} times the floor`,
);

function insertBare(events: readonly Generated[]): void {
  bare.exec("BEGIN");
  for (const { eventId, payload } of events) {
    const content = Buffer.from(payload);
    const event: unknown = JSON.parse(content.toString("utf8"));
    const key = isObject(event) ? String(event.transaction) : "";
    const dictionary = dictionaries.get(key) ?? content;
    dictionaries.set(key, dictionary);
    insert.run(Buffer.from(eventId, "hex"), zstdCompressSync(content, { dictionary }));
  }
  bare.exec("COMMIT");
}

function recordOf({ at, eventId, payload }: Generated): JournalRecord {
  const bytes = writeEnvelope({ eventId }, [{ header: { type: "event" }, payload: Buffer.from(payload) }]);
  const record = { project: 1, receivedMs: at, bytes, position, next: position + 21 + bytes.length };
  position = record.next;
  return record;
}

function cpuOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function onFault(error: unknown): never {
  throw error;
}
