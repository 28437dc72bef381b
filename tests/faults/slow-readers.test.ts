import { connect, type Socket } from "node:net";
import { expect } from "vitest";
import { journey, keepProof, mebibytesOf } from "../kit/index.ts";

/** A small young generation, so that the measurement shows retained memory and little garbage. */
const test = journey({ app: "tests/fixtures/pages", env: { NODE_OPTIONS: "--max-semi-space-size=2" } });

/** 20 pages of 5 MiB are twice the allowed growth of the server. More would only fill the disk. */
const isLong = process.env.HOLDFAST_TEST_LONG !== undefined;
const readers = isLong ? 500 : 20;

interface SlowReader {
  socket: Socket;
  /** Empty until the response begins. */
  head: string;
}

/** Requests an uncompressed page, and then reads a byte each second. */
function openSlowReader(url: string, path: string): SlowReader {
  const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1" });
  const reader: SlowReader = { socket, head: "" };
  const reading = setInterval(() => {
    reader.head += socket.read(reader.head === "" ? 12 : 1)?.toString("latin1") ?? "";
  }, 1_000);
  socket.on("error", () => socket.destroy());
  socket.on("close", () => clearInterval(reading));
  // Without this listener, nothing would be read at all.
  socket.once("readable", () => {
    reader.head ||= socket.read(12)?.toString("latin1") ?? "";
  });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/html\r\nAccept-Encoding: identity\r\n\r\n`);
  return reader;
}

/** Resolves when all have a response. A reader that the busy server refuses retries, as a browser does. */
async function openSlowReaders(url: string, path: string): Promise<{ open: SlowReader[]; refused: number }> {
  const open = Array.from({ length: readers }, () => openSlowReader(url, path));
  let refused = 0;
  const withoutAnswer = (): number => {
    for (const [at, { socket, head }] of open.entries()) {
      if (!head.startsWith("HTTP/1.1 503")) continue;
      refused += 1;
      socket.destroy();
      open[at] = openSlowReader(url, path);
    }
    return open.filter(({ head }) => head === "").length;
  };
  await expect.poll(withoutAnswer, { timeout: 240_000, interval: 1_000 }).toBe(0);
  return { open, refused };
}

const pages = [
  { what: "a page of 5 MiB", path: "/big", growthMebibytes: 50 },
  // Its parts are rendered when their data is loaded, not in turns, which produces more garbage. Only many readers show
  // the limit.
  { what: "a page in parts, one of 5 MiB", path: "/big-in-parts", growthMebibytes: 250 },
];

test.for(isLong ? pages : pages.slice(0, 1))(
  `${readers} readers who take $what byte by byte leave the server its memory, and others their pages`,
  { timeout: 300_000 },
  async ({ what, path, growthMebibytes }, { app }) => {
    await renderManyAtOnce(app.url, path);
    const before = await settledMebibytes(app);
    const { open, refused } = await openSlowReaders(app.url, path);
    expect(new Set(open.map(({ head }) => head.slice(0, 12)))).toEqual(new Set(["HTTP/1.1 200"]));
    const grownBy = (await settledMebibytes(app)) - before;
    expect((await fetch(`${app.url}/`)).status).toBe(200);
    expect(open.filter(({ socket }) => socket.closed)).toEqual([]);
    for (const { socket } of open) socket.destroy();
    const facts = [
      `- Readers of ${what}, a byte each second: ${readers}; refused for the moment, and served when they came again: ${refused}`,
      `- The server's memory grew by ${grownBy} MiB; bound: ${growthMebibytes} MiB`,
    ];
    console.log(facts.join("\n"));
    keepProof(`slow-readers-of${path.replace("/", "-")}`, facts);
    expect(grownBy).toBeLessThan(growthMebibytes);
  },
);

/** Grows the heap to the size that as many quick readers need. What slow readers add to that is retained memory. */
async function renderManyAtOnce(url: string, path: string): Promise<void> {
  const request = async (): Promise<void> => {
    const response = await fetch(`${url}${path}`, { headers: { "accept-encoding": "identity" } });
    await response.arrayBuffer();
  };
  for (let round = 0; round < 2; round++) await Promise.all(Array.from({ length: readers }, request));
}

/**
 * Least memory in use while pages of the same size are rendered for quick readers, one after another: garbage is
 * collected, retained memory stays. After ten of them, a full collection had often not happened.
 */
async function settledMebibytes(app: { url: string; pid: number }): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < 40; count++) {
    const answer = await fetch(`${app.url}/big`, { headers: { "accept-encoding": "identity" } });
    expect(Number(answer.headers.get("content-length"))).toBeGreaterThan(5_000_000);
    expect((await answer.text()).endsWith("</html>")).toBe(true);
    least = Math.min(least, mebibytesOf(app.pid));
  }
  return Math.round(least);
}
