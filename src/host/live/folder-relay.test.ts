import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { type PeerPlace, peerPlaces } from "../service/socket-paths.ts";
import { FolderRelay } from "./folder-relay.ts";

function emptyFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "peers-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, "socket");
}

/** Everything soon, except that a test does not take long enough for a socket to count as left. */
const limits = { lookMs: 50, goneMs: 60_000, retryMs: 20, farewellMs: 50 };

/** A process that has started, and what it has heard. */
function started(at: string | PeerPlace[], listens = true) {
  const heard: string[] = [];
  const warnings: string[] = [];
  const places = typeof at === "string" ? [{ folder: at, prefix: "peer-" }] : at;
  const relay = new FolderRelay({ places, limits, warn: (sentence) => warnings.push(sentence) });
  if (listens)
    relay.listen({
      message: (channel, text) => heard.push(`${channel}: ${text}`),
      gap: () => heard.push("gap"),
    });
  onTestFinished(() => relay.close());
  return { relay, heard, warnings };
}

/** The socket of a killed process: its name is still there. */
async function leaveSocket(folder: string, name: string): Promise<string> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const killed = createServer().listen(path.join(folder, "socket"));
  await once(killed, "listening");
  renameSync(path.join(folder, "socket"), path.join(folder, name));
  killed.close();
  return path.join(folder, name);
}

const anHourAgo = new Date(Date.now() - 3_600_000);

test("a message reaches all other processes of the folder, in order and whole", async () => {
  const folder = emptyFolder();
  const [one, two, three] = [started(folder), started(folder), started(folder)];
  const long = "é\n".repeat(200_000);
  expect(await Promise.all([one.relay.send("a", "1"), one.relay.send("a", long), two.relay.send("b", "3")])).toEqual([
    true,
    true,
    true,
  ]);
  await expect.poll(() => three.heard.toSorted()).toEqual(["a: 1", `a: ${long}`, "b: 3"]);
  expect(three.heard.indexOf("a: 1")).toBeLessThan(three.heard.indexOf(`a: ${long}`));
  await expect.poll(() => [one.heard, two.heard]).toEqual([["b: 3"], ["a: 1", `a: ${long}`]]);
});

test("a process that only sends has no socket, and one without others has sent to all of them", async () => {
  const folder = emptyFolder();
  const { relay } = started(folder, false);
  expect(await relay.send("a", "1")).toBe(true);
  expect(existsSync(folder)).toBe(false);
  const other = started(folder);
  expect(await relay.send("a", "2")).toBe(true);
  await expect.poll(() => other.heard).toEqual(["a: 2"]);
});

test("a process that has stopped is missed by none, and the others notice no gap", async () => {
  const folder = emptyFolder();
  const [one, two] = [started(folder), started(folder)];
  await one.relay.send("a", "1");
  await two.relay.send("a", "2");
  await expect.poll(() => one.heard).toEqual(["a: 2"]);
  two.relay.close();
  expect(await two.relay.send("a", "3")).toBe(true);
  expect(readdirSync(folder)).toHaveLength(1);
  expect(await one.relay.send("a", "4")).toBe(true);
  const third = started(folder);
  expect(await one.relay.send("a", "5")).toBe(true);
  await expect.poll(() => third.heard).toEqual(["a: 5"]);
  expect([one.heard, one.warnings]).toEqual([["a: 2"], []]);
});

test("a socket that was left is removed by the first that sends, or listens", async () => {
  const folder = emptyFolder();
  const left = await leaveSocket(folder, "peer-dead.sock");
  const { relay, warnings } = started(folder, false);
  expect(await relay.send("a", "1")).toBe(true);
  // Its process may run on another kernel, and have touched it just now.
  expect(existsSync(left)).toBe(true);
  utimesSync(left, anHourAgo, anHourAgo);
  expect(await relay.send("a", "2")).toBe(true);
  expect(existsSync(left)).toBe(false);
  const another = await leaveSocket(folder, "peer-dead2.sock");
  utimesSync(another, anHourAgo, anHourAgo);
  started(folder);
  await expect.poll(() => existsSync(another)).toBe(false);
  expect(warnings).toEqual([]);
});

test("a socket in use is touched, so that no one takes it for one that was left", async () => {
  const folder = emptyFolder();
  const one = started(folder);
  const [name = ""] = readdirSync(folder);
  utimesSync(path.join(folder, name), anHourAgo, anHourAgo);
  await expect.poll(() => statSync(path.join(folder, name)).mtimeMs).toBeGreaterThan(anHourAgo.getTime() + 60_000);
  expect(one.heard).toEqual([]);
});

test("a process whose socket was removed listens again, and knows that it may have missed messages", async () => {
  const folder = emptyFolder();
  const [one, two] = [started(folder), started(folder)];
  await two.relay.send("a", "1");
  await expect.poll(() => one.heard).toEqual(["a: 1"]);
  rmSync(folder, { recursive: true });
  await expect.poll(() => one.heard.at(-1)).toBe("gap");
  await expect.poll(() => two.heard.at(-1)).toBe("gap");
  expect(await two.relay.send("a", "2")).toBe(true);
  await expect.poll(() => one.heard).toEqual(["a: 1", "gap", "a: 2"]);
  expect(await one.relay.send("a", "3")).toBe(true);
  await expect.poll(() => two.heard).toEqual(["gap", "a: 3"]);
  expect(readdirSync(folder)).toHaveLength(2);
});

test("a data folder that was removed is not made again", async () => {
  const folder = emptyFolder();
  const { heard } = started(folder);
  rmSync(path.dirname(folder), { recursive: true });
  await wait(3 * limits.lookMs);
  expect(existsSync(folder)).toBe(false);
  mkdirSync(path.dirname(folder));
  await expect.poll(() => heard).toEqual(["gap"]);
});

test("a process that cannot listen in the data folder listens below the temporary one, and is found there", async () => {
  const folder = emptyFolder();
  const second = { folder: path.join(path.dirname(folder), "temporary"), prefix: "app-" };
  // Longer than a socket's address may be, which only the server says.
  const tooLong = { folder: path.join(folder, "x".repeat(100)), prefix: "peer-" };
  const inTemporary = started([tooLong, second]);
  const inData = started([{ folder, prefix: "peer-" }, second]);
  expect(readdirSync(second.folder)).toHaveLength(1);
  expect(await inData.relay.send("a", "1")).toBe(true);
  await expect.poll(() => inTemporary.heard).toEqual(["a: 1"]);
  expect(await inTemporary.relay.send("a", "2")).toBe(true);
  expect([inTemporary.warnings, inData.warnings]).toEqual([[], []]);
});

test("a process that can listen nowhere says why, tries again, and knows that it may have missed messages", async () => {
  const folder = emptyFolder();
  const tooLong = { folder: path.join(folder, "x".repeat(100)), prefix: "peer-" };
  const taken = path.join(path.dirname(folder), "taken");
  writeFileSync(taken, "a file in place of the folder");
  const { heard, warnings } = started([tooLong, { folder: taken, prefix: "peer-" }]);
  await expect.poll(() => warnings).toEqual([expect.stringMatching(/do not arrive .*: listen EINVAL/)]);
  await wait(3 * limits.lookMs);
  expect(heard).toEqual([]);
  rmSync(taken);
  await expect.poll(() => heard).toEqual(["gap"]);
  expect(readdirSync(taken)).toHaveLength(1);
  expect(warnings).toHaveLength(1);
});

test("a connection that breaks is opened again, and begins with the notice that messages were missed", async () => {
  const folder = emptyFolder();
  mkdirSync(folder, { mode: 0o700 });
  const connections: string[] = [];
  // As a process without free file descriptors: it closes what it has just accepted.
  const busy = createServer((socket: Socket) => {
    const at = connections.push("") - 1;
    if (at === 0) return socket.destroy();
    socket.setEncoding("utf8").on("data", (text: string) => {
      connections[at] = `${connections[at]}${text}`;
    });
  }).listen(path.join(folder, "peer-busy.sock"));
  onTestFinished(() => void busy.close());
  await once(busy, "listening");
  const { relay, warnings } = started(folder, false);
  await relay.send("a", "1");
  await expect.poll(() => connections).toEqual(["", '{"kind":"channel-gap"}\n']);
  await relay.send("a", "2");
  await expect.poll(() => connections[1]).toMatch(/^\{"kind":"channel-gap"\}\n\{.*"text":"2"\}\n$/);
  expect(warnings).toEqual([]);
});

test("a process that reads nothing keeps no publisher waiting, nor itself from the messages", async () => {
  const folder = emptyFolder();
  mkdirSync(folder, { mode: 0o700 });
  let stuck: Socket | undefined;
  let received = 0;
  const server = createServer({ pauseOnConnect: true }, (socket) => (stuck = socket)).listen(
    path.join(folder, "peer-stuck.sock"),
  );
  onTestFinished(() => {
    stuck?.destroy();
    server.close();
  });
  await once(server, "listening");
  const { relay } = started(folder, false);
  const other = started(folder);
  // More than a socket takes.
  const long = "x".repeat(1_000_000);
  for (const text of [long, "2", "3"]) expect(await relay.send("a", text)).toBe(true);
  await expect.poll(() => other.heard.map((line) => line.slice(0, 4))).toEqual(["a: x", "a: 2", "a: 3"]);
  stuck?.on("data", (bytes) => (received += bytes.length)).resume();
  await expect.poll(() => received).toBeGreaterThan(1_000_000);
});

test("a process that ends without a farewell may have had more to say", async () => {
  const folder = emptyFolder();
  const { heard, warnings } = started(folder);
  const [name = ""] = readdirSync(folder);
  const killed = connect(path.join(folder, name));
  killed.write('{"kind":"channel","channel":"a","text":"1"}\n{"kind":"chan');
  await expect.poll(() => heard).toEqual(["a: 1"]);
  killed.destroy();
  await expect.poll(() => heard).toEqual(["a: 1", "gap"]);
  const stranger = connect(path.join(folder, name));
  stranger.on("error", () => undefined).write("GET / HTTP/1.1\n");
  await expect.poll(() => heard).toEqual(["a: 1", "gap", "gap"]);
  expect(warnings).toEqual([expect.stringContaining("sends what cannot be read")]);
});

test.skipIf(process.platform === "win32")("sockets that another user may have put there are not used", async () => {
  const folder = emptyFolder();
  const one = started(folder);
  chmodSync(folder, 0o777);
  const two = started(folder, false);
  expect(await two.relay.send("a", "1")).toBe(false);
  expect(await two.relay.send("a", "2")).toBe(false);
  expect(two.warnings).toEqual([expect.stringContaining("do not reach the other processes of this application")]);
  expect(one.heard).toEqual([]);
});

test("a folder of another user in the temporary one keeps nobody from being reached", async () => {
  const folder = emptyFolder();
  const second = { folder: path.join(path.dirname(folder), "temporary"), prefix: "app-" };
  mkdirSync(second.folder);
  chmodSync(second.folder, 0o777);
  const places = [{ folder, prefix: "peer-" }, second];
  const [one, two] = [started(places), started(places)];
  expect(await one.relay.send("a", "1")).toBe(true);
  await expect.poll(() => two.heard).toEqual(["a: 1"]);
  expect(one.warnings).toEqual([]);
});

test("sockets of processes lie beside that of the service, where their names are short enough; Windows has none", () => {
  const deps = { uid: 1234, platform: "linux", temporaryFolder: "/tmp" } as const;
  const inTemporary = { folder: "/tmp/holdfast-1234", prefix: expect.stringMatching(/^[0-9a-f]{16}-$/) };
  expect(peerPlaces("/srv/data", deps)).toEqual([{ folder: "/srv/data/socket", prefix: "peer-" }, inTemporary]);
  expect(peerPlaces(`/srv/${"long".repeat(30)}`, deps)).toEqual([inTemporary]);
  expect(peerPlaces("/srv/data", { ...deps, platform: "win32" })).toEqual([]);
});
