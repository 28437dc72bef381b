import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FolderRelay } from "./folder-relay.ts";

function emptyFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "peers-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, "socket");
}

/** A process that has started, and what it has heard. */
function started(folder: string, listens = true) {
  const heard: string[] = [];
  const warnings: string[] = [];
  const relay = new FolderRelay({ place: { folder, prefix: "peer-" }, warn: (sentence) => warnings.push(sentence) });
  if (listens)
    relay.listen({
      message: (channel, text) => heard.push(`${channel}: ${text}`),
      gap: () => heard.push("gap"),
    });
  onTestFinished(() => relay.close());
  return { relay, heard, warnings };
}

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

test("the socket of a killed process is removed by the first that finds it", async () => {
  const folder = emptyFolder();
  mkdirSync(folder, { mode: 0o700 });
  // Its name is not removed when it closes, as after a kill.
  const killed = createServer().listen(path.join(folder, "socket"));
  await once(killed, "listening");
  renameSync(path.join(folder, "socket"), path.join(folder, "peer-dead.sock"));
  killed.close();
  const { relay, warnings } = started(folder);
  expect(await relay.send("a", "1")).toBe(true);
  expect(readdirSync(folder)).not.toContain("peer-dead.sock");
  expect(warnings).toEqual([]);
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
