import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { type HandlerOptions, type LifecycleHooks, OpenStreams, RunningActions, serverLimits } from "#pages";
import { silentServerSignals } from "#signals";
import { SourceVersions } from "./source-versions.ts";

const context = { signal: new AbortController().signal };

/** Sources whose server entry the test changes. */
class Sources {
  readonly events: string[] = [];
  readonly requests: PromiseWithResolvers<void>[] = [];
  readonly streams = new OpenStreams(serverLimits, () => "127.0.0.1");
  #module: Record<string, unknown> = {};
  readonly versions = new SourceVersions({
    root: ".",
    handlerOptions: {
      signals: silentServerSignals,
      after: new RunningActions(),
      streams: this.streams,
    } as HandlerOptions,
    serverModule: async () => this.#module,
    startMs: 1_000,
    stopMs: 1_000,
    warn: () => undefined,
  });

  change(name: string, hooks: LifecycleHooks = {}): void {
    const recorded: LifecycleHooks = {
      onStart: (given) => {
        this.events.push(`start ${name}`);
        return hooks.onStart?.(given);
      },
      onStop: () => void this.events.push(`stop ${name}`),
    };
    const handle = () => {
      const request = Promise.withResolvers<void>();
      this.requests.push(request);
      return request.promise;
    };
    this.#module = { createHandler: () => ({ build: name, handle, lifecycle: async () => recorded }) };
  }

  async request(): Promise<void> {
    await (await this.versions.newest()).handle({} as IncomingMessage, {} as ServerResponse);
  }
}

test("after a change the old version stops, then the new one starts, once for all requests", async () => {
  const sources = new Sources();
  sources.change("first");
  await Promise.all([sources.versions.newest(), sources.versions.newest()]);
  sources.change("second");
  await Promise.all([sources.versions.newest(), sources.versions.newest()]);
  await sources.versions.stop(context);
  expect(sources.events).toEqual(["start first", "stop first", "start second", "stop second"]);
});

test("a change ends the streams of the old version, and its clients reconnect to the new one", async () => {
  const sources = new Sources();
  const open = () => {
    const stream = { end: (why: string) => void sources.events.push(why), cut: () => undefined };
    return sources.streams.add({} as IncomingMessage, stream);
  };
  sources.change("first");
  await sources.versions.newest();
  open();
  sources.change("second");
  await sources.versions.newest();
  expect(sources.events).toEqual(["start first", "changed", "stop first", "start second"]);
  expect(open()).toBeDefined();
  await sources.versions.stop(context);
});

test("the old version stops after its requests", async () => {
  const sources = new Sources();
  sources.change("first");
  const old = sources.request();
  await expect.poll(() => sources.requests.length).toBe(1);
  sources.change("second");
  const newest = sources.versions.newest();
  sources.events.push("old request ends");
  sources.requests[0]?.resolve();
  await Promise.all([old, newest]);
  expect(sources.events).toEqual(["start first", "old request ends", "stop first", "start second"]);
});

test("a request that does not end delays a change for a moment only", async () => {
  const sources = new Sources();
  sources.change("first");
  void sources.request();
  await expect.poll(() => sources.requests.length).toBe(1);
  sources.change("second");
  await sources.versions.newest();
  expect(sources.events).toEqual(["start first", "stop first", "start second"]);
});

test("a start that failed is tried again by the next request, and has nothing to stop", async () => {
  const sources = new Sources();
  let isDatabaseUp = false;
  sources.change("first", {
    onStart: () => {
      if (!isDatabaseUp) throw new Error("no database");
    },
  });
  await expect(sources.versions.newest()).rejects.toThrow(/no database/);
  await sources.versions.stop(context);
  isDatabaseUp = true;
  await sources.versions.newest();
  expect(sources.events).toEqual(["start first", "start first"]);
});
