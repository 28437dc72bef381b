import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ByteBudget, PieceJoiner, Refusals, Turns } from "#bounds";
import { readCheckIn, readEvent, readLogs, readSpans } from "#protocol";
import { systemClock } from "../clock.ts";
import type { ProjectKey } from "../intake/project-keys.ts";
import { folderDisk } from "../journal/disk.ts";
import { Journal } from "../journal/journal.ts";
import { JournalReader } from "../journal/journal-reader.ts";
import { journalLimits } from "../journal/limits.ts";
import { envelopeOf } from "../journal/record.ts";
import { Projects } from "../projects.ts";
import { attachmentRules } from "./attachment-rules.ts";
import { createAddressOf } from "./client-address.ts";
import { AcceptCounters } from "./counters.ts";
import type { IngestDeps } from "./delivery.ts";
import { handleIngestRequest } from "./handle-request.ts";
import { IntakeCounts } from "./intake-counts.ts";
import { type AcceptLimits, type AttachmentLimits, acceptLimits, attachmentLimits, leastFileBytes } from "./limits.ts";
import { Quota } from "./quota.ts";
import { Spikes } from "./spikes.ts";
import { brotliWindowBits } from "./unpack-body.ts";

describe("an envelope", () => {
  it("is answered with its event id once it is in the journal", async () => {
    const { status, body } = await post("envelope/", event("boom"));
    expect({ status, body }).toEqual({ status: 200, body: { id: eventId } });
    expect(kept()).toEqual([{ project: 1, types: ["event"] }]);
  });

  it("is accepted with and without the trailing slash", async () => {
    expect((await post("envelope", event("boom"))).status).toBe(200);
  });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
  ])("is unpacked from %s", async (encoding, pack) => {
    const { status } = await post("envelope/", pack(Buffer.from(event("packed"))), {
      headers: { "content-encoding": encoding },
    });
    expect(status).toBe(200);
    expect(keptPayloads()).toEqual([{ message: "packed" }]);
  });

  it("is accepted with an empty encoding header, which one client sends", async () => {
    expect((await post("envelope/", event("plain"), { headers: { "content-encoding": "" } })).status).toBe(200);
  });

  it("an envelope without an id gets the one of its payload, or a new one", async () => {
    const without = await post("envelope/", '{}\n{"type":"event"}\n{"message":"x"}\n');
    expect(without.body).toEqual({ id: expect.stringMatching(/^[0-9a-f]{32}$/) });
    const inPayload = await post("envelope/", `{}\n{"type":"event"}\n{"event_id":"${eventId}"}\n`);
    expect(inPayload.body).toEqual({ id: eventId });
    expect(records().map((record) => envelopeOf(record).header.eventId)).toEqual([expect.any(String), eventId]);
  });

  it("keeps known items and counts unknown ones", async () => {
    const mixed = `{"event_id":"${eventId}"}\n{"type":"telepathy","length":3}\nabc\n{"type":"event"}\n{"message":"x"}\n{"type":"attachment","length":2}\nhi\n`;
    files = { ...attachmentLimits, keep: false };
    expect((await post("envelope/", mixed)).status).toBe(200);
    expect(kept()).toEqual([{ project: 1, types: ["event"] }]);
    expect(parts.counters.takeReports()).toEqual([
      {
        project: 1,
        discarded: [
          { reason: "unknown-type", category: "default", quantity: 1 },
          { reason: "not-kept", category: "attachment", quantity: 1 },
        ],
      },
    ]);
  });

  it("is accepted without items", async () => {
    expect(await post("envelope/", "{}")).toMatchObject({ status: 200, body: {} });
  });

  it("stays complete when its payloads arrive in many small pieces", async () => {
    const text = `{"event_id":"${eventId}"}\n{"type":"event","length":${'{"message":"pieces"}'.length}}\n{"message":"pieces"}\n`;
    expect(await sendInPieces(text, 7)).toContain("HTTP/1.1 200");
    expect(keptPayloads()).toEqual([{ message: "pieces" }]);
  });
});

describe("attached files", () => {
  const item = (bytes: number): string => `{"type":"attachment","length":${bytes}}\n${"x".repeat(bytes)}\n`;
  const withFiles = (...sizes: number[]): string => event("boom") + sizes.map(item).join("");
  const dropped = () => parts.counters.takeReports().flatMap(({ discarded }) => discarded);

  it("attached files are kept with their event", async () => {
    expect(await post("envelope/", withFiles(3, 0, 20_000))).toMatchObject({ status: 200, body: { id: eventId } });
    expect(kept()).toEqual([{ project: 1, types: ["event", "attachment", "attachment", "attachment"] }]);
    expect(dropped()).toEqual([]);
  });

  it("attached files that are too large, one or together, are counted, and the event is kept", async () => {
    files = { ...attachmentLimits, fileBytes: 40_000, eventBytes: 70_000 };
    expect(await post("envelope/", withFiles(40_001, 40_000, 40_000, 100))).toMatchObject({
      status: 200,
      body: { id: eventId },
    });
    expect(keptBytes()).toEqual([40_000, 100]);
    expect(dropped()).toEqual([{ reason: "too-large", category: "attachment", quantity: 2 }]);
  });

  it("attached files that are small count as 16 KiB, so that their number is bounded", async () => {
    files = { ...attachmentLimits, eventBytes: 3 * leastFileBytes };
    expect((await post("envelope/", withFiles(1, 1, 1, 1))).status).toBe(200);
    expect(keptBytes()).toEqual([1, 1, 1]);
  });

  it("attached files beyond the bytes of a day are refused with a time to wait, and the event is kept", async () => {
    files = { ...attachmentLimits, dayBytes: 50_000 };
    expect((await post("envelope/", withFiles(40_000))).headers.get("x-sentry-rate-limits")).toBeNull();
    const second = await post("envelope/", withFiles(40_000));
    expect(second).toMatchObject({ status: 200, body: { id: eventId } });
    expect(second.headers.get("x-sentry-rate-limits")).toMatch(/^60:attachment:/);
    expect(keptBytes()).toEqual([40_000]);
    expect(dropped()).toEqual([{ reason: "quota", category: "attachment", quantity: 1 }]);
  });

  it("attached files of an event that is not kept are not kept either", async () => {
    limits = { ...acceptLimits, itemBurst: 1, itemsPerSecond: 0.001 };
    await restart();
    expect((await post("envelope/", event("first"))).status).toBe(200);
    const { status } = await post("envelope/", withFiles(100));
    expect(status).toBe(429);
    expect(kept()).toEqual([{ project: 1, types: ["event"] }]);
    expect(dropped()).toEqual([
      { reason: "quota", category: "error", quantity: 1 },
      { reason: "without-event", category: "attachment", quantity: 1 },
    ]);
  });

  it("attached files of 30 MiB that are left out cost no event", async () => {
    // Packs to half its size; a text of one letter would be a bomb.
    const digits = (megabytes: number): string => randomBytes((megabytes * 1024 ** 2) / 2).toString("hex");
    const items = [3, 12, 15].map((size) => `{"type":"attachment"}\n${digits(size)}\n`);
    const body = gzipSync(Buffer.from(event("boom") + items.join("")), { level: 1 });
    const { status } = await post("envelope/", body, { headers: { "content-encoding": "gzip" } });
    expect(status).toBe(200);
    expect(keptBytes()).toEqual([1024 ** 2 * 3]);
  });

  function keptBytes(): number[] {
    return records()
      .flatMap((record) => envelopeOf(record).items)
      .flatMap(({ header, payload }) => (header.type === "attachment" ? [payload.length] : []));
  }
});

describe("compressed bodies", () => {
  const br = (bits: number): Buffer =>
    brotliCompressSync(Buffer.from(event("packed")), { params: { [constants.BROTLI_PARAM_LGWIN]: bits } });
  const send = (body: Buffer, encoding: string) =>
    post("envelope/", body, { headers: { "content-encoding": encoding } });

  it.each([10, 16, 17, 22, 23])("compressed bodies of brotli with a window of %d bits are accepted", async (bits) => {
    expect(brotliWindowBits(br(bits)[0] ?? 0)).toBe(bits);
    expect((await send(br(bits), "br")).status).toBe(200);
  });

  it("compressed bodies that need a larger window are refused before a decoder is opened", async () => {
    // The pattern that RFC 7932 reserves begins a window of an extension, up to 1 GiB.
    for (const body of [br(24), Buffer.from([0b0001_0001, 0x1e, 0x00])])
      expect(await send(body, "br")).toMatchObject({
        status: 413,
        body: { detail: expect.stringContaining("8388608") },
      });
    const zstd = zstdCompressSync(randomBytes(9_000_000), { params: { [constants.ZSTD_c_windowLog]: 24 } });
    expect(await send(zstd, "zstd")).toMatchObject({
      status: 413,
      body: { detail: expect.stringContaining("window") },
    });
  });

  it("hold no decoder while they arrive, take turns after that, and are refused beyond the queue", async () => {
    limits = { ...acceptLimits, decoders: 1, decodersWaiting: 3 };
    await restart();
    const arriving = Array.from({ length: 20 }, () => openBody(br(22).subarray(0, -1), "br"));
    await expect.poll(() => parts.budget.heldBytes).toBe(20 * (br(22).length - 1));
    expect([parts.decoders.turns.running, parts.decoders.turns.waiting]).toEqual([0, 0]);
    const others = parts.decoders.turns;
    // While a decoder is busy, three bodies wait and the others are refused.
    let leave = (): void => undefined;
    others.enter((end) => {
      leave = end;
    });
    for (const { socket } of arriving) socket.write(br(22).subarray(-1));
    await expect.poll(() => arriving.filter(({ answer }) => answer() !== "").length).toBe(17);
    expect(others.waiting).toBe(3);
    leave();
    await expect.poll(() => arriving.filter(({ answer }) => answer().startsWith("HTTP/1.1 200")).length).toBe(3);
    const refused = arriving.filter(({ answer }) => /^HTTP\/1\.1 503.*Retry-After: 5\r/s.test(answer()));
    expect([refused.length, parts.decoders.refusals.totals.get("decoders")]).toEqual([17, 17]);
    expect([others.running, parts.budget.heldBytes]).toEqual([0, 0]);
    for (const { socket } of arriving) socket.destroy();
  });

  it("compressed bodies are bombs if they decompress to far more than reports do, and to more than an event may have", async () => {
    const unpacksTo = (bytes: number): Buffer =>
      brotliCompressSync(Buffer.from(event("long").trimEnd().padEnd(bytes)), {
        params: { [constants.BROTLI_PARAM_LGWIN]: 22 },
      });
    expect((await send(unpacksTo(1_000_000), "br")).status).toBe(200);
    const container = `{}\n{"type":"log","item_count":1}\n`.padEnd(9_000_000);
    const bomb = await send(brotliCompressSync(container), "br");
    expect(bomb).toMatchObject({ status: 413, body: { detail: expect.stringContaining("200 times") } });
  });

  it("count their window towards the limit of all bodies", async () => {
    limits = { ...acceptLimits, underWayBytes: 1_000_000 };
    await restart();
    expect((await send(br(16), "br")).status).toBe(200);
    expect(await send(br(22), "br")).toMatchObject({ status: 503 });
    expect(parts.decoders.refusals.totals.get("body-memory")).toBe(1);
  });
});

describe("a body", () => {
  it("a body that arrives in pieces of one byte is joined, so that it holds no more memory than its bytes", async () => {
    const pushed: number[] = [];
    const joiner = new PieceJoiner<Buffer, void>(Buffer.allocUnsafe, (piece) => void pushed.push(piece.length));
    for (let count = 0; count < 100_000; count += 1) joiner.push(Buffer.from("x"));
    joiner.flush();
    expect([pushed.length, pushed.reduce((sum, length) => sum + length, 0)]).toEqual([7, 100_000]);
    expect(await sendInPieces(event("in pieces of one byte"), 1)).toContain("HTTP/1.1 200");
    expect(keptPayloads()).toEqual([{ message: "in pieces of one byte" }]);
  });

  it("a body of one project leaves room for those of others", async () => {
    limits = { ...acceptLimits, underWayBytes: 3_000_000, projectBytes: 1_000_000 };
    await restart();
    const other = await projects.add("other");
    const open = Array.from({ length: 2 }, () =>
      openBody(Buffer.from(event("long").trimEnd().padEnd(500_000)), "identity"),
    );
    await expect.poll(() => parts.budget.heldBytes).toBe(1_000_000);
    expect((await post("envelope/", event("own"))).status).toBe(503);
    expect((await post("envelope/", event("x"), { project: 2, query: `?sentry_key=${other.publicKey}` })).status).toBe(
      200,
    );
    for (const { socket } of open) socket.destroy();
    await expect.poll(() => parts.budget.heldBytes).toBe(0);
  });

  it("a body without a key counts for the project in its address, and for none if that does not exist", async () => {
    limits = { ...acceptLimits, requestBurst: 2, requestsPerSecond: 0.001 };
    await restart();
    expect((await post("envelope/", event("x"), { query: "" })).status).toBe(401);
    expect((await post("envelope/", event("x"), { query: "" })).status).toBe(401);
    expect((await post("envelope/", event("x"), { query: "" })).status).toBe(429);
    expect((await post("envelope/", event("x"), { project: 77, query: "" })).status).toBe(401);
  });
});

describe("a sender", () => {
  it("is recognised by any of the forms in which clients send their key", async () => {
    const key = projects.all[0]?.publicKey ?? "";
    const ways: { headers?: Record<string, string>; query?: string }[] = [
      { headers: { "x-sentry-auth": `Sentry sentry_version=7, sentry_key=${key}, sentry_client=x/1` } },
      { headers: { authorization: `Sentry sentry_key=${key}` } },
      { headers: { authorization: `Basic ${btoa(`${key}:`)}` } },
      { query: `?sentry_version=7&sentry_key=${key}` },
      { headers: { "x-sentry-auth": `sentry sentry_key=${key}` }, query: `?sentry_key=${key}` },
    ];
    for (const way of ways) {
      const { status } = await post("envelope/", event("x"), { query: way.query ?? "", headers: way.headers ?? {} });
      expect({ way, status }).toEqual({ way, status: 200 });
    }
  });

  it("is recognised by the DSN in the envelope, which is all that a tunnel forwards", async () => {
    const withDsn = (key: string): string =>
      `{"dsn":"http://${key}@host/1"}\n{"type":"session"}\n{"sid":"a","started":1}\n`;
    expect((await post("envelope/", withDsn(projects.all[0]?.publicKey ?? ""), { query: "" })).status).toBe(200);
    expect((await post("envelope/", withDsn("ffffffffffffffffffffffffffffffff"), { query: "" })).status).toBe(403);
  });

  it("is refused without a key, with a wrong one, with another project's, and with two", async () => {
    const other = (await projects.add("other")).publicKey;
    const own = projects.all[0]?.publicKey ?? "";
    const status = async (query: string, headers = {}): Promise<number> =>
      (await post("envelope/", event("x"), { query, headers })).status;
    expect(await status("")).toBe(401);
    expect(await status("?sentry_key=00000000000000000000000000000000")).toBe(403);
    expect(await status(`?sentry_key=${other}`)).toBe(403);
    expect(await status(`?sentry_key=${own}`, { "x-sentry-auth": `Sentry sentry_key=${other}` })).toBe(400);
    expect(kept()).toEqual([]);
  });
});

describe("a dsn in the envelope that contradicts the request", () => {
  const item = '{"type":"event"}\n{"message":"x"}\n';
  const withDsn = (dsn: string): readonly string[] => [
    `{"event_id":"${eventId}","dsn":"${dsn}"}\n${item}`,
    // Two items, which is not the usual form.
    `{"dsn":"${dsn}"}\n${item}{"type":"session"}\n{"sid":"a","started":1}\n`,
  ];

  it("is refused with the project it names, not stored, and counted", async () => {
    const own = projects.all[0]?.publicKey ?? "";
    const other = (await projects.add("other")).publicKey;
    for (const [dsn, why] of [
      [`http://${other}@host/2`, "The dsn in the envelope names project 2, the request project 1."],
      [`http://${own}@host/7`, "The dsn in the envelope names project 7, the request project 1."],
      [`http://${other}@host/1`, "The dsn in the envelope has another key than the request."],
      [`http://${"f".repeat(32)}@host/1`, "The dsn in the envelope has another key than the request."],
    ] as const)
      for (const envelope of withDsn(dsn)) {
        const { status, body, headers } = await post("envelope/", envelope);
        expect({ dsn, status, body }).toEqual({ dsn, status: 400, body: { detail: why, causes: [] } });
        expect(headers.get("x-sentry-error")).toBe(why);
      }
    expect(parts.counters.answers.get("contradictory")).toBe(8);
    expect(kept()).toEqual([]);
  });

  it("is accepted if project and key agree, under any host name", async () => {
    const own = projects.all[0]?.publicKey ?? "";
    for (const dsn of [`https://${own.toUpperCase()}@elsewhere.test:8443/behind/a/proxy/1`, "no dsn"])
      for (const envelope of withDsn(dsn)) expect((await post("envelope/", envelope)).status).toBe(200);
  });

  it("is refused if only the envelope has a key", async () => {
    const own = projects.all[0]?.publicKey ?? "";
    expect(await post("envelope/", withDsn(`http://${own}@host/2`)[0] ?? "", { query: "" })).toMatchObject({
      status: 400,
    });
  });
});

describe("the reason for a refusal", () => {
  it.each([
    ["no JSON in its first line", "hello\n", 400, "The first line of an envelope must be a JSON object."],
    ["nothing at all", "", 400, "The first line of an envelope must be a JSON object."],
    ["an item without a type", "{}\n{}\n{}\n", 400, "The header of item 1 must be a JSON object with a type"],
    ["a length beyond its end", '{}\n{"type":"event","length":50}\n{}\n', 400, "goes beyond the end"],
    ["a length of 2^53", '{}\n{"type":"event","length":9007199254740992}\n{}\n', 400, "The header of item 1"],
    ["a length below 0", '{}\n{"type":"event","length":-1}\n{}\n', 400, "The header of item 1"],
    ["a length that ends too early", '{}\n{"type":"event","length":1}\n{}\n', 400, "longer than the length"],
    ["501 items", `{}\n${'{"type":"session"}\n{}\n'.repeat(501)}`, 413, "An envelope may have 500 items."],
    ["an endless header", `{"x":"${"y".repeat(10_000)}"}\n`, 413, "A header line is longer than 8192 bytes."],
    ["depth", `{}\n{"type":"event"}\n${"[".repeat(100_000)}\n`, 400, "nested more than 64 levels"],
  ])("names %s", async (_name, text, status, detail) => {
    const answer = await post("envelope/", text);
    expect(answer).toMatchObject({ status, body: { detail: expect.stringContaining(detail), causes: [] } });
    expect(kept()).toEqual([]);
  });

  it("names an item that is too deep, keeps the others, and returns no id of a dropped event", async () => {
    const deep = `{"event_id":"${eventId}"}\n{"type":"event"}\n${"[".repeat(20_000)}\n`;
    const answer = await post("envelope/", `${deep}{"type":"session"}\n{"sid":"a","started":1}\n`);
    expect(answer).toMatchObject({ status: 200, body: {} });
    expect(answer.body).not.toHaveProperty("id");
    expect(kept()).toEqual([{ project: 1, types: ["session"] }]);
    expect(parts.counters.takeReports()).toMatchObject([
      { discarded: [{ reason: "unreadable", category: "error", quantity: 1 }] },
    ]);
  });

  it("is absent for an event with too many keys: it is trimmed when it is filed", async () => {
    const keys = Array.from({ length: 90_000 }, (_, n) => `"t${n}":1`);
    const large = `{"event_id":"${eventId}"}\n{"type":"event"}\n{"extra":{${keys}}}\n`;
    expect(await post("envelope/", large)).toMatchObject({ status: 200, body: { id: eventId } });
    expect((await post("store/", `{"extra":{${keys}}}`)).status).toBe(200);
  });

  it("names an event that is too large, unless something else was kept", async () => {
    const large = event("x".repeat(1_100_000));
    expect(await post("envelope/", large)).toMatchObject({
      status: 413,
      body: { detail: "The item of type event is larger than it may be." },
    });
    const mixed = await post("envelope/", `${large}{"type":"session"}\n{"sid":"a","started":1}\n`);
    expect(mixed).toMatchObject({ status: 200, body: {} });
    expect(mixed.body).not.toHaveProperty("id");
    expect(kept()).toEqual([{ project: 1, types: ["session"] }]);
  });

  it("names a declared length of 300 MiB, before the body is sent", async () => {
    const head = `POST /api/1/envelope/${ownKey()} HTTP/1.1\r\nHost: x\r\n`;
    expect(await sendRaw(`${head}Content-Length: 314572800\r\n\r\n{}\n`)).toContain("HTTP/1.1 413");
  });

  it("a client that sends nothing after a refusal is disconnected", async () => {
    limits = { ...acceptLimits, discardIdleMs: 20 };
    await restart();
    const head = `POST /api/1/envelope/${ownKey()} HTTP/1.1\r\nHost: x\r\n`;
    expect(await sendUntilClosed(`${head}Content-Length: 314572800\r\n\r\n`)).toContain("HTTP/1.1 413");
    expect(await sendUntilClosed(`${head}Content-Encoding: snappy\r\nContent-Length: 9\r\n\r\n{}\n`)).toContain(
      "HTTP/1.1 415",
    );
  });

  it("a client that sends forever after a refusal, byte by byte, is disconnected", async () => {
    limits = { ...acceptLimits, discardMs: 200 };
    await restart();
    const head = `POST /api/1/envelope/${ownKey()} HTTP/1.1\r\nHost: x\r\nContent-Length: 314572800\r\n\r\n`;
    expect(await sendUntilClosed(head, 10)).toContain("HTTP/1.1 413");
  });

  it("the connection stays usable when the rest of a refused body arrives", async () => {
    const rest = "x".repeat(10_000);
    const refused = `POST /api/1/envelope/${ownKey()} HTTP/1.1\r\nHost: x\r\nContent-Encoding: snappy\r\nContent-Length: 10000\r\n\r\n`;
    const good = `POST /api/1/envelope/${ownKey()} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${event("x").length}\r\n\r\n${event("x")}`;
    const answers = await sendUntilClosed(`${refused}${rest}${good}`);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 415", "HTTP/1.1 200"]);
  });

  it("names an encoding that is unknown, or a chain of encodings", async () => {
    const twice = gzipSync(gzipSync(Buffer.from(event("x"))));
    expect((await post("envelope/", twice, { headers: { "content-encoding": "gzip, gzip" } })).status).toBe(415);
    expect((await post("envelope/", event("x"), { headers: { "content-encoding": "snappy" } })).status).toBe(415);
    expect((await post("envelope/", event("x"), { headers: { "content-encoding": "gzip" } })).status).toBe(400);
    expect((await post("envelope/", twice, { headers: { "content-encoding": "gzip" } })).status).toBe(400);
  });
});

describe("a client that disconnects in the middle", () => {
  it.each(["", "Content-Encoding: gzip\r\n"])("gets no response, and nothing of it is stored (%j)", async (header) => {
    const port = (server.address() as AddressInfo).port;
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(
        `POST /api/1/envelope/${ownKey()} HTTP/1.1\r\nHost: x\r\n${header}Content-Length: 1000\r\n\r\n{}\n`,
        () => socket.destroy(),
      );
    });
    await expect.poll(() => parts.counters.answers.size).toBeGreaterThan(0);
    // A compressed body may be found malformed before it is found to be cut off.
    const [[outcome] = []] = parts.counters.answers;
    expect(header === "" ? ["abandoned"] : ["abandoned", "malformed"]).toContain(outcome);
    expect(kept()).toEqual([]);
  });
});

describe("limits", () => {
  it("limits are sent by category, and only the excess is dropped", async () => {
    limits = { ...acceptLimits, itemsPerSecond: 1, itemBurst: 2 };
    await restart();
    const both = `{"event_id":"${eventId}"}\n{"type":"event"}\n{"message":"x"}\n{"type":"session"}\n{"sid":"a","started":1}\n`;
    await post("envelope/", event("1"));
    await post("envelope/", event("2"));
    const third = await post("envelope/", both);
    expect(third.status).toBe(200);
    expect(third.headers.get("x-sentry-rate-limits")).toBe("1:error:project:quota");
    expect(kept().at(-1)).toEqual({ project: 1, types: ["session"] });
    const fourth = await post("envelope/", event("4"));
    expect(fourth.status).toBe(429);
    expect(fourth.headers.get("retry-after")).toBe("1");
  });

  it("limits of a key and of a project leave other keys alone, and say what they count for", async () => {
    const keyed = await keyWith({ name: "shop", perMinute: 2 });
    const shop = { query: `?sentry_key=${keyed}` };
    expect((await post("envelope/", event("1"), shop)).status).toBe(200);
    expect((await post("envelope/", event("2"), shop)).status).toBe(200);
    const third = await post("envelope/", event("3"), shop);
    expect(third.status).toBe(429);
    expect(third.headers.get("x-sentry-rate-limits")).toBe("30:error:key:key_quota");
    expect(third.headers.get("retry-after")).toBe("30");
    expect(third.body).toMatchObject({ detail: "This key sends more than it may." });
    expect((await post("envelope/", event("4"))).status).toBe(200);
    await projects.setPerMinute(1, 1);
    expect((await post("envelope/", event("5"))).status).toBe(200);
    expect((await post("envelope/", event("6"))).headers.get("x-sentry-rate-limits")).toBe(
      "60:error:project:project_quota",
    );
    // Losses are always told, and a check-in that is lost would be a false alarm.
    const checkIn = '{}\n{"type":"check_in"}\n{"monitor_slug":"nightly","status":"ok"}\n';
    for (let index = 0; index < 3; index += 1) expect((await post("envelope/", checkIn, shop)).status).toBe(200);
    expect(parts.counters.takeReports()).toEqual([
      {
        project: 1,
        discarded: [
          { reason: "key-quota", category: "error", quantity: 1 },
          { reason: "project-quota", category: "error", quantity: 1 },
        ],
      },
    ]);
    expect(parts.intake.take().keys.get(keyed)).toEqual({ usedAt: expect.any(Number), refused: 1 });
  });

  it("stop a flood before its bodies are read, and other projects continue", async () => {
    limits = { ...acceptLimits, requestsPerSecond: 1, requestBurst: 3 };
    await restart();
    const other = await projects.add("other");
    const statuses: number[] = [];
    for (let index = 0; index < 5; index += 1) statuses.push((await post("envelope/", event("x"))).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    const fromOther = await post("envelope/", event("x"), {
      project: other.id,
      query: `?sentry_key=${other.publicKey}`,
    });
    expect(fromOther.status).toBe(200);
  });

  it("hold for all current bodies together, which are released with each response", async () => {
    limits = { ...acceptLimits, underWayBytes: 10_000 };
    await restart();
    const statuses = async (size: number): Promise<number> => (await post("envelope/", event("x".repeat(size)))).status;
    expect(await statuses(9_000)).toBe(200);
    expect(await statuses(11_000)).toBe(503);
    expect(await statuses(9_000)).toBe(200);
    expect(parts.budget.heldBytes).toBe(0);
  });

  it("tighten as the journal fills: first samples of bulk, then errors alone, then nothing", async () => {
    limits = { ...acceptLimits, shareUnderPressure: 0 };
    journalBytes = 10_000;
    await restart();
    const span = '{}\n{"type":"span"}\n{"version":2,"items":[]}\n';
    const session = '{}\n{"type":"session"}\n{"sid":"a","started":1}\n';
    const statuses = async (): Promise<number[]> => [
      (await post("envelope/", span)).status,
      (await post("envelope/", session)).status,
      (await post("envelope/", event("x"))).status,
    ];
    expect(await statuses()).toEqual([200, 200, 200]);
    await post("envelope/", event("x".repeat(5_000)));
    expect(await statuses()).toEqual([429, 200, 200]);
    await post("envelope/", event("x".repeat(2_500)));
    expect(await statuses()).toEqual([429, 429, 200]);
    await post("envelope/", event("x".repeat(2_500)));
    const full = await post("envelope/", event("x"));
    expect(full).toMatchObject({ status: 503, body: { detail: "Too much is waiting to be filed." } });
    expect(full.headers.get("retry-after")).toBe("30");
  });
});

describe("other addresses", () => {
  it("accept the old store form, plain and compressed as raven does", async () => {
    const json = Buffer.from('{"message":"old","type":"error"}');
    expect((await post("store/", json)).body).toEqual({ id: expect.any(String) });
    const packed = Buffer.from(deflateSync(json).toString("base64"));
    expect((await post("store/", packed, { headers: { "content-type": "application/octet-stream" } })).status).toBe(
      200,
    );
    expect((await post("store/", gzipSync(json), { headers: { "content-encoding": "gzip" } })).status).toBe(200);
    const withoutProject = await fetch(`${origin()}/api/store/?sentry_key=${projects.all[0]?.publicKey}`, {
      method: "POST",
      body: json,
    });
    expect(withoutProject.status).toBe(200);
    expect(keptPayloads()).toEqual(Array.from({ length: 4 }, () => ({ message: "old", type: "error" })));
    expect((await post("store/", "not json at all")).status).toBe(400);
  });

  it("accept a malformed event at the old address like an envelope, under its own id", async () => {
    const answer = await post("store/", `{"event_id":"${eventId}","message":"cut o`);
    expect(answer).toMatchObject({ status: 200, body: { id: eventId } });
    expect((await post("envelope/", `{}\n{"type":"event"}\n{"event_id":"${eventId}","mess`)).body).toEqual({
      id: eventId,
    });
    expect((await post("store/", '{"type":"transaction","spans":[')).status).toBe(400);
  });

  it("convert content-security reports of both forms to events", async () => {
    const old = {
      "csp-report": {
        "document-uri": "https://a.test/x",
        "effective-directive": "img-src",
        "blocked-uri": "https://evil.test/p.png?1",
      },
    };
    const listed = [
      {
        type: "csp-violation",
        body: { documentURL: "https://a.test/x", effectiveDirective: "img-src", blockedURL: "https://evil.test/q" },
      },
      { type: "deprecation", body: {} },
    ];
    expect((await post("security/", JSON.stringify(old), { query: `${ownKey()}&sentry_release=r1` })).status).toBe(200);
    expect((await post("security/", JSON.stringify(listed))).status).toBe(200);
    // Browsers send all reports they have, and would repeat refused ones.
    expect((await post("security/", JSON.stringify(listed.slice(1)))).status).toBe(200);
    expect((await post("security/", JSON.stringify(listed[0]))).status).toBe(200);
    expect((await post("security/", "{}")).status).toBe(400);
    const events = keptPayloads().map((payload) => readEvent(payload));
    expect(events.map((reading) => reading.kind === "read" && reading.value.message?.text)).toEqual(
      Array.from({ length: 3 }, () => "Blocked img-src from https://evil.test"),
    );
    expect(events[0]).toMatchObject({
      value: { release: "r1", fingerprint: ["csp", "img-src", "https://evil.test"], transaction: "/x" },
    });
  });

  it("accept check-ins by a GET request", async () => {
    const key = projects.all[0]?.publicKey;
    const answer = await fetch(`${origin()}/api/1/cron/nightly-job/${key}/?status=ok&duration=1.5`);
    expect(answer.status).toBe(200);
    expect(readCheckIn(keptPayloads()[0])).toMatchObject({
      value: { monitor: "nightly-job", status: "ok", durationSeconds: 1.5 },
    });
    expect((await fetch(`${origin()}/api/1/cron/nightly-job/${key}/?status=perhaps`)).status).toBe(400);
  });

  it("accept OpenTelemetry spans with their exceptions, and logs", async () => {
    const span = {
      traceId: "6729a172567d8fb0f8f9b793e2bb2098",
      spanId: "372708c0e96286ea",
      name: "GET /x",
      kind: 2,
      startTimeUnixNano: "1794702437443000000",
      endTimeUnixNano: "1794702437543000000",
      attributes: [{ key: "a", value: { intValue: "1" } }],
      events: [
        {
          name: "exception",
          timeUnixNano: "1794702437443584497",
          attributes: [{ key: "exception.message", value: { stringValue: "otel boom" } }],
        },
      ],
      status: { code: 2 },
    };
    const traces = { resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ spans: [span] }] }] };
    const logs = {
      resourceLogs: [
        {
          scopeLogs: [
            {
              logRecords: [{ timeUnixNano: "1794702437443000000", severityNumber: 17, body: { stringValue: "hello" } }],
            },
          ],
        },
      ],
    };
    const headers = { "content-type": "application/json" };
    expect((await post("integration/otlp/v1/traces", JSON.stringify(traces), { headers })).status).toBe(200);
    // Exporters are usually configured with the key in a header.
    const key = ownKey().replace("?sentry_key=", "");
    const withKey = { ...headers, "x-sentry-auth": `sentry sentry_key=${key}` };
    expect((await post("integration/otlp/v1/logs", JSON.stringify(logs), { query: "", headers: withKey })).status).toBe(
      200,
    );
    const [spans, exception, log] = keptPayloads();
    expect(readSpans(spans)).toMatchObject({
      value: [{ name: "GET /x", op: "http.server", status: "error", isSegment: true, attributes: { a: 1 } }],
    });
    expect(readEvent(exception)).toMatchObject({
      value: { exceptions: [{ value: "otel boom" }], trace: { spanId: span.spanId } },
    });
    expect(readLogs(log)).toMatchObject({ value: [{ level: "error", body: "hello" }] });
  });

  it("respond to a CORS preflight, and expose the limits", async () => {
    const preflight = await fetch(`${origin()}/api/1/envelope/`, { method: "OPTIONS" });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-headers")).toContain("x-sentry-auth");
    const { headers } = await post("envelope/", event("x"));
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-expose-headers")).toContain("x-sentry-rate-limits");
  });

  it("a disabled key is refused with a time to wait, in the address and in the envelope", async () => {
    const keyed = await keyWith({ name: "old", isDisabled: true });
    const inAddress = await post("envelope/", event("x"), { query: `?sentry_key=${keyed}` });
    expect(inAddress.status).toBe(403);
    expect(inAddress.headers.get("x-sentry-rate-limits")).toBe("60::key:disabled_key");
    expect(inAddress.headers.get("access-control-allow-origin")).toBe("*");
    const dsn = `{"dsn":"http://${keyed}@host.example/1","event_id":"${eventId}"}\n{"type":"event"}\n{}\n`;
    expect((await post("envelope/", dsn, { query: "" })).status).toBe(403);
    expect(kept()).toEqual([]);
    expect(parts.intake.take().keys.get(keyed)).toEqual({ usedAt: undefined, refused: 2 });
  });

  it("CORS follows the allowed origins of the key", async () => {
    const keyed = await keyWith({ name: "web", origins: ["https://shop.example"] });
    const query = `?sentry_key=${keyed}`;
    const from = (page: string) => post("envelope/", event("x"), { query, headers: { origin: page } });
    const own = await from("https://shop.example");
    expect(own.status).toBe(200);
    expect(own.headers.get("access-control-allow-origin")).toBe("https://shop.example");
    expect(own.headers.get("vary")).toBe("Origin");
    const foreign = await from("https://evil.example");
    expect(foreign.status).toBe(403);
    expect(foreign.headers.get("access-control-allow-origin")).toBeNull();
    expect(foreign.headers.get("x-sentry-rate-limits")).toBe("60::key:foreign_origin");
    const preflight = async (page: string) =>
      (await fetch(`${origin()}/api/1/envelope/${query}`, { method: "OPTIONS", headers: { origin: page } })).headers;
    expect((await preflight("https://shop.example")).get("access-control-allow-origin")).toBe("https://shop.example");
    expect((await preflight("https://evil.example")).get("access-control-allow-origin")).toBeNull();
    // A server names no origin.
    expect((await post("envelope/", event("x"), { query })).status).toBe(200);
  });

  it("filters drop what they match, its files too, and an address everything but losses and feedback", async () => {
    const filter = { id: "f", kind: "environment", pattern: "staging", createdAt: 1 } as const;
    await projects.change(1, { filters: [filter] });
    const of = (environment: string): string =>
      `{"event_id":"${eventId}"}\n{"type":"event"}\n{"environment":"${environment}"}\n` +
      `{"type":"attachment","length":2}\nhi\n{"type":"session"}\n{"sid":"a","started":1}\n`;
    expect(await post("envelope/", of("staging"))).toMatchObject({ status: 200, body: {} });
    expect(await post("envelope/", of("production"))).toMatchObject({ status: 200, body: { id: eventId } });
    expect(kept().map(({ types }) => types)).toEqual([["session"], ["event", "attachment", "session"]]);
    await projects.change(1, { filters: [{ ...filter, kind: "address", pattern: "127.0.0.0/8" }] });
    const feedback = '{"type":"feedback"}\n{"contexts":{"feedback":{"message":"hello"}}}\n';
    expect((await post("envelope/", `${of("production")}${feedback}`)).status).toBe(200);
    expect(kept().at(-1)?.types).toEqual(["feedback"]);
    expect(parts.intake.take().filters.get("f")).toMatchObject({ dropped: 3, example: { text: "session" } });
  });

  it("respond with JSON for an unknown address, and ignore foreign ones", async () => {
    expect(await post("minidump/", "x")).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining("There is nothing at this address.") },
    });
    expect((await fetch(`${origin()}/api/1/envelope/`)).status).toBe(405);
    expect((await fetch(`${origin()}/elsewhere`)).status).toBe(418);
  });
});

const eventId = "0123456789abcdef0123456789abcdef";
let folder: string;
let server: Server;
let parts: IngestDeps;
let journal: Journal;
let projects: Projects;
let limits: AcceptLimits;
let files: AttachmentLimits;
let journalBytes: number;

beforeEach(async () => {
  limits = acceptLimits;
  files = attachmentLimits;
  journalBytes = journalLimits.backlogBytes;
  await start();
});

afterEach(stop);

async function start(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), "holdfast-accept-"));
  journal = await Journal.open({
    disk: folderDisk(join(folder, "journal")),
    limits: { ...journalLimits, backlogBytes: journalBytes },
  });
  projects = await Projects.open(folder);
  parts = {
    journal,
    projects,
    limits,
    attachments: () => attachmentRules(files, limits.protocol),
    clock: systemClock,
    counters: new AcceptCounters(),
    intake: new IntakeCounts(systemClock),
    spikes: new Spikes(systemClock, { began: () => undefined, continued: () => undefined, ended: () => undefined }),
    addressOf: createAddressOf([]),
    quota: new Quota(limits, systemClock),
    budget: new ByteBudget(limits.underWayBytes, limits.projectBytes),
    decoders: {
      turns: new Turns({ atOnce: limits.decoders, waiting: limits.decodersWaiting }),
      refusals: new Refusals(),
    },
  };
  server = createServer((request, response) => {
    if (!handleIngestRequest(parts, { incoming: request, response }, request.url ?? "")) response.writeHead(418).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
}

async function stop(): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await journal.close();
  rmSync(folder, { recursive: true });
}

async function restart(): Promise<void> {
  await stop();
  await start();
}

function origin(): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function ownKey(): string {
  return `?sentry_key=${projects.all[0]?.publicKey}`;
}

async function keyWith(rules: Partial<ProjectKey>): Promise<string> {
  const publicKey = randomBytes(16).toString("hex");
  await projects.change(1, { keys: [{ publicKey, name: "a key", createdAt: 1, ...rules }] });
  return publicKey;
}

function event(message: string): string {
  return `{"event_id":"${eventId}"}\n{"type":"event"}\n{"message":"${message}"}\n`;
}

interface Sending {
  project?: number;
  query?: string;
  headers?: Record<string, string>;
}

async function post(
  address: string,
  body: string | Buffer,
  { project = 1, query = ownKey(), headers = {} }: Sending = {},
) {
  const answer = await fetch(`${origin()}/api/${project}/${address}${query}`, {
    method: "POST",
    body: new Uint8Array(Buffer.from(body)),
    headers,
  });
  const json: unknown = await answer.json();
  return { status: answer.status, headers: answer.headers, body: json };
}

function sendRaw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1", () => socket.write(text));
    socket.once("data", (data) => {
      resolve(data.toString());
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

/** Reads until the service closes the connection. With `everyMs`, keeps sending a byte meanwhile. */
function sendUntilClosed(text: string, everyMs?: number): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1", () => socket.write(text));
    const more = everyMs === undefined ? undefined : setInterval(() => socket.write("x"), everyMs);
    socket
      .on("error", () => undefined)
      .on("data", (data) => {
        answer += data;
      })
      .on("close", () => {
        clearInterval(more);
        resolve(answer);
      });
  });
}

/** Sends the beginning of a body. The rest is written later. */
function openBody(beginning: Buffer, encoding: string): { socket: Socket; answer: () => string } {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  let answer = "";
  socket
    .on("error", () => undefined)
    .on("data", (data) => {
      answer += data;
    });
  const head = `POST /api/1/envelope/${ownKey()} HTTP/1.1\r\nHost: x\r\nContent-Encoding: ${encoding}\r\n`;
  socket.write(`${head}Content-Length: ${beginning.length + 1}\r\n\r\n`);
  socket.write(beginning);
  return { socket, answer: () => answer };
}

function sendInPieces(text: string, size: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.setNoDelay(true);
    socket.write(`POST /api/1/envelope/${ownKey()} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
    for (let at = 0; at < text.length; at += size) {
      const piece = text.slice(at, at + size);
      socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
    }
    socket.write("0\r\n\r\n");
    socket.once("data", (data) => {
      resolve(data.toString());
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

function records() {
  return new JournalReader(folderDisk(join(folder, "journal"))).read(0, journal.readableEnd, 100_000_000).records;
}

function kept(): { project: number; types: string[] }[] {
  return records().map((record) => ({
    project: record.project,
    types: envelopeOf(record).items.map((item) => item.header.type),
  }));
}

function keptPayloads(): unknown[] {
  return records().flatMap((record) =>
    envelopeOf(record).items.map((item) => JSON.parse(Buffer.from(item.payload).toString())),
  );
}
