import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { onRequest, sequence } from "#pages/server";
import { liveApplication } from "../../tests/kit/live-application.ts";
import { openBrowserFiles } from "./browser-files.ts";
import { FileCache } from "./file-cache.ts";
import type { SentFile } from "./stored-file.ts";

const folder = mkdtempSync(path.join(tmpdir(), "holdfast-files-"));
const film = Buffer.from(Array.from({ length: 1_000 }, (_, at) => at % 256));
const text = Buffer.from("a line of text\n".repeat(100));
const server = createServer();

beforeAll(async () => {
  mkdirSync(path.join(folder, "browser"));
  writeFileSync(path.join(folder, "browser/film.mp4"), film);
  writeFileSync(path.join(folder, "browser/text.txt"), text);
  writeFileSync(path.join(folder, "browser/text.txt.gz"), gzipSync(text));
  const files = [
    { path: "/film.mp4", file: "browser/film.mp4", type: "video/mp4", encodings: [], immutable: false, hash: "f1" },
    {
      path: "/text.txt",
      file: "browser/text.txt",
      type: "text/plain",
      encodings: ["gzip"],
      immutable: false,
      hash: "t1",
    },
    { path: "/_assets/film-x.mp4", file: "browser/film.mp4", type: "video/mp4", encodings: [], immutable: true },
  ].map((file) => ({ ...file, bytes: file.path === "/text.txt" ? text.length : film.length }));
  writeFileSync(path.join(folder, "manifest.json"), JSON.stringify({ build: "b1", files, earlier: [] }));
  const { serve } = await openBrowserFiles(folder);
  server.on("request", (incoming, response) => serve(incoming, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
});

afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, "close");
  rmSync(folder, { recursive: true, force: true });
});

async function ask(target: string, headers: Record<string, string> = {}, method = "GET") {
  const sent = request({ port: (server.address() as AddressInfo).port, path: target, headers, method, agent: false });
  sent.end();
  const [answer] = (await once(sent, "response")) as [import("node:http").IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
}

test.each(["/film.mp4", "/_assets/film-x.mp4"])(
  "a range of %s is sent alone, as a player asks for it",
  async (target) => {
    const { status, headers, body } = await ask(target, { range: "bytes=300-499" });
    expect([status, headers["content-range"], headers["content-length"]]).toEqual([206, "bytes 300-499/1000", "200"]);
    expect(body.equals(film.subarray(300, 500))).toBe(true);
    const rest = await ask(target, { range: "bytes=-10" });
    expect([rest.status, rest.body.equals(film.subarray(990))]).toEqual([206, true]);
  },
);

test("a whole file says its length, and that ranges are possible", async () => {
  const { status, headers, body } = await ask("/film.mp4");
  expect([status, headers["accept-ranges"], headers["content-length"]]).toEqual([200, "bytes", "1000"]);
  expect(body.equals(film)).toBe(true);
  const head = await ask("/film.mp4", { range: "bytes=0-9" }, "HEAD");
  expect([head.status, head.headers["content-length"], head.body.length]).toEqual([200, "1000", 0]);
});

test("a range outside of the file is a 416 that says how long the file is", async () => {
  const { status, headers, body } = await ask("/film.mp4", { range: "bytes=1000-" });
  expect([status, headers["content-range"], body.length]).toEqual([416, "bytes */1000", 0]);
});

test("If-Range continues the same file, and gets a changed one from its beginning", async () => {
  const range = "bytes=500-";
  const { headers } = await ask("/film.mp4");
  expect((await ask("/film.mp4", { range, "if-range": String(headers.etag) })).status).toBe(206);
  expect((await ask("/film.mp4", { range, "if-range": '"other"' })).status).toBe(200);
  expect((await ask("/film.mp4", { range, "if-range": "Tue, 17 Nov 2026 00:00:00 GMT" })).status).toBe(200);
  expect((await ask("/_assets/film-x.mp4", { range, "if-range": '"other"' })).status).toBe(200);
});

test("each encoding of a file has its own tag, and a range is of the file itself", async () => {
  const packed = await ask("/text.txt", { "accept-encoding": "gzip" });
  const plain = await ask("/text.txt");
  expect([packed.headers["content-encoding"], packed.headers.etag, plain.headers.etag]).toEqual([
    "gzip",
    '"t1-gzip"',
    '"t1"',
  ]);
  for (const tag of ['"t1"', '"t1-gzip"', 'W/"t1"', '"x", "t1"'])
    expect((await ask("/text.txt", { "if-none-match": tag, "accept-encoding": "gzip" })).status, tag).toBe(304);
  expect((await ask("/text.txt", { "if-none-match": '"t2"' })).status).toBe(200);
  const part = await ask("/text.txt", { "accept-encoding": "gzip", range: "bytes=0-5" });
  expect([part.status, part.headers["content-encoding"], String(part.body)]).toEqual([206, undefined, "a line"]);
});

test("a file is sent whole to a client that leaves with its last byte", async () => {
  const ends: boolean[] = [];
  const note = (_incoming: unknown, response: ServerResponse): void =>
    void response.on("close", () => ends.push(response.writableFinished));
  server.prependListener("request", note);
  const { port } = server.address() as AddressInfo;
  for (let client = 0; client < 100; client++) {
    const socket = connect(port, "127.0.0.1");
    socket.write("GET /film.mp4 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let arrived = Buffer.alloc(0);
    socket.on("data", (piece) => {
      arrived = Buffer.concat([arrived, piece]);
      const head = arrived.indexOf("\r\n\r\n");
      if (head > 0 && arrived.length === head + 4 + film.length) socket.destroy();
    });
    await once(socket, "close");
  }
  await expect.poll(() => ends).toEqual(Array(100).fill(true));
  server.off("request", note);
});

test("small files stay in memory within their bytes, and are the same from there", async () => {
  const cache = new FileCache<SentFile>(text.length + 2_048 + 100);
  const { serve } = await openBrowserFiles(folder, {}, cache);
  const [paged] = server.listeners("request") as ((...args: unknown[]) => void)[];
  const fromMemory = (incoming: IncomingMessage, response: ServerResponse): void => void serve(incoming, response);
  const questions = [
    ["/text.txt", {}],
    ["/text.txt", { "accept-encoding": "gzip" }],
    ["/text.txt", { "if-none-match": '"t1"' }],
    ["/film.mp4", {}],
    ["/film.mp4", { range: "bytes=300-499" }],
  ] as const;
  const plain = ({
    status,
    headers: { date: _date, "transfer-encoding": _how, "content-length": _bytes, ...headers },
    body,
  }: Awaited<ReturnType<typeof ask>>) => ({ status, headers, body });
  const streamed = [];
  for (const [target, headers] of questions) streamed.push(plain(await ask(target, headers)));
  server.removeAllListeners("request").on("request", fromMemory);
  for (const _time of ["read", "remembered"])
    for (const [at, [target, headers]] of questions.entries()) {
      const answer = await ask(target, headers);
      expect(plain(answer)).toEqual(streamed[at]);
      if (answer.status === 200) expect(answer.headers["content-length"]).toBe(String(answer.body.length));
    }
  // The film has displaced the text, which has no room beside it.
  expect(cache.peek(path.join(folder, "browser/film.mp4"))?.length).toBe(film.length + 2_048);
  expect(cache.peek(path.join(folder, "browser/text.txt"))).toBeUndefined();
  server.removeAllListeners("request");
  if (paged) server.on("request", paged);
});

test("a file with a header that belongs to each response is sent again and again", async () => {
  const headers = { "/*.txt": { "Content-Disposition": "attachment" } };
  const { serve } = await openBrowserFiles(folder, { headers }, new FileCache<SentFile>(100_000));
  const [paged] = server.listeners("request") as ((...args: unknown[]) => void)[];
  server.removeAllListeners("request").on("request", (incoming, response) => void serve(incoming, response));
  for (let time = 0; time < 3; time++) {
    const { status, headers, body } = await ask("/text.txt");
    expect([status, headers["content-disposition"], body.equals(text)]).toEqual([200, "attachment", true]);
  }
  server.removeAllListeners("request");
  if (paged) server.on("request", paged);
});

test("response hooks change headers of files if they ask for it, and a failure is reported with its digest", async () => {
  const asking = onRequest(() => ({}), {
    files: true,
    onResponse: (response, { url }) => {
      if (url.searchParams.has("fail")) throw new Error("hook of a file");
      response.setHeader("X-Kind", `${response.kind} ${response.header("content-type")}`);
    },
  });
  const silent = onRequest(() => ({}), { onResponse: (response) => response.setHeader("X-Pages", "only") });
  const files = await openBrowserFiles(folder);
  await using app = await liveApplication({ "request.server.ts": { default: sequence(asking, silent) } }, { files });
  const film = await app.ask("/film.mp4", { headers: { range: "bytes=0-9" } });
  expect([film.status, film.headers["x-kind"], film.headers["x-pages"]]).toEqual([206, "file video/mp4", undefined]);
  expect((await app.ask("/nothing")).headers).toMatchObject({ "x-kind": "document undefined", "x-pages": "only" });
  const failed = await app.ask("/film.mp4?fail");
  expect([failed.status, failed.text]).toEqual([500, `Error ${app.recorded[0]?.digest}\n`]);
});
