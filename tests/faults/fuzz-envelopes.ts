import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";

/** A request between a real client's and nonsense. */
export interface FuzzedRequest {
  readonly address: string;
  readonly body: Buffer;
  readonly headers: Record<string, string>;
  /** Applied changes, printed with a failure. */
  readonly story: readonly string[];
}

/**
 * Changes real envelopes at sensitive places: wrong lengths, wrong types, values of another kind deep inside, bytes and
 * compression. Random bytes alone would be refused at the first line.
 */
export function fuzz(samples: readonly Buffer[], random: () => number): FuzzedRequest {
  const story: string[] = [];
  let body = pick(samples, random);
  for (let changes = 1 + Math.floor(random() * 3); changes > 0; changes -= 1) {
    const change = pick(bodyChanges, random);
    story.push(change.name);
    body = change(body, random);
  }
  const address = random() < 0.85 ? "envelope/" : pick(otherAddresses, random);
  const packing = random() < 0.3 ? pick(packings, random) : undefined;
  if (packing === undefined) return { address, body, headers: headersFor(address, random), story };
  story.push(packing.encoding);
  const packed = packing.pack(body);
  const damaged = random() < 0.3 ? flipBytes(packed, random) : packed;
  return {
    address,
    body: damaged,
    headers: { ...headersFor(address, random), "content-encoding": packing.encoding },
    story,
  };
}

const otherAddresses = [
  "store/",
  "security/",
  "integration/otlp/v1/traces",
  "integration/otlp/v1/logs",
  "cron/job/",
  "minidump/",
];

const packings: readonly { encoding: string; pack: (body: Buffer) => Buffer }[] = [
  { encoding: "gzip", pack: (body) => gzipSync(body, { level: 1 }) },
  { encoding: "deflate", pack: (body) => deflateSync(body, { level: 1 }) },
  { encoding: "br", pack: (body) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }) },
  { encoding: "zstd", pack: (body) => zstdCompressSync(body) },
  { encoding: "gzip, gzip", pack: (body) => gzipSync(gzipSync(body)) },
];

function headersFor(address: string, random: () => number): Record<string, string> {
  if (!address.includes("otlp")) return {};
  return { "content-type": random() < 0.5 ? "application/json" : "application/x-protobuf" };
}

type BodyChange = (body: Buffer, random: () => number) => Buffer;

const bodyChanges: readonly BodyChange[] = [
  lieAboutLength,
  swapType,
  replaceValue,
  replaceValue,
  replaceValue,
  cut,
  repeatItem,
  flipBytes,
  dropLine,
];

const lies: readonly unknown[] = [0, 1, -1, 1.5, 7, 1_000_000, 2 ** 31, 2 ** 53, 2 ** 64, "12", null, true, [], {}];

function lieAboutLength(body: Buffer, random: () => number): Buffer {
  return changeLines(body, random, (line) => ({ ...line, length: pick(lies, random) }));
}

const types = [
  "event",
  "transaction",
  "span",
  "log",
  "trace_metric",
  "session",
  "sessions",
  "feedback",
  "user_report",
  "check_in",
  "client_report",
  "attachment",
  "replay_event",
  "replay_recording",
  "profile",
  "",
  "__proto__",
  "constructor",
];

function swapType(body: Buffer, random: () => number): Buffer {
  return changeLines(body, random, (line) => ("type" in line ? { ...line, type: pick(types, random) } : line));
}

/** Values that have broken parsers, stores and screens elsewhere. */
const hostile: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  -1e308,
  1e-320,
  2 ** 53,
  "",
  " ",
  "\0",
  "\ud800",
  "\u202e",
  "a".repeat(20_000),
  "9999-12-31T23:59:59Z",
  "-0001-01-01",
  [],
  {},
  [[[[[[[[[[]]]]]]]]]],
  { __proto__: null, constructor: 1 },
  JSON.parse('{"__proto__":{"x":1}}'),
  { values: {} },
  { values: [null, 1, "x"] },
  [null],
  "00000000000000000000000000000000",
  "0".repeat(31),
];

/** Replaces one value inside one JSON line by one of another kind. */
function replaceValue(body: Buffer, random: () => number): Buffer {
  return changeLines(body, random, (line) => {
    let place: unknown = line;
    for (;;) {
      if (typeof place !== "object" || place === null) return line;
      const keys = Object.keys(place);
      const key = keys[Math.floor(random() * keys.length)];
      if (key === undefined) return line;
      const inner: unknown = Reflect.get(place, key);
      if (typeof inner !== "object" || inner === null || random() < 0.3) {
        Reflect.set(place, key, pick(hostile, random));
        return line;
      }
      place = inner;
    }
  });
}

function cut(body: Buffer, random: () => number): Buffer {
  return body.subarray(0, Math.floor(random() * body.length));
}

function repeatItem(body: Buffer, random: () => number): Buffer {
  const lines = linesOf(body);
  const again = lines.slice(1, 3);
  const times = random() < 0.1 ? 600 : 3;
  return Buffer.from([...lines, ...Array.from({ length: times }, () => again).flat()].join("\n"));
}

function dropLine(body: Buffer, random: () => number): Buffer {
  const lines = linesOf(body);
  lines.splice(Math.floor(random() * lines.length), 1);
  return Buffer.from(lines.join("\n"));
}

function flipBytes(body: Buffer, random: () => number): Buffer {
  const flipped = Buffer.from(body);
  for (let count = 1 + Math.floor(random() * 4); count > 0 && flipped.length > 0; count -= 1) {
    const at = Math.floor(random() * flipped.length);
    flipped[at] = Math.floor(random() * 256);
  }
  return flipped;
}

function changeLines(body: Buffer, random: () => number, change: (line: object) => object): Buffer {
  const lines = linesOf(body);
  const at = Math.floor(random() * lines.length);
  const parsed = parsedLine(lines[at] ?? "");
  if (parsed !== undefined) lines[at] = JSON.stringify(change(parsed));
  return Buffer.from(lines.join("\n"));
}

function parsedLine(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    // A line of an attachment, or one that an earlier change has broken.
    return undefined;
  }
}

function linesOf(body: Buffer): string[] {
  return body.toString("utf8").split("\n");
}

function pick<T>(list: readonly T[], random: () => number): T {
  const chosen = list[Math.floor(random() * list.length)];
  if (chosen === undefined && list.length === 0) throw new Error("There is nothing to pick from.");
  return chosen as T;
}
