import { mkdtempSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { LifecycleHooks } from "#pages";
import { freePort } from "../../../tests/kit/free-ports.ts";
import { keptDigests } from "../../../tests/kit/kept-events.ts";
import { type RunningServer, serve } from "../serve.ts";
import type { HoldfastConfig } from "../settings.ts";
import { runOnStop } from "./hooks.ts";

/** No service listens there: events wait on disk, where `keptDigests` finds them. */
const report = { dsn: "http://key@127.0.0.1:1/1" };

interface Served {
  config?: HoldfastConfig;
  port?: number;
  handle?: (incoming: IncomingMessage, response: ServerResponse) => void;
}

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-lifecycle-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function servedWith(hooks: LifecycleHooks, folder: string, { config = {}, port = 0, handle }: Served = {}) {
  return serve(
    {
      root: folder,
      config,
      development: false,
      files: { build: "b1", has: () => false, serve: () => false },
      openPages: async () => ({
        build: "b1",
        handle: handle ?? ((_incoming, response) => void response.end("page")),
        owns: () => true,
        upgrade: () => undefined,
        warm: async () => undefined,
        schedules: async () => [],
        lifecycle: async () => hooks,
      }),
    },
    { port, nextFreePort: false, host: "127.0.0.1", dataFolder: folder },
  );
}

/** A request that the test answers. */
async function openRequest(
  events: string[],
  hooks: LifecycleHooks,
): Promise<{ server: RunningServer; status: Promise<number>; answer: () => void }> {
  const arrived = Promise.withResolvers<ServerResponse>();
  const handle = (_incoming: IncomingMessage, response: ServerResponse) => arrived.resolve(response);
  const server = await servedWith(hooks, folderOfTest(), { handle });
  const status = fetch(server.url).then(
    (answer) => answer.status,
    () => 0,
  );
  const response = await arrived.promise;
  return {
    server,
    status,
    answer: () => {
      events.push("answered");
      response.end("page");
    },
  };
}

test("onStart has ended when the server begins to listen", async () => {
  const port = await freePort();
  const seen: string[] = [];
  const onStart = async () => {
    await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => seen.push("not listening"));
  };
  const server = await servedWith({ onStart }, folderOfTest(), { port });
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  await server.stop();
  expect(seen).toEqual(["not listening"]);
});

test("an onStart that throws stops the start, and is an event", async () => {
  const folder = folderOfTest();
  const onStart = () => {
    throw new Error("no database");
  };
  await expect(servedWith({ onStart }, folder, { config: { report } })).rejects.toThrow(
    /failed: no database\. .*\[start-failed\]$/s,
  );
  expect(keptDigests(folder)).toHaveLength(1);
});

test("an onStart that takes longer than limits.startSeconds stops the start, and its signal is aborted", async () => {
  const folder = folderOfTest();
  const aborted = Promise.withResolvers<void>();
  const onStart = ({ signal }: { signal: AbortSignal }) =>
    new Promise<void>(() => signal.addEventListener("abort", () => aborted.resolve()));
  const started = servedWith({ onStart }, folder, { config: { report, limits: { startSeconds: 0.05 } } });
  await expect(started).rejects.toThrow(/did not end within 0\.05 s\. .*\[start-too-long\]$/s);
  await aborted.promise;
  expect(keptDigests(folder)).toHaveLength(1);
});

test("a server that cannot listen calls onStop for what onStart has opened", async () => {
  const [events, hooks] = recordingHooks();
  const first = await servedWith({}, folderOfTest());
  await expect(servedWith(hooks, folderOfTest(), { port: first.port })).rejects.toThrow();
  await first.stop();
  expect(events).toEqual(["start", "stop"]);
});

test("onStop begins after the last request", async () => {
  const [events, hooks] = recordingHooks();
  const { server, status, answer } = await openRequest(events, hooks);
  const stopped = server.stop();
  // The port is closed: the server waits for the request only.
  await expect.poll(() => fetch(server.url).catch(() => "refused")).toBe("refused");
  answer();
  expect(await status).toBe(200);
  expect(await stopped).toBe("finished");
  expect(events).toEqual(["start", "answered", "stop"]);
});

test("requests that never end leave a tenth of the shutdown to onStop", async () => {
  const [events, hooks] = recordingHooks();
  const { server, status } = await openRequest(events, {
    ...hooks,
    onStop: async (context) => {
      await hooks.onStop?.(context);
      events.push(context.signal.aborted ? "too late" : "in time");
    },
  });
  expect(await server.stop({ withinMs: 1_000 })).toBe("cut");
  expect(await status).toBe(0);
  expect(events).toEqual(["start", "stop", "in time"]);
});

test("an onStop that throws is an event, and the server ends as usual", async () => {
  const folder = folderOfTest();
  const onStop = () => Promise.reject(new Error("half written"));
  const server = await servedWith({ onStop }, folder, { config: { report } });
  expect(await server.stop()).toBe("finished");
  expect(keptDigests(folder)).toHaveLength(1);
});

test("an onStop that takes too long is named in the log and not waited for", async () => {
  const warnings: string[] = [];
  const errorCaught = () => ({ kind: "unrecorded" as const });
  const deps = { withinMs: 50, signals: { errorCaught }, warn: (sentence: string) => void warnings.push(sentence) };
  expect(await runOnStop({ onStop: () => new Promise(() => undefined) }, deps)).toBe("cut");
  expect(warnings).toEqual(["onStop of src/lifecycle.server.ts did not end in its 0.1 s. It is not waited for."]);
});

function recordingHooks(): [events: string[], hooks: LifecycleHooks] {
  const events: string[] = [];
  return [events, { onStart: () => void events.push("start"), onStop: () => void events.push("stop") }];
}
