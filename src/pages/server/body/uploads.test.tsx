import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { openSubmissionDb, submissionDbLimits } from "#host";
import { SubmissionMemory } from "../action/submission-memory.ts";
import { action, type Guard, invalid } from "../author/define.ts";
import { redirect } from "../author/outcome.ts";
import type { ArrivingFile } from "../author/uploads.ts";
import { type Answered, type TestApplication, testApplication } from "../test-application.ts";

/** A place of the application's own, such as an object store. */
class Shelf {
  readonly kept = new Map<string, string>();
  readonly begun: string[] = [];
  write = async (file: ArrivingFile): Promise<string> => {
    const id = `file-${this.begun.push(`${file.field} ${file.name} ${file.type}`)}`;
    this.kept.set(id, await text(file.stream));
    return id;
  };
  discard = (id: string): void => void this.kept.delete(id);
}

const part = (name: string, content: string, filename?: string): string =>
  `--x\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? "" : `; filename="${filename}"`}\r\n${
    filename === undefined ? "" : "Content-Type: text/plain\r\n"
  }\r\n${content}\r\n`;
const form = (...parts: string[]): string => `${parts.join("")}--x--\r\n`;

const post = (app: TestApplication, name: string, body: string): Promise<Answered> =>
  app.ask(`/_action/${name}/_data`, {
    method: "POST",
    body,
    headers: { "content-type": "multipart/form-data; boundary=x", "content-length": String(Buffer.byteLength(body)) },
  });

const page = { default: () => <h1>Files</h1> };

function withActions(actions: Record<string, unknown>, guard?: Guard): Record<string, object> {
  return { "index.tsx": page, "index.server.ts": { actions, ...(guard && { guard }) } };
}

const seen = ({ input }: { input: unknown }): unknown => (input instanceof FormData ? [...input] : input);

test("files go to the application's own store as they arrive, and the action gets their texts", async () => {
  const shelf = new Shelf();
  const uploadFolder = mkdtempSync(path.join(tmpdir(), "holdfast-own-store-"));
  onTestFinished(() => rmSync(uploadFolder, { recursive: true }));
  await using app = await testApplication(withActions({ send: action({ uploads: shelf }, seen) }), { uploadFolder });
  const body = form(
    part("title", "Two files"),
    part("first", "a".repeat(200_000), "a.txt"),
    part("none", "", ""),
    part("empty", "", "empty.txt"),
  );
  const answer = await post(app, "send", body);
  expect(answer.text).toContain('[["title","Two files"],["first","file-1"],["empty","file-2"]]');
  expect(shelf.begun).toEqual(["first a.txt text/plain", "empty empty.txt text/plain"]);
  expect([...shelf.kept]).toEqual([
    ["file-1", "a".repeat(200_000)],
    ["file-2", ""],
  ]);
  expect(readdirSync(uploadFolder)).toEqual([]);
  expect(app.posts.held).toEqual({ posts: 0, memory: 0, disk: 0 });
});

test("a stored file is discarded unless an action has taken it", async () => {
  const shelf = new Shelf();
  const options = { uploads: shelf, uploadBytes: 5_000 };
  const actions = {
    done: action(options, () => "done"),
    moved: action(options, () => redirect("/")),
    refused: action(options, () => invalid({ file: "Not this one." })),
    failed: action(options, () => {
      throw new Error("The action has failed.");
    }),
  };
  await using app = await testApplication(withActions(actions));
  const one = form(part("file", "content", "a.txt"));
  const statuses: Record<string, [number, number]> = {};
  for (const name of ["done", "moved", "refused", "failed"]) {
    shelf.kept.clear();
    const { status } = await post(app, name, one);
    statuses[name] = [status, shelf.kept.size];
  }
  expect(statuses).toEqual({ done: [200, 1], moved: [200, 1], refused: [422, 0], failed: [500, 0] });
  shelf.kept.clear();
  const refused = await post(app, "refused", one);
  // The visitor has not typed the text in place of a file.
  expect(refused.text).not.toContain("file-");
  const tooLarge = form(part("file", "content", "a.txt"), part("file", "x".repeat(6_000), "b.txt"));
  expect((await post(app, "done", tooLarge)).status).toBe(413);
  expect([...shelf.kept]).toEqual([]);
});

test("an upload that is cut leaves nothing behind, neither on disk nor in the application's own store", async () => {
  const shelf = new Shelf();
  const uploadFolder = mkdtempSync(path.join(tmpdir(), "holdfast-cut-"));
  onTestFinished(() => rmSync(uploadFolder, { recursive: true }));
  const actions = { own: action({ uploads: shelf }, seen), disk: action({ uploads: true }, seen) };
  await using app = await testApplication(withActions(actions), { uploadFolder });
  const body = form(part("first", "whole", "a.txt"), part("second", "x".repeat(500_000), "b.txt"));
  const arrived = {
    own: () => shelf.begun.length,
    disk: () => readdirSync(uploadFolder, { recursive: true }).filter((name) => String(name).includes(path.sep)).length,
  };
  for (const name of ["own", "disk"] as const) {
    const socket = connect({ port: app.port, host: "127.0.0.1" }).on("error", () => undefined);
    const head = `POST /_action/${name} HTTP/1.1\r\nHost: 127.0.0.1:${app.port}\r\n`;
    socket.write(`${head}Content-Type: multipart/form-data; boundary=x\r\nContent-Length: ${body.length}\r\n\r\n`);
    socket.write(body.slice(0, 300_000));
    await expect.poll(arrived[name]).toBe(2);
    socket.destroy();
    await expect.poll(() => app.posts.held).toEqual({ posts: 0, memory: 0, disk: 0 });
    expect(readdirSync(uploadFolder)).toEqual([]);
    expect([...shelf.kept]).toEqual([]);
  }
  // A visitor who leaves is no error.
  expect(app.recorded).toEqual([]);
});

test("an error of the application's own store is recorded and shown, and the connection goes on", async () => {
  const shelf = new Shelf();
  const broken = {
    write: async () => Promise.reject(new Error("The store is away.")),
    discard: shelf.discard,
  };
  const unnamed = { write: (async () => undefined) as never, discard: shelf.discard };
  const lazy = { write: async ({ name }: ArrivingFile) => name, discard: shelf.discard };
  const actions = {
    broken: action({ uploads: broken }, seen),
    unnamed: action({ uploads: unnamed }, seen),
    lazy: action({ uploads: lazy }, seen),
  };
  await using app = await testApplication(withActions(actions));
  const body = form(part("file", "x".repeat(300_000), "a.txt"), part("title", "After it"));
  const failed = await post(app, "broken", body);
  expect([failed.status, failed.text.includes("TEST-TEST-0001")]).toEqual([500, true]);
  expect((await post(app, "unnamed", body)).status).toBe(500);
  expect(app.recorded.map(({ error }) => String(error))).toEqual([
    "Error: The store is away.",
    expect.stringContaining("The function that stores a file returned undefined instead of a text."),
  ]);
  // A store that does not read the file to its end is no error.
  expect((await post(app, "lazy", body)).text).toContain('[["file","a.txt"],["title","After it"]]');
});

test("a store that never ends is given up after the time of the action, and what it stores later is discarded", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const discarded: string[] = [];
  const stuck = { write: () => promise, discard: (id: string) => void discarded.push(id) };
  await using app = await testApplication(withActions({ send: action({ uploads: stuck, timeout: 0.1 }, seen) }));
  expect((await post(app, "send", form(part("file", "x".repeat(300_000), "a.txt")))).status).toBe(504);
  expect(app.posts.held.posts).toBe(0);
  resolve("late");
  await expect.poll(() => discarded).toEqual(["late"]);
});

test("guards run before a byte is stored, and the store has their context", async () => {
  const shelf = new Shelf();
  const paths: string[] = [];
  const store = {
    write: (file: ArrivingFile, { url, headers }: { url: URL; headers: Headers }) => {
      paths.push(`${url.pathname} ${headers.get("x-user")}`);
      return shelf.write(file);
    },
    discard: shelf.discard,
  };
  let isOpen = false;
  const files = withActions({ send: action({ uploads: store }, seen) }, () => {
    if (!isOpen) redirect("/sign-in");
  });
  await using app = await testApplication(files);
  const body = form(part("file", "content", "a.txt"));
  await post(app, "send", body);
  expect(paths).toEqual([]);
  isOpen = true;
  await post(app, "send", body);
  expect(paths).toEqual(["/ null"]);
});

test("a repeated upload runs once, and what it stored again is discarded", async () => {
  const shelf = new Shelf();
  let runs = 0;
  const send = action({ uploads: shelf }, () => {
    runs += 1;
  });
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-repeated-"));
  const store = openSubmissionDb(path.join(folder, "submissions.db"), submissionDbLimits);
  onTestFinished(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });
  const memory = new SubmissionMemory({ store, reach: "shared", sealKey: new Uint8Array(32) });
  await using app = await testApplication(withActions({ send }), { memory });
  const body = (content: string): string =>
    form(part("_key", "a-key-of-this-test-1"), part("_form", "send 1"), part("file", content, "a.txt"));
  await post(app, "send", body("same"));
  await post(app, "send", body("same"));
  expect([runs, [...shelf.kept.keys()]]).toEqual([1, ["file-1"]]);
  await post(app, "send", body("other"));
  expect([runs, [...shelf.kept.keys()]]).toEqual([2, ["file-1", "file-3"]]);
});
