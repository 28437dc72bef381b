import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { jsonItem, newEventId, newSpanId, newTraceId, writeEnvelope } from "#protocol";
import { writeBackup } from "./backup/write-backup.ts";
import { journalLimits } from "./journal/limits.ts";
import { openService } from "./open-service.ts";
import { unpack } from "./stores/bodies/packing.ts";
import { type BlockRow, blocksIn } from "./stores/sqlite/week/block-rows.ts";

/** No file on disk may contain it, compressed or not. */
const marker = "Xq7LmarkerZ";
const card = "4111 1111 1111 1111";
const cardDigits = "4111111111111111";
const address = "203.0.113.77";

/** One secret of each kind, in named fields and in texts. */
const secrets = {
  password: marker,
  nested: { apiKey: marker, list: [{ csrf_token: marker }] },
  text: `GET https://jo:${marker}@shop.test/?access_token=${marker} Cookie: a=${marker}`,
  card,
  cardNumber: Number(cardDigits),
  ip_address: address,
};
const sentence = `paid with ${card}, password=${marker}, Authorization: Bearer ${marker}`;

describe("secrets that clients send", { timeout: 60_000 }, () => {
  let dataFolder: string;

  beforeEach(() => {
    dataFolder = mkdtempSync(join(tmpdir(), "holdfast-at-rest-"));
  });

  afterEach(() => rmSync(dataFolder, { recursive: true }));

  it("secrets that clients send are nowhere in the data folder or in a backup once they are filed, while the service runs and after it", async () => {
    const service = await openService({
      dataFolder,
      limits: {
        // 60 s in production.
        journal: { ...journalLimits, segmentMs: 100 },
      },
    });
    for (const envelope of everyKindOfEnvelope())
      expect(await service.accept(1, envelope)).toMatchObject({ kind: "accepted" });
    expect(placesWithSecrets(dataFolder).some((place) => place.includes("journal"))).toBe(true);
    await service.drained();
    const journal = join(dataFolder, "journal");
    await expect.poll(() => readdirSync(journal), { timeout: 30_000 }).toEqual([]);
    expect(placesWithSecrets(dataFolder)).toEqual([]);
    await writeBackup(dataFolder, join(dataFolder, "backup.tar"));
    expect(placesWithSecrets(dataFolder)).toEqual([]);
    await service.accept(1, everyKindOfEnvelope()[0] ?? new Uint8Array());
    await service.close();
    expect(readdirSync(journal)).toEqual([]);
    expect(placesWithSecrets(dataFolder)).toEqual([]);
  });
});

/** Lists the files and compressed values of the data folder that contain a secret. */
function placesWithSecrets(folder: string): string[] {
  const found: string[] = [];
  const look = (place: string, bytes: Uint8Array): void => {
    const text = Buffer.from(bytes).toString("latin1");
    for (const secret of [marker, card, cardDigits, address])
      if (text.includes(secret)) found.push(`${place}: ${secret}`);
  };
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path);
    const bytes = readIfPresent(path);
    if (bytes !== undefined) look(name, bytes);
    if (/store\/.*\.db$/.test(name)) for (const { place, bytes } of packedIn(path)) look(`${name} ${place}`, bytes);
  }
  return found;
}

/** SQLite deletes a rollback journal at the end of each transaction, so a listed file may be gone. */
function readIfPresent(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Yields every compressed value of a store file, decompressed. */
function* packedIn(path: string): Generator<{ place: string; bytes: Uint8Array }> {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    const tables = database
      .prepare(
        "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'packed'",
      )
      .all()
      .map(({ name }) => String(name))
      .filter((name) => !/^(?:sketch|affected)_/.test(name));
    for (const table of tables) {
      for (const row of database.prepare(`SELECT * FROM ${table}`).all()) {
        const packed = row.packed as Uint8Array;
        if (packed.length === 0) continue;
        const blocks = table === "body_block" ? blocksIn(row as unknown as BlockRow) : [{ groups: [], packed }];
        for (const block of blocks) {
          const references = block.groups.map((group) => {
            const reference = database.prepare("SELECT packed FROM reference_body WHERE grp = ?").get(group);
            return unpack(reference?.packed as Uint8Array) ?? Buffer.alloc(0);
          });
          const bytes = unpack(block.packed, references.length === 0 ? undefined : Buffer.concat(references));
          if (bytes === undefined) throw new Error(`A row of ${table} cannot be unpacked.`);
          yield { place: table, bytes };
        }
      }
    }
  } finally {
    database.close();
  }
}

function everyKindOfEnvelope(): Uint8Array[] {
  const now = Date.now() / 1_000;
  const eventId = newEventId();
  const traceId = newTraceId();
  const frame = { filename: "a.js", abs_path: `https://cdn.test/a.js?token=${marker}`, function: "pay", vars: secrets };
  const event = {
    event_id: eventId,
    timestamp: now,
    message: sentence,
    logger: sentence,
    server_name: sentence,
    transaction: `/pay?token=${marker}`,
    tags: { ...secrets, card },
    extra: secrets,
    contexts: { shop: secrets, trace: { trace_id: traceId, span_id: newSpanId() } },
    user: { id: "7", ip_address: address, data: secrets },
    request: {
      url: `https://shop.test/pay?api_key=${marker}`,
      query_string: `token=${marker}`,
      cookies: { theme: marker },
      headers: { Cookie: `a=${marker}`, Authorization: marker, "X-Forwarded-For": address },
      env: { REMOTE_ADDR: address },
      data: { ...secrets, body: JSON.stringify(secrets) },
    },
    breadcrumbs: [{ message: sentence, data: secrets }],
    exception: {
      values: [
        { type: "Error", value: sentence, stacktrace: { frames: [frame] }, mechanism: { type: "x", data: secrets } },
      ],
    },
  };
  const attribute = (value: unknown) => ({ value: String(value), type: "string" });
  const attributes = { password: attribute(marker), text: attribute(sentence), "client.address": attribute(address) };
  const span = {
    trace_id: traceId,
    span_id: newSpanId(),
    name: `GET /?token=${marker}`,
    status: "ok",
    is_segment: true,
    start_timestamp: now,
    end_timestamp: now + 1,
    attributes,
  };
  const items = (list: object[]) => ({ items: list });
  return [
    writeEnvelope({ eventId }, [
      jsonItem("event", event),
      {
        header: { type: "attachment", filename: `a-token=${marker}.log` },
        payload: Buffer.from(`${sentence}\n${JSON.stringify(secrets)}`),
      },
    ]),
    // An unreadable event is stored unchanged, as far as possible.
    writeEnvelope({ eventId: newEventId() }, [
      { header: { type: "event" }, payload: Buffer.from(`{"extra":{"password":"${marker}"},"message`) },
    ]),
    writeEnvelope({ eventId: newEventId() }, [
      jsonItem("transaction", {
        type: "transaction",
        transaction: `/pay?token=${marker}`,
        start_timestamp: now,
        timestamp: now + 1,
        tags: secrets,
        extra: secrets,
        request: event.request,
        contexts: { trace: { trace_id: traceId, span_id: newSpanId(), data: secrets } },
        spans: [
          {
            trace_id: traceId,
            span_id: newSpanId(),
            start_timestamp: now,
            timestamp: now,
            description: sentence,
            data: secrets,
          },
        ],
      }),
    ]),
    writeEnvelope({}, [jsonItem("span", items([span]))]),
    writeEnvelope({}, [
      jsonItem("log", items([{ timestamp: now, level: "error", body: sentence, trace_id: traceId, attributes }])),
    ]),
    writeEnvelope({}, [
      jsonItem(
        "trace_metric",
        items([
          {
            timestamp: now,
            trace_id: traceId,
            name: "n",
            type: "counter",
            value: 1,
            attributes: { route: attribute(`/?token=${marker}`), outcome: attribute(sentence) },
          },
        ]),
      ),
    ]),
    writeEnvelope({ eventId: newEventId() }, [
      jsonItem("feedback", {
        contexts: { feedback: { message: sentence, name: sentence, url: `https://shop.test/?token=${marker}` } },
      }),
    ]),
    writeEnvelope({}, [
      jsonItem("user_report", { event_id: eventId, name: "Jo", email: "jo@shop.test", comments: sentence }),
    ]),
    writeEnvelope({}, [
      jsonItem("session", {
        sid: newEventId(),
        init: true,
        started: new Date().toISOString(),
        status: "ok",
        errors: 0,
        attrs: { release: "a", ip_address: address, user_agent: sentence },
      }),
    ]),
    writeEnvelope({}, [
      jsonItem("check_in", { check_in_id: newEventId(), monitor_slug: `token=${marker}`, status: "ok" }),
    ]),
    writeEnvelope({}, [
      jsonItem("client_report", {
        timestamp: now,
        discarded_events: [{ reason: sentence, category: "error", quantity: 1 }],
      }),
    ]),
  ];
}
