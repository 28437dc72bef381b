import { connect, type Socket } from "node:net";
import { expect } from "vitest";
import { journey, keepProof, mebibytesOf } from "../kit/index.ts";

/** A small young generation: what is measured is what the server holds, not what nobody has swept up yet. */
const test = journey({ app: "tests/fixtures/pages", env: { NODE_OPTIONS: "--max-semi-space-size=2" } });

/** 40 pages of 5 MiB are four times what the server may grow by; more of them only fill the disk. */
const readers = process.env.HOLDFAST_TEST_LONG === undefined ? 40 : 500;
const growthMebibytes = 50;

interface SlowReader {
  socket: Socket;
  /** Empty until the answer has begun. */
  head: string;
}

/** Asks for a page as someone does who takes no compressed one, and then reads a byte each second. */
function openSlowReader(url: string, path: string): SlowReader {
  const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1" });
  const reader: SlowReader = { socket, head: "" };
  const reading = setInterval(() => {
    reader.head += socket.read(reader.head === "" ? 12 : 1)?.toString("latin1") ?? "";
  }, 1_000);
  socket.on("error", () => socket.destroy());
  socket.on("close", () => clearInterval(reading));
  // Without a listener of this kind nothing would be read at all.
  socket.once("readable", () => {
    reader.head ||= socket.read(12)?.toString("latin1") ?? "";
  });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/html\r\nAccept-Encoding: identity\r\n\r\n`);
  return reader;
}

test(`${readers} readers who take a page of 5 MiB byte by byte leave the server its memory, and others their pages`, {
  timeout: 300_000,
}, async ({ app }) => {
  const before = await settledMebibytes(app);
  const open = Array.from({ length: readers }, () => openSlowReader(app.url, "/big"));
  await expect.poll(() => open.filter(({ head }) => head === "").length, { timeout: 240_000 }).toBe(0);
  expect(new Set(open.map(({ head }) => head.slice(0, 12)))).toEqual(new Set(["HTTP/1.1 200"]));
  const grownBy = (await settledMebibytes(app)) - before;
  expect((await fetch(`${app.url}/`)).status).toBe(200);
  expect(open.filter(({ socket }) => socket.closed)).toEqual([]);
  for (const { socket } of open) socket.destroy();
  const facts = [`- Readers of 5 MiB, a byte each second: ${readers}`, `- The server's memory grew by ${grownBy} MiB`];
  console.log(facts.join("\n"));
  keepProof("slow-readers", [...facts, `- Bound: ${growthMebibytes} MiB`]);
  expect(grownBy).toBeLessThan(growthMebibytes);
});

/** The least memory in use while pages of the same size are made for quick readers, one after the other: garbage comes and goes, what is held stays. */
async function settledMebibytes(app: { url: string; pid: number }): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < 10; count++) {
    const answer = await fetch(`${app.url}/big`, { headers: { "accept-encoding": "identity" } });
    expect(Number(answer.headers.get("content-length"))).toBeGreaterThan(5_000_000);
    expect((await answer.text()).endsWith("</html>")).toBe(true);
    least = Math.min(least, mebibytesOf(app.pid));
  }
  return Math.round(least);
}
