import { once } from "node:events";
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Service } from "#service";
import { listenForOthers, remoteService } from "./service-socket.ts";
import { checkSocketFolder, makeSocketFolder, socketPaths } from "./socket-paths.ts";

const accepted = { kind: "accepted", eventId: "0".repeat(32), limits: [] };
/** Accepts everything; tests of the service cover what it does with an envelope. */
const service = {
  accept: async () => accepted,
  drained: async () => void asked.push("drained"),
  handle: () => false,
} as unknown as Service;
let asked: string[] = [];
const deps = { uid: process.getuid?.(), platform: process.platform, temporaryFolder: tmpdir() };

let data: string;
beforeEach(() => {
  asked = [];
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-socket-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  data = path.join(folder, "data");
});

async function listen(): Promise<void> {
  const others = await listenForOthers(service, data, "/_holdfast");
  onTestFinished(() => others.close());
}

describe("the processes of one application", () => {
  test("connect by a socket in the data folder, in a folder that only their user can read", async () => {
    await listen();
    const socket = path.join(data, "socket", "service.sock");
    expect(lstatSync(socket).isSocket()).toBe(true);
    expect(lstatSync(path.dirname(socket)).mode & 0o777).toBe(0o700);
    expect(await remoteService(data).accept(1, new Uint8Array())).toEqual(accepted);
  });

  test("learn from the one that runs the service when everything is filed", async () => {
    await listen();
    const remote = remoteService(data);
    await remote.drained();
    expect(asked).toEqual(["drained"]);
  });

  test("connect even if the path of the data folder is too long for a socket", async () => {
    data = path.join(data, "long".repeat(30));
    await listen();
    expect(existsSync(path.join(data, "socket", "service.sock"))).toBe(false);
    for (const socket of socketPaths(data)) expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(103);
    expect(await remoteService(data).accept(1, new Uint8Array())).toEqual(accepted);
  });

  test("send nothing to a socket that another user can have put there, and say so", async () => {
    const socket = path.join(data, "socket", "service.sock");
    mkdirSync(path.dirname(socket), { recursive: true });
    chmodSync(path.dirname(socket), 0o777);
    const received: unknown[] = [];
    const impostor = createServer((incoming, response) => {
      received.push(incoming.url);
      response.end(JSON.stringify(accepted));
    }).listen(socket);
    onTestFinished(() => void impostor.close());
    await once(impostor, "listening");
    await expect(remoteService(data).accept(1, new Uint8Array())).rejects.toMatchObject({ code: "foreign-socket" });
    expect(received).toEqual([]);
    // The process with the service does not use such a folder either, and finds another.
    await listen();
    expect(await remoteService(data).accept(1, new Uint8Array())).toEqual(accepted);
    expect(received).toEqual([]);
  });
});

describe("the folder of a socket", () => {
  const socket = (): string => path.join(data, "socket", "service.sock");

  test("is refused when another user owns it", () => {
    makeSocketFolder(socket(), deps);
    const other = { ...deps, uid: (deps.uid ?? 0) + 1 };
    expect(() => checkSocketFolder(socket(), other)).toThrow(/belongs to another user/);
    expect(() => makeSocketFolder(socket(), other)).toThrow(/belongs to another user/);
  });

  test("is refused when it is a link", () => {
    mkdirSync(path.join(data, "elsewhere"), { recursive: true, mode: 0o700 });
    symlinkSync(path.join(data, "elsewhere"), path.join(data, "socket"));
    expect(() => makeSocketFolder(socket(), deps)).toThrow(/belongs to another user/);
  });

  test("the folder of a socket below the temporary one has the user in its name, so that one user cannot take another's", () => {
    const [, place = ""] = socketPaths(data, { ...deps, uid: 1234 });
    expect(path.dirname(place)).toBe(path.join(tmpdir(), "holdfast-1234"));
  });

  test("is not needed on Windows, where the name of the pipe is a secret in the data folder", () => {
    const [pipe = ""] = socketPaths(data, { ...deps, platform: "win32" });
    expect(pipe).toMatch(/^\\\\\.\\pipe\\holdfast-[0-9a-f]{32}$/);
    expect(socketPaths(data, { ...deps, platform: "win32" })).toEqual([pipe]);
  });
});
