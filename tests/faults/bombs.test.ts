import { brotliCompressSync, constants, createGzip, gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { dataFolder, RunningService } from "./running-service.ts";

const mebibyte = 1_048_576;
const manyBytes = 200 * mebibyte;

describe("a bomb", () => {
  const folder = dataFolder();
  let service: RunningService;

  beforeAll(async () => {
    service = await RunningService.start(folder.path);
    // What the process takes for its first work is not the bomb's doing.
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
  ])("of %s is refused, and costs neither memory nor the next envelope", async (_name, status, headers, make) => {
    const bomb = await make();
    for (let count = 0; count < 2; count += 1) {
      const before = service.residentMiB();
      const answer = await service.post("envelope/", bomb, headers);
      expect(answer.status).toBe(status);
      expect(JSON.parse(answer.text)).toMatchObject({ detail: expect.any(String) });
      expect(service.residentMiB() - before).toBeLessThan(32);
    }
    expect((await service.post("envelope/", aGoodEnvelope())).status).toBe(200);
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
