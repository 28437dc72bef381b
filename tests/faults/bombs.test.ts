import { brotliCompressSync, constants, createGzip, gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { HeldPost } from "./held-post.ts";
import { dataFolder, figureOf, RunningService } from "./running-service.ts";

const mebibyte = 1_048_576;
const manyBytes = 200 * mebibyte;

describe("a bomb", () => {
  const folder = dataFolder();
  let service: RunningService;

  beforeAll(async () => {
    service = await RunningService.start(folder.path);
    // Memory of the first requests must not count for the bomb.
    for (let count = 0; count < 200; count += 1) await service.post("envelope/", aGoodEnvelope());
  });

  afterAll(async () => {
    await service.stop();
    folder[Symbol.dispose]();
  });

  const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
  it.each<[string, number, Record<string, string>, () => Buffer | Promise<Buffer>]>([
    [
      "brotli that unpacks to 200 MiB of one line",
      413,
      { "content-encoding": "br" },
      () => brotliCompressSync(Buffer.alloc(manyBytes, "{"), quick),
    ],
    [
      "brotli that unpacks to an event of 200 MiB",
      413,
      { "content-encoding": "br" },
      () => brotliCompressSync(anEnvelopeOf("event"), quick),
    ],
    ["gzip that unpacks to an event of 200 MiB", 413, { "content-encoding": "gzip" }, () => packedInPieces("event")],
    [
      "gzip that unpacks to an unknown item of 200 MiB",
      413,
      { "content-encoding": "gzip" },
      () => packedInPieces("telepathy"),
    ],
    [
      "zstd that unpacks to an event of 200 MiB",
      413,
      { "content-encoding": "zstd" },
      () => zstdCompressSync(anEnvelopeOf("event")),
    ],
    ["gzip inside gzip", 413, { "content-encoding": "gzip" }, async () => gzipSync(await packedInPieces("event"))],
    [
      "gzip inside gzip, declared",
      415,
      { "content-encoding": "gzip, gzip" },
      async () => gzipSync(await packedInPieces("event")),
    ],
    ["21 MiB that are not packed", 413, {}, () => Buffer.alloc(21 * mebibyte, "x")],
    [
      "21 MiB of one attachment",
      413,
      {},
      () => Buffer.concat([Buffer.from('{}\n{"type":"attachment"}\n'), Buffer.alloc(21 * mebibyte, "x")]),
    ],
    [
      "an event as deep as it is long",
      400,
      {},
      () => Buffer.from(`{}\n{"type":"event"}\n${"[".repeat(500_000)}${"]".repeat(500_000)}`),
    ],
    ["501 items", 413, {}, () => Buffer.from(`{}\n${'{"type":"session"}\n{}\n'.repeat(501)}`)],
    ["a length beyond the end", 400, {}, () => Buffer.from('{}\n{"type":"span","length":12000000}\nabc')],
    ["a length of 2^53", 400, {}, () => Buffer.from('{}\n{"type":"event","length":9007199254740992}\nabc')],
  ])(
    "a bomb of %s is refused, and costs neither memory nor the next envelope",
    async (_name, status, headers, make) => {
      const bomb = await make();
      for (let count = 0; count < 2; count += 1) {
        const before = service.residentMiB();
        const answer = await service.post("envelope/", bomb, headers);
        expect(answer.status).toBe(status);
        expect(JSON.parse(answer.text)).toMatchObject({ detail: expect.any(String) });
        // Up to the limit of 20 MiB is unpacked, and is twice in memory until it is collected.
        expect(service.residentMiB() - before).toBeLessThan(48);
      }
      expect((await service.post("envelope/", aGoodEnvelope())).status).toBe(200);
    },
  );
});

describe("many bodies at once", () => {
  const folder = dataFolder();
  let service: RunningService;

  beforeAll(async () => {
    service = await RunningService.start(folder.path);
    for (let count = 0; count < 200; count += 1) await service.post("envelope/", aGoodEnvelope());
  });

  afterAll(async () => {
    await service.stop();
    folder[Symbol.dispose]();
  });

  it.each([
    ["16 MiB, which is refused", 24],
    ["4 MiB, as clients have it", 22],
  ])(
    "many bodies at once that unpack to 200 MiB with a window of %s hold little memory, and others are answered",
    async (_name, bits) => {
      const window = { params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: bits } };
      const bomb = brotliCompressSync(anEnvelopeOf("attachment"), window);
      expect(bomb.length).toBeLessThan(500);
      const before = service.residentMiB();
      const senders = Array.from({ length: 100 }, () => new HeldPost(service.dsn, bomb, { "Content-Encoding": "br" }));
      expect((await service.post("envelope/", aGoodEnvelope())).status).toBe(200);
      for (const sender of senders) sender.finish();
      const statuses = await Promise.all(senders.map((sender) => sender.status()));
      expect(new Set(statuses)).toEqual(new Set([413]));
      expect(service.peakMiB() - before).toBeLessThan(128);
      expect(figureOf((await service.get("/metrics")).text, "holdfast_bodies_held_bytes")).toBe(0);
    },
  );

  it("many bodies at once in pieces of one byte hold no more than their bytes", async () => {
    const before = service.residentMiB();
    const sender = new HeldPost(service.dsn, Buffer.alloc(0), { "Transfer-Encoding": "chunked" });
    const head = '{}\n{"type":"event"}\n';
    sender.write(`${head.length.toString(16)}\r\n${head}\r\n`);
    for (let count = 0; count < 100; count += 1) await sender.write("1\r\nx\r\n".repeat(10_000));
    expect((await service.post("envelope/", aGoodEnvelope())).status).toBe(200);
    expect(service.residentMiB() - before).toBeLessThan(64);
    sender.write("0\r\n\r\n");
    expect(await sender.status()).toBe(200);
  });
});

function aGoodEnvelope(): Uint8Array {
  const eventId = newEventId();
  return writeEnvelope({ eventId }, [jsonItem("event", { event_id: eventId, message: "still there" })]);
}

function anEnvelopeOf(type: string): Buffer {
  return Buffer.concat([Buffer.from(`{}\n{"type":"${type}"}\n`), Buffer.alloc(manyBytes, " ")]);
}

function packedInPieces(type: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const packer = createGzip({ level: 1 });
    const chunks: Buffer[] = [];
    packer.on("data", (chunk: Buffer) => chunks.push(chunk));
    packer.on("error", reject);
    packer.on("end", () => resolve(Buffer.concat(chunks)));
    packer.end(anEnvelopeOf(type));
  });
}
