import { createHook } from "node:async_hooks";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { load, type PageCache } from "#pages/server";
import { liveApplication, type TestApplication } from "../../tests/kit/live-application.ts";
import { openBrowserFiles } from "./browser-files.ts";
import { FileCache, keptFileBytes } from "./file-cache.ts";

/**
 * What a request costs, counted instead of timed: any machine shows that an answer that waits for nothing has begun to
 * wait.
 */
const requests = 100;
const folder = mkdtempSync(path.join(tmpdir(), "holdfast-cost-"));
let app: TestApplication;

beforeAll(async () => {
  const items = Array.from({ length: 100 }, (_, id) => ({ id, title: `Item ${id}` }));
  const listed = {
    path: "/text.txt",
    file: "text.txt",
    type: "text/plain",
    encodings: [],
    immutable: false,
    hash: "t1",
    bytes: 4,
  };
  writeFileSync(path.join(folder, "text.txt"), "text");
  writeFileSync(path.join(folder, "manifest.json"), JSON.stringify({ build: "b1", files: [listed], earlier: [] }));
  const page = { default: ({ data }: { data: { items: typeof items } }) => <p>{data.items.length}</p> };
  const data = load(() => ({ items }));
  app = await liveApplication(
    {
      "rendered.tsx": page,
      "rendered.server.ts": { data },
      "cached.tsx": page,
      "cached.server.ts": { data, cache: { fresh: "1h" } satisfies PageCache },
    },
    { files: await openBrowserFiles(folder, {}, new FileCache(keptFileBytes)) },
  );
});

afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

interface Counts {
  promises: number;
  /** Timers, and calls of the thread pool. */
  waits: number;
}

/**
 * What every request creates: the least of many, because other tests of this process may run beside it. One request
 * after another on one connection; the client itself creates no promise and no timer.
 */
function countFor(target: string): Promise<Counts> {
  const { promise, resolve, reject } = Promise.withResolvers<Counts>();
  const least = { promises: Number.POSITIVE_INFINITY, waits: Number.POSITIVE_INFINITY };
  let counts = { promises: 0, waits: 0 };
  const hook = createHook({
    init: (_id, type) => {
      if (type === "PROMISE") counts.promises += 1;
      if (type === "Immediate" || type === "FSREQPROMISE" || type === "FSREQCALLBACK") counts.waits += 1;
    },
  });
  const socket = connect(app.port, "127.0.0.1").setEncoding("latin1");
  let text = "";
  let answered = 0;
  const ask = (): void => void socket.write(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${app.port}\r\n\r\n`);
  socket.on("connect", ask).on("error", reject);
  socket.on("data", (piece: string) => {
    text += piece;
    const length = /\r\nContent-Length: (\d+)\r\n/.exec(text)?.[1];
    const head = text.indexOf("\r\n\r\n");
    if (head < 0 || text.length < head + 4 + Number(length)) return;
    if (!text.startsWith("HTTP/1.1 200")) return reject(new Error(text));
    text = "";
    answered += 1;
    // The first answers load files, render and fill caches.
    if (answered === 3) hook.enable();
    if (answered > 3) {
      least.promises = Math.min(least.promises, counts.promises);
      least.waits = Math.min(least.waits, counts.waits);
    }
    counts = { promises: 0, waits: 0 };
    if (answered < requests + 3) return ask();
    hook.disable();
    socket.destroy();
    resolve(least);
  });
  return promise;
}

test.each([
  ["a cached page", "/cached"],
  ["the data of a cached page", "/cached/_data"],
  ["a file", "/text.txt"],
  ["page data whose load waits for nothing", "/rendered/_data"],
  ["a page that is rendered, and whose load waits for nothing", "/rendered"],
])("%s creates no promise and waits for nothing", async (_name, target) => {
  expect(await countFor(target)).toEqual({ promises: 0, waits: 0 });
});
