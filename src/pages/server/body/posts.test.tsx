import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { Refusals } from "#bounds";
import { serverLimits } from "../../limits.ts";
import { Await } from "../../react/await.tsx";
import { action, load } from "../author/define.ts";
import { type TestApplication, testApplication } from "../test-application.ts";
import { Posts } from "./posts.ts";
import { openUploadFolder } from "./upload-folder.ts";

/** Resolved by the test. */
let { promise: later, resolve: arrive } = Promise.withResolvers<string>();

const files = {
  "index.tsx": { default: () => <h1>Home</h1> },
  "index.server.ts": {
    actions: {
      count: action({ input: z.record(z.string(), z.unknown()) }, ({ input }) => Object.keys(input).length),
      upload: action({ uploads: true }, () => "kept"),
      wait: action({}, () => later),
    },
  },
  "late.tsx": {
    default: ({ data }: { data: { late: Promise<string> } }) => (
      <Await value={data.late} fallback={<p>waiting</p>}>
        {(late) => <p>{late}</p>}
      </Await>
    ),
  },
  "late.server.ts": { data: load(() => ({ late: later })) },
  "api.server.ts": { POST: async (request: Request) => Response.json((await request.text()).length) },
};

const typed = { "content-type": "application/x-www-form-urlencoded" };
const multipart = { "content-type": "multipart/form-data; boundary=x" };

const post = (app: TestApplication, target: string, body: string, headers: Record<string, string> = typed) =>
  app.ask(target, { method: "POST", body, headers: { ...headers, "content-length": String(Buffer.byteLength(body)) } });

const urlencoded = (count: number): string => Array.from({ length: count }, (_, at) => `f${at}=1`).join("&");
const parts = (count: number): string =>
  `${Array.from({ length: count }, (_, at) => `--x\r\nContent-Disposition: form-data; name="f${at}"\r\n\r\n1\r\n`).join("")}--x--\r\n`;

test("a form has a limited number of fields, which the refusal names and a setting changes", async () => {
  await using app = await testApplication(files);
  await using other = await testApplication(files, { limits: { formFields: 20_000 } });
  for (const [write, headers] of [
    [urlencoded, typed],
    [parts, multipart],
  ] as const) {
    expect((await post(app, "/_action/count", write(1_000), headers)).status).toBe(303);
    for (const count of [1_001, 20_000]) {
      const refused = await post(app, "/_action/count", write(count), headers);
      // A form of 20,000 parts exceeds the limit of bytes or of fields; either refusal is right.
      expect([count, refused.status]).toEqual([count, 413]);
      expect(refused.text).toMatch(/a form may have 1000 fields|may have 1048576 bytes/);
    }
  }
  const data = await post(other, "/_action/count/_data", urlencoded(20_000));
  expect([data.status, data.text.includes('"result":20000')]).toEqual([200, true]);
});

test("a form that breaks off after more fields than it may have is refused, and the process lives on", async () => {
  await using app = await testApplication(files);
  const body = parts(1_100);
  for (const cut of [body.length - 7, body.length - 30]) {
    expect((await post(app, "/_action/count", body.slice(0, cut), multipart)).status).toBe(413);
    const socket = await begin(app, "/_action/count", body.slice(0, cut + 1), multipart["content-type"]);
    socket.destroy();
  }
  await expect.poll(() => app.posts.held.posts).toBe(0);
  expect((await post(app, "/_action/count", parts(1), multipart)).status).toBe(303);
});

/** Sends all but the last byte of a body. */
async function begin(app: TestApplication, target: string, body: string, type: string): Promise<Socket> {
  const socket = connect({ port: app.port, host: "127.0.0.1" });
  socket.on("error", () => undefined);
  const head = `POST ${target} HTTP/1.1\r\nHost: 127.0.0.1:${app.port}\r\nContent-Type: ${type}\r\n`;
  socket.write(`${head}Content-Length: ${body.length}\r\n\r\n`);
  await new Promise((resolve) => socket.write(body.slice(0, -1), resolve));
  return socket;
}

test("bodies of all concurrent posts use limited memory, and those of one client a quarter of it", async () => {
  const refusals = new Refusals();
  await using app = await testApplication(files, { limits: { postedBytes: 4_000_000 }, refusals });
  const slow = [
    await begin(app, "/_action/count", `a=${"x".repeat(490_000)}`, typed["content-type"]),
    await begin(app, "/api", "x".repeat(490_000), "text/plain"),
  ];
  // Small enough that it is never the reason for the slow ones to fail.
  const body = `a=${"x".repeat(20_000)}`;
  await expect.poll(async () => (await post(app, "/_action/count", body)).status).toBe(503);
  const refused = await post(app, "/_action/count", body);
  expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "5"]);
  expect(refused.text).toContain("too much is being sent at the same time");
  const api = await post(app, "/api", body, { "content-type": "text/plain" });
  expect([api.status, api.headers["retry-after"]]).toEqual([503, "5"]);
  const data = await post(app, "/_action/count/_data", body);
  expect([data.status, data.headers["retry-after"]]).toEqual([503, "5"]);
  expect((await post(app, "/_action/count", "a=1")).status).toBe(303);
  expect(refusals.totals.get("body-memory")).toBeGreaterThanOrEqual(3);
  for (const socket of slow) socket.destroy();
  await expect.poll(async () => (await post(app, "/_action/count", body)).status).toBe(303);
  expect(app.recorded).toEqual([]);
});

test("files of all concurrent uploads use limited disk space, and a refused upload leaves nothing there", async () => {
  const refusals = new Refusals();
  const uploadFolder = mkdtempSync(path.join(tmpdir(), "holdfast-posts-"));
  await using app = await testApplication(files, { limits: { uploadsOnDiskBytes: 4_000_000 }, refusals, uploadFolder });
  const file = (bytes: number): string =>
    `--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${"x".repeat(bytes)}\r\n--x--\r\n`;
  const slow = await begin(app, "/_action/upload", file(900_000), multipart["content-type"]);
  const onDisk = () =>
    readdirSync(uploadFolder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  await expect
    .poll(() => onDisk().map(({ parentPath, name }) => statSync(path.join(parentPath, name)).size))
    .toEqual([900_000]);
  expect((await post(app, "/_action/upload", file(300_000), multipart)).status).toBe(503);
  expect(refusals.totals.get("uploads")).toBeGreaterThan(0);
  expect(readdirSync(uploadFolder)).toHaveLength(1);
  slow.destroy();
  await once(slow, "close");
  await expect.poll(() => readdirSync(uploadFolder)).toEqual([]);
  expect((await post(app, "/_action/upload", file(900_000), multipart)).status).toBe(303);
  rmSync(uploadFolder, { recursive: true });
});

test("a body in pieces of one byte uses no more memory than its bytes", async () => {
  await using app = await testApplication(files);
  const socket = connect({ port: app.port, host: "127.0.0.1" });
  const head = `POST /_action/count HTTP/1.1\r\nHost: 127.0.0.1:${app.port}\r\nContent-Type: ${typed["content-type"]}\r\n`;
  socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n2\r\na=\r\n`);
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < 20; count++)
    await new Promise((resolve) => socket.write("1\r\nx\r\n".repeat(10_000), resolve));
  socket.write("0\r\n\r\n");
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString("latin1")).toMatch(/^HTTP\/1\.1 303/);
  // As separate buffers, 200,000 bytes would take 100 MB.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(50_000_000);
  socket.destroy();
});

test("uploads of ended processes are removed at the start, those of others are not", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-uploads-"));
  // No process has such a high id.
  for (const name of ["upload-99999999-abc", `upload-${process.pid}-abc`, `upload-${process.ppid}-abc`, "other"]) {
    mkdirSync(path.join(folder, name));
    writeFileSync(path.join(folder, name, "1"), "left");
  }
  openUploadFolder(folder);
  expect(readdirSync(folder)).toEqual(["other", `upload-${process.ppid}-abc`]);
  rmSync(folder, { recursive: true });
});

test("a limited number of streamed responses is compressed at the same time; further ones are sent uncompressed and arrive complete", async () => {
  const refusals = new Refusals();
  await using app = await testApplication(files, { limits: { encoders: 2 }, refusals });
  ({ promise: later, resolve: arrive } = Promise.withResolvers<string>());
  const headers = { "accept-encoding": "gzip" };
  const begun: Promise<void>[] = [];
  const answers = Array.from({ length: 3 }, () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    begun.push(promise);
    return app.ask("/late", { headers, onPiece: () => resolve() });
  });
  await Promise.all(begun);
  arrive("here at last");
  const encodings = (await Promise.all(answers)).map((answer) => answer.headers["content-encoding"]);
  expect(encodings.toSorted()).toEqual(["gzip", "gzip", undefined]);
  expect(refusals.totals.get("encoders")).toBe(1);
  const plain = (await Promise.all(answers)).find((answer) => answer.headers["content-encoding"] === undefined);
  expect(plain?.text).toContain("here at last");
  expect((await app.ask("/late", { headers })).headers["content-encoding"]).toBe("gzip");
});

test("a limited number of actions runs at the same time, even of visitors who have left; one client has its own limit", async () => {
  const refusals = new Refusals();
  let client = "192.0.2.1";
  const limits = { postsAtOnce: 3, postsPerClient: 2 };
  const posts = new Posts({ ...serverLimits, ...limits }, () => client, refusals);
  await using app = await testApplication(files, { posts });
  ({ promise: later, resolve: arrive } = Promise.withResolvers<string>());
  const beginAndLeave = async (): Promise<void> => {
    const before = app.actions.count;
    const socket = await begin(app, "/_action/wait", "a=1", typed["content-type"]);
    socket.write("1");
    await expect.poll(() => app.actions.count).toBe(before + 1);
    socket.destroy();
  };
  await beginAndLeave();
  await beginAndLeave();
  const refused = await post(app, "/_action/count", "a=1");
  expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "5"]);
  client = "192.0.2.2";
  await beginAndLeave();
  client = "192.0.2.3";
  expect((await post(app, "/_action/count", "a=1")).status).toBe(503);
  expect((await post(app, "/api", "text", { "content-type": "text/plain" })).status).toBe(503);
  expect(refusals.totals.get("posts")).toBe(3);
  arrive("done");
  await expect.poll(() => posts.held).toEqual({ posts: 0, memory: 0, disk: 0 });
  expect((await post(app, "/_action/count", "a=1")).status).toBe(303);
  expect((await post(app, "/api", "text", { "content-type": "text/plain" })).status).toBe(200);
  await expect.poll(() => posts.held.posts).toBe(0);
});
