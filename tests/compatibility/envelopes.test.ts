import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readEnvelope } from "#protocol";
import { openService, type Service } from "#service";
import { titleOf } from "../../src/service/grouping/title.ts";
import { createServiceServer } from "../../src/service/serve.ts";
import { storedIds } from "../../src/service/stores/filed-examples.ts";
import { everyIssue } from "../../src/service/stores/filter-language.ts";
import { openSqliteReader } from "../../src/service/stores/sqlite/open-sqlite-store.ts";

interface Captured {
  readonly file: string;
  readonly client: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly items?: readonly string[];
}

const folder = fileURLToPath(new URL("./envelopes/", import.meta.url));
const captured: readonly Captured[] = JSON.parse(readFileSync(`${folder}index.json`, "utf8"));

/** Not stored by default, but counted. */
const notKept = new Set(["replay_event", "replay_recording"]);
const idOfRequests = "0123456789abcdef0123456789abcdef";

describe("requests captured from real clients", () => {
  const dataFolder = mkdtempSync(join(tmpdir(), "holdfast-compatibility-"));
  let service: Service;
  let origin: string;
  const server = createServer();

  beforeAll(async () => {
    service = await openService({ dataFolder });
    // The requests name project 42 and its key.
    while (service.projects.all.length < 41) await service.projects.add(`project ${service.projects.all.length + 1}`);
    await service.projects.add("the captured one", idOfRequests);
    server.on("request", createServiceServer(service).listeners("request")[0] as () => void);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await service.close();
    rmSync(dataFolder, { recursive: true });
  });

  it.each(captured)("$file of $client is accepted", async ({ file, url, headers, method, items }) => {
    const before = itemCounts(service.metrics());
    const { body, encoding } = bodyOf(file, headers);
    // A tunnel forwards to the project in the envelope's own header.
    const path = url.startsWith("/api/") ? url : "/api/42/envelope/";
    const answer = await fetch(origin + path, {
      method,
      body: new Uint8Array(body),
      headers: wireHeaders(headers, encoding),
    });
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({ status: 200 });
    const expected = file.endsWith(".store") ? { [items?.[0] ?? ""]: 1 } : expectedItems(file);
    expect(difference(before, itemCounts(service.metrics()))).toEqual(expected);
  });

  it("requests captured from real clients are all filed, with none put aside", async () => {
    await service.drained();
    expect(service.metrics()).toContain("\nholdfast_put_aside_total 0\n");
    const store = openSqliteReader({ folder: join(dataFolder, "store") });
    const titles = (await store.issues({ project: 42, filter: everyIssue, sort: "last-seen", limit: 100 })).issues.map(
      ({ title }) => title,
    );
    expect(titles.length).toBeGreaterThan(10);
    const ids = captured.flatMap(({ file }) => eventIdsIn(file));
    expect(await storedIds(store, ids, 42)).toEqual(ids);
    expect(eventIdsIn("node11-stream-004-event.envelope")).toHaveLength(1);
    expect(await store.check()).toEqual([]);
    store.close();
  });

  it.each([
    ["python1-001-event.store", "RuntimeError: order 7 cannot be read", "orders.py:16 load", "RuntimeError KeyError"],
    ["python1-002-event.store", "Import of orders failed", "orders.py:27 <module>", ""],
    [
      "ruby5-001-event.envelope",
      "ArgumentError: order 7 cannot be read",
      "orders.rb:16 rescue in load",
      "ArgumentError NoMethodError",
    ],
    ["raven-ruby3-001-event.store", "ZeroDivisionError: divided by 0", "raven.rb:10 /", "ZeroDivisionError"],
    [
      "go0-001-event.store",
      "*fmt.wrapError: order 7 cannot be read: connection refused",
      "/srv/shop/go/main.go:22 main",
      "*fmt.wrapError *errors.errorString",
    ],
    ["go0-002-event.store", "import ended", "/srv/shop/go/main.go:23 main", ""],
  ])("%s is called by what was thrown, and where", async (file, title, culprit, chain) => {
    const store = openSqliteReader({ folder: join(dataFolder, "store") });
    const [id = ""] = eventIdsIn(file);
    const event = await store.event(42, id);
    store.close();
    if (event?.body.kind !== "whole") throw new Error(`${file} was not kept whole.`);
    // Not the issue's title: the same text of two clients is one issue, titled by the last of them.
    const called = titleOf(event.body.event);
    expect([called.type, called.text].filter((part) => part !== undefined).join(": ")).toBe(title);
    expect(called.culprit).toBe(culprit);
    expect(
      event.body.event.exceptions
        .map(({ type }) => type)
        .toReversed()
        .join(" "),
    ).toBe(chain);
  });
});

function bodyOf(file: string, headers: Captured["headers"]): { body: Buffer; encoding: string | undefined } {
  const encoding = headers["content-encoding"];
  return encoding === "gzip"
    ? { body: readFileSync(`${folder}${file}.gz`), encoding }
    : { body: readFileSync(folder + file), encoding: undefined };
}

/** Other headers are left to fetch. */
function wireHeaders(headers: Captured["headers"], encoding: string | undefined): Record<string, string> {
  const own = ["content-type", "x-sentry-auth", "origin", "user-agent"].filter((name) => headers[name] !== undefined);
  return {
    ...Object.fromEntries(own.map((name) => [name, headers[name] ?? ""])),
    ...(encoding === undefined ? {} : { "content-encoding": encoding }),
  };
}

/** Items of the captured file, parsed without the service. An OpenTelemetry request becomes spans and an event. */
function expectedItems(file: string): Record<string, number> {
  if (file.startsWith("otlp")) return { span: 1, event: 1 };
  const types = itemsIn(file)
    .map(({ header }) => header.type)
    .filter((type) => !notKept.has(type));
  const counts: Record<string, number> = {};
  for (const type of types) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

function itemsIn(file: string) {
  const reading = readEnvelope(readFileSync(folder + file));
  if (reading.kind !== "read") throw new Error(`${file}: ${reading.why}`);
  return reading.envelope.items;
}

function eventIdsIn(file: string): string[] {
  if (file.endsWith(".store")) {
    const body = readFileSync(folder + file);
    const json = body[0] === 0x7b ? body : inflateSync(Buffer.from(body.toString(), "base64"));
    return [JSON.parse(json.toString()).event_id.replaceAll("-", "")];
  }
  if (!file.endsWith(".envelope")) return [];
  return itemsIn(file)
    .filter(({ header }) => header.type === "event")
    .map(({ payload }) => JSON.parse(Buffer.from(payload).toString()).event_id.replaceAll("-", ""));
}

function itemCounts(metrics: string): Map<string, number> {
  return new Map(
    [...metrics.matchAll(/holdfast_items_kept_total\{type="(\w+)"\} (\d+)/g)].map(([, type = "", count]) => [
      type,
      Number(count),
    ]),
  );
}

function difference(before: Map<string, number>, after: Map<string, number>): Record<string, number> {
  const grown = [...after].map(([type, count]): [string, number] => [type, count - (before.get(type) ?? 0)]);
  return Object.fromEntries(grown.filter(([, count]) => count > 0));
}
