/**
 * Attacks on a running service and a running application from outside: by HTTP, and by the output of the command line.
 * `node --conditions=holdfast-source tests/faults/hostile-clients.ts REPOSITORY` attacks the built package of another
 * checkout, whose `tests/fixtures/pages` is built, and prints its figures.
 */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import http from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { brotliCompressSync, constants } from "node:zlib";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { root } from "../../scripts/root.js";
import { type BlockRow, blocksIn } from "../../src/service/stores/sqlite/week/block-rows.ts";
import { mebibytesOf } from "../kit/memory-of.ts";
import { startBuiltApp } from "../kit/running-app.ts";
import { HeldPost, statusOn } from "./held-post.ts";
import { dataFolder, RunningService } from "./running-service.ts";

/** A figure of an attack: a number, or the text of a response. */
export type Figures = Record<string, number | string>;

/** A request without a response counts with this duration. */
const patienceMs = 60_000;

export async function attackService(repository = root): Promise<Figures> {
  return {
    ...(await manyDecoders(repository)),
    ...(await manySignIns(repository)),
    ...(await secretsAndEscapes(repository)),
    ...(await changedBytes(repository)),
  };
}

/** Small brotli bodies that request a large window, all at once. */
async function manyDecoders(repository: string): Promise<Figures> {
  using folder = dataFolder();
  await using service = await RunningService.start(folder.path, { built: true, repository });
  for (let warm = 0; warm < 50; warm += 1) await service.post("envelope/", aReport());
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 };
  const bomb = brotliCompressSync(aBomb, { params });
  const atRest = service.residentMiB();
  const senders = Array.from({ length: 100 }, () => new HeldPost(service.dsn, bomb, { "Content-Encoding": "br" }));
  const beside = await took(service.post("envelope/", aReport()));
  for (const sender of senders) sender.finish();
  const statuses = await Promise.all(senders.map((sender) => sender.status()));
  return {
    "100 small brotli bodies: MiB more": Math.round(service.peakMiB() - atRest),
    "100 small brotli bodies: a report beside them, ms": beside.ms,
    "100 small brotli bodies: answers": tally(statuses),
  };
}

/** Sign-ins with invented addresses, and a file and the owner beside them. */
async function manySignIns(repository: string): Promise<Figures> {
  using folder = dataFolder();
  await using service = await RunningService.start(folder.path, { built: true, repository });
  const cookies = await service.signInCookies();
  const page = await service.get("/_holdfast/sign-in");
  const file = /"(\/_holdfast\/[^"]+\.(?:js|css))"/.exec(page.text)?.[1] ?? "";
  const port = portOf(service.dsn);
  const signIn = (email: string, password: string, cookie = ""): Promise<number> =>
    formStatus(port, "/_holdfast/sign-in/_action/signIn", new URLSearchParams({ email, password }).toString(), cookie);
  const strangers = Array.from({ length: 24 }, (_, at) => signIn(`made-up-${at}@example.org`, "wrong wrong wrong"));
  const known = cookies.filter((cookie) => cookie.includes("device")).join("; ");
  const owner = took(signIn("ada@example.org", "several words to remember", known));
  let slowest = 0;
  for (let asked = 0; asked < 10; asked += 1) {
    const { ms } = await took(statusOf({ port, path: file }));
    slowest = Math.max(slowest, ms);
  }
  const statuses = await Promise.all(strangers);
  const signedIn = await owner;
  for (let wrong = 0; wrong < 6; wrong += 1) await signIn("ada@example.org", "wrong wrong wrong");
  const afterGuesses = await signIn("ada@example.org", "several words to remember", known);
  return {
    "24 sign-ins with made-up addresses: slowest file beside them, ms": slowest,
    "24 sign-ins with made-up addresses: answers": tally(statuses),
    "24 sign-ins with made-up addresses: the owner beside them, ms": signedIn.ms,
    "the owner's right password in a known browser, after wrong guesses of others: status": afterGuesses,
  };
}

/** Reports with secrets and escape sequences. */
async function secretsAndEscapes(repository: string): Promise<Figures> {
  using folder = dataFolder();
  const service = await RunningService.start(folder.path, { built: true, repository });
  for (let sent = 0; sent < 60; sent += 1)
    await service.post("envelope/", aReport(`\u001b]0;owned\u0007 made up ${wordOf(sent)}`));
  await service.filed();
  await service.stop();
  const secrets = filesIn(folder.path).filter((file) => readFileSync(file).includes(aSecret));
  const { said } = await runCommand(repository, ["issues", "--data", folder.path]);
  return {
    "a password in a report: files of the stopped service that have it": secrets.length,
    "escape sequences in a report: those that `holdfast issues` prints": said.split("\u001b]0;").length - 1,
  };
}

/** A disk that has corrupted one byte in each block of events. */
export async function changedBytes(repository = root): Promise<Figures> {
  using folder = dataFolder();
  const service = await RunningService.start(folder.path, { built: true, repository });
  for (let sent = 0; sent < 60; sent += 1) await service.post("envelope/", aReport(`made up ${wordOf(sent)}`));
  await service.filed();
  await service.stop();
  for (const file of filesIn(folder.path).filter((name) => /events-[^/]*\.db$/.test(name))) changeBytesIn(file);
  const { said, status } = await runCommand(repository, ["doctor", "--data", folder.path]);
  return {
    "60 events whose bytes the disk has changed: those that `holdfast doctor` counts": Number(
      /(\d+) event bodies are damaged/.exec(said)?.[1] ?? 0,
    ),
    "60 events whose bytes the disk has changed: exit status of `holdfast doctor`": status,
  };
}

/** Through SQLite, so that the file is valid and only its content is not. */
function changeBytesIn(file: string): void {
  using week = new DatabaseSync(file);
  for (const row of week.prepare("SELECT * FROM body_block").all()) {
    // In an older checkout a row is one block, and there is no column for others.
    const stored = { blocks: null, ...row } as unknown as BlockRow;
    for (const { packed } of blocksIn(stored)) {
      const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.length);
      const middle = bytes.length >> 1;
      bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle);
    }
    week.prepare("UPDATE body_block SET packed = ? WHERE id = ?").run(stored.packed, stored.id);
  }
}

export async function attackApplication(repository = root): Promise<Figures> {
  await using app = await startBuiltApp({ app: "tests/fixtures/pages", repository });
  const port = portOf(app.url);
  const rename = "/orders/7/_action/rename";
  await formStatus(port, rename, "name=Lamp");

  const fields = `name=Lamp&${Array.from({ length: 60_000 }, (_, at) => `f${at}=1`).join("&")}`;
  const wide = await took(formStatus(port, rename, fields));

  const twoHosts = connect({ port, host: "127.0.0.1" });
  twoHosts.on("error", () => undefined);
  twoHosts.write("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
  const twoHostsStatus = await statusOn(twoHosts);

  const secret = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_abcde";
  await statusOf({ port, path: `/_holdfast/welcome/${secret}` });
  const long = 100;
  const before = Buffer.byteLength(app.log);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
  const path = `/${"%22".repeat(5_000)}`;
  await Promise.all(Array.from({ length: long }, () => statusOf({ port, path, agent })));
  agent.destroy();
  const perLine = (Buffer.byteLength(app.log) - before) / long;

  const atRest = mebibytesOf(app.pid);
  const form = "application/x-www-form-urlencoded";
  const posts = await heldBack({ port, count: 300, type: form, action: "plain", body: `a=${"x".repeat(1_000_000)}` });
  for (let asked = 0; asked < 50; asked += 1) await statusOf({ port, path: "/" });
  const grown = mebibytesOf(app.pid) - atRest;
  for (const socket of posts) socket.destroy();

  const head = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: text/plain\r\n\r\n';
  const type = "multipart/form-data; boundary=x";
  const body = `${head}${"x".repeat(30_000_000)}`;
  const uploads = await heldBack({ port, count: 20, type, action: "upload", body });
  const onDisk = filesIn(app.dataFolder).reduce((sum, file) => sum + sizeOf(file), 0) / 1_048_576;
  for (const socket of uploads) socket.destroy();

  return {
    "a form of 60,000 fields: status": wide.value,
    "a form of 60,000 fields: ms": wide.ms,
    "two Host lines: status": twoHostsStatus,
    "an invite link that is opened: times its secret is in the log": app.log.split(secret).length - 1,
    "a request with an address of 15 kB: bytes of the log": Math.round(perLine),
    "300 forms of 1 MB, held back: MiB more": Math.round(grown),
    "20 uploads of 30 MB, held back: MiB on the disk": Math.round(onDisk),
  };
}

const aBomb = Buffer.concat([Buffer.from('{}\n{"type":"attachment"}\n'), Buffer.alloc(200 * 1_048_576, " ")]);
const aSecret = "correct-horse-battery";

function aReport(message = "still there"): Uint8Array {
  const eventId = newEventId();
  const request = { url: "https://shop.example/", data: { password: aSecret }, cookies: `session=${aSecret}` };
  return writeEnvelope({ eventId }, [jsonItem("event", { event_id: eventId, message, request })]);
}

/** Grouping separates errors by words, and ignores numbers. */
function wordOf(at: number): string {
  return [...String(at)].map((digit) => "abcdefghij"[Number(digit)]).join("");
}

/** Returns the exit status and the whole output. */
function runCommand(repository: string, args: readonly string[]): Promise<{ said: string; status: number }> {
  return new Promise((resolve) => {
    const options = { cwd: repository, timeout: patienceMs };
    const command = [join(repository, "bin/holdfast.js"), ...args];
    const child = execFile(process.execPath, command, options, (_, out, errors) =>
      resolve({ said: out + errors, status: child.exitCode ?? -1 }),
    );
  });
}

async function took<Value>(work: Promise<Value>): Promise<{ value: Value; ms: number }> {
  const began = performance.now();
  const value = await work;
  return { value, ms: Math.round(performance.now() - began) };
}

/** On a separate connection. */
function formStatus(port: number, path: string, body: string, cookie = ""): Promise<number> {
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    "content-length": Buffer.byteLength(body),
    ...(cookie !== "" && { cookie }),
  };
  return statusOf({ port, path, method: "POST", headers, agent: false }, body);
}

/** 0 if the connection breaks or times out. */
function statusOf(options: http.RequestOptions, body?: string): Promise<number> {
  return new Promise((resolve) => {
    const request = http.request({ host: "127.0.0.1", timeout: patienceMs, ...options }, (answer) => {
      answer.on("error", () => resolve(0)).on("end", () => resolve(answer.statusCode ?? 0));
      answer.resume();
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(0));
    request.end(body);
  });
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

interface HeldBack {
  readonly port: number;
  readonly count: number;
  readonly type: string;
  readonly action: string;
  readonly body: string;
}

/** Sends all but the last byte of this many posts. Resolves when each is sent or refused. */
async function heldBack({ port, count, type, action, body }: HeldBack): Promise<Socket[]> {
  const bytes = Buffer.from(body);
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect({ port, host: "127.0.0.1" });
      socket.on("error", () => undefined);
      const refused = Promise.race([once(socket, "data"), once(socket, "close")]);
      const head = `POST /orders/7/_action/${action} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${type}\r\n`;
      socket.write(`${head}Content-Length: ${bytes.length + 1}\r\n\r\n`);
      await Promise.race([new Promise((resolve) => socket.write(bytes, resolve)), refused]);
      return socket;
    }),
  );
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function tally(statuses: readonly number[]): string {
  const counts = new Map<number, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} × ${status}`).join(", ");
}

if (import.meta.main) {
  const [, , repository = root] = process.argv;
  console.log(
    JSON.stringify({ ...(await attackService(repository)), ...(await attackApplication(repository)) }, null, 2),
  );
}
