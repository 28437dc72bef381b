import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdCompressSync } from "node:zlib";
import { QuickResponse } from "#http";
import { isObject } from "#protocol";
import { openService } from "#service";
import { beMeasured } from "../kit/measured-process.ts";

/**
 * One of the compared servers: `floor` does only the four indispensable steps, `service` everything without quotas,
 * `limited` everything with the quota in the next argument, in events per second and project.
 */
const folder = mkdtempSync(join(tmpdir(), "holdfast-cost-"));
const [kind, quota] = process.argv.slice(2);
const { listener, keys, settled, filed } = kind === "floor" ? floor() : await service(Number(quota ?? 1e9));
// The service's own servers have it.
const responses = kind === "floor" ? {} : { ServerResponse: QuickResponse };
const server = createServer({ noDelay: true, ...responses }, listener);
server.listen(0, "127.0.0.1", () =>
  beMeasured({
    port: (server.address() as AddressInfo).port,
    keys,
    settled,
    filed,
    end: () => rmSync(folder, { recursive: true }),
  }),
);

interface Contender {
  readonly listener: RequestListener;
  readonly keys: readonly string[];
  readonly settled: () => Promise<void>;
  readonly filed: () => number;
}

/**
 * HTTP, JSON.parse, zstd and a bare insert. Acknowledged events survive no power loss, and a repeated delivery fails.
 */
function floor(): Contender {
  const database = new DatabaseSync(join(folder, "bare.db"));
  database.exec("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  database.exec("CREATE TABLE event (id INTEGER PRIMARY KEY, event_id BLOB UNIQUE, body BLOB)");
  const insert = database.prepare("INSERT INTO event (event_id, body) VALUES (?, ?)");
  const keep = (envelope: Buffer): void => {
    const payload = envelope.subarray(envelope.indexOf("\n", envelope.indexOf("\n") + 1) + 1);
    const event: unknown = JSON.parse(payload.toString("utf8"));
    if (!isObject(event)) throw new Error("The envelope has no event.");
    insert.run(Buffer.from(String(event.event_id), "hex"), zstdCompressSync(payload));
  };
  return {
    listener: (request, response) => receive(request, response, keep),
    keys: ["none"],
    settled: async () => undefined,
    filed: () => Number(database.prepare("SELECT count(*) AS n FROM event").get()?.n),
  };
}

function receive(request: IncomingMessage, response: ServerResponse, keep: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    keep(Buffer.concat(chunks));
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": 2 });
    response.end("{}");
  });
}

async function service(itemsPerSecond: number): Promise<Contender> {
  const accept = { requestsPerSecond: 1e9, requestBurst: 1e9, itemsPerSecond, itemBurst: itemsPerSecond };
  const opened = await openService({ dataFolder: folder, limits: { accept } });
  await opened.projects.add("second");
  return {
    listener: (request, response) => {
      if (!opened.handle(request, response)) response.writeHead(404).end();
    },
    keys: opened.projects.all.map(({ publicKey }) => publicKey),
    settled: () => opened.drained(),
    filed: () => opened.stats().filing.events,
  };
}
