import { get, type IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { Refusals } from "#bounds";
import { events } from "../author/events.ts";
import type { EventsContext, ServerEvent } from "../author/visit-scope.ts";
import { type TestApplication, type TestFiles, testApplication } from "../test-application.ts";
import { OpenStreams } from "./open-streams.ts";

type Source = (context: EventsContext) => AsyncGenerator<ServerEvent>;

/** The route `/news` with this source of events. */
function news(source: Source): TestFiles {
  const respond = () => events(source);
  return { "news.server.ts": { GET: respond } };
}

interface Reader {
  response: IncomingMessage;
  /** Everything that has arrived. */
  text: () => string;
  isEnded: () => boolean;
}

async function read(app: TestApplication, headers: Record<string, string> = {}): Promise<Reader> {
  const request = get({ host: "127.0.0.1", port: app.port, path: "/news", headers, agent: false });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.on("response", resolve).on("error", reject);
  });
  let text = "";
  let isEnded = false;
  response.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  response
    .on("error", () => undefined)
    .on("close", () => {
      isEnded = true;
    });
  return { response, text: () => text, isEnded: () => isEnded };
}

/** Resolves when the signal is aborted. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

test("events arrive as JSON with id and name, after a time to reconnect that differs from client to client", async () => {
  await using app = await testApplication(
    news(async function* () {
      yield { data: { text: "two\nlines" }, id: 7 };
      yield { data: undefined, event: "sold" };
    }),
  );
  const answers = await Promise.all(Array.from({ length: 8 }, () => app.ask("/news")));
  expect(answers[0]?.headers).toMatchObject({
    "content-type": "text/event-stream",
    "cache-control": "private, no-store, no-transform",
    "x-accel-buffering": "no",
    "x-content-type-options": "nosniff",
  });
  const [first = "", ...rest] = (answers[0]?.text ?? "").split("\n\n");
  expect(rest).toEqual([`id: 7\ndata: {"text":"two\\nlines"}`, "event: sold\ndata: null", ""]);
  const times = answers.map(({ text }) => Number(/^retry: (\d+)\n/.exec(text)?.[1]));
  expect(times.every((ms) => ms >= 1_000 && ms <= 3_000)).toBe(true);
  expect(new Set(times).size).toBeGreaterThan(1);
  expect(first).toMatch(/^retry: /);
});

test("a browser that reconnects says which event it had last", async () => {
  await using app = await testApplication(
    news(async function* ({ lastEventId }) {
      yield { data: lastEventId ?? "none" };
    }),
  );
  expect((await app.ask("/news")).text).toContain('data: "none"');
  expect((await app.ask("/news", { headers: { "last-event-id": "41" } })).text).toContain('data: "41"');
});

test("a heartbeat is sent while there is no event, and no event is lost by it", async () => {
  const { promise: go, resolve } = Promise.withResolvers<void>();
  await using app = await testApplication(
    news(async function* () {
      await go;
      yield { data: "late" };
    }),
    { limits: { eventHeartbeatMs: 10 } },
  );
  const reader = await read(app);
  await expect.poll(() => reader.text().split(":\n\n").length).toBeGreaterThan(3);
  resolve();
  await expect.poll(reader.isEnded).toBe(true);
  expect(reader.text().match(/late/g)).toHaveLength(1);
});

test("the next event is asked for when the client has taken the last one", async () => {
  let made = 0;
  await using app = await testApplication(
    news(async function* () {
      for (; made < 100_000; made++) yield { data: "x".repeat(10_000) };
    }),
  );
  const reader = await read(app);
  reader.response.pause();
  // The kernel takes some megabytes; then nothing moves, though a gigabyte is there.
  let before = -1;
  await expect
    .poll(
      () => {
        const isStill = made > 0 && made === before;
        before = made;
        return isStill;
      },
      { interval: 200 },
    )
    .toBe(true);
  expect(made).toBeLessThan(5_000);
  reader.response.destroy();
  await expect.poll(() => app.streams.count).toBe(0);
});

test("a client that leaves ends the source, and what the source throws then is recorded with the route", async () => {
  let hasEnded = false;
  await using app = await testApplication(
    news(async function* ({ signal }) {
      try {
        yield { data: 1 };
        await aborted(signal);
      } finally {
        hasEnded = true;
        // biome-ignore lint/correctness/noUnsafeFinally: what a source throws on its way out is the subject.
        throw new Error("the table could not be closed");
      }
    }),
  );
  const reader = await read(app);
  await expect.poll(reader.text).toContain("data: 1");
  expect(app.streams.count).toBe(1);
  reader.response.destroy();
  await expect.poll(() => hasEnded).toBe(true);
  await expect
    .poll(() => app.recorded.map(({ error, place }) => [String(error), place.route]))
    .toEqual([["Error: the table could not be closed", "/news"]]);
  expect(app.streams.count).toBe(0);
});

test("an error of the source is recorded with the route and ends the stream; the browser waits longer then", async () => {
  await using app = await testApplication(
    news(async function* () {
      yield { data: 1 };
      throw new Error("no orders");
    }),
  );
  const { text } = await app.ask("/news");
  const [, first, last] = text.split("\n\n");
  expect(first).toBe("data: 1");
  expect(Number(/^retry: (\d+)$/.exec(last ?? "")?.[1])).toBeGreaterThanOrEqual(10_000);
  expect(app.recorded.map(({ error, place }) => [String(error), place.route, place.during])).toEqual([
    ["Error: no orders", "/news", "api"],
  ]);
  expect(app.streams.count).toBe(0);
});

test("a stream ends in order when the process stops, and none begins after that", async () => {
  let signalOf: AbortSignal | undefined;
  await using app = await testApplication(
    news(async function* ({ signal }) {
      signalOf = signal;
      yield { data: 1 };
      await aborted(signal);
    }),
  );
  const reader = await read(app);
  await expect.poll(reader.text).toContain("data: 1");
  app.streams.endAll("stopping");
  await app.streams.idle();
  await expect.poll(reader.isEnded).toBe(true);
  expect([reader.response.complete, signalOf?.aborted]).toEqual([true, true]);
  const next = await app.ask("/news");
  expect([next.status, next.text]).toEqual([200, expect.stringMatching(/^retry: \d+\n\n$/)]);
  expect(app.recorded).toEqual([]);
});

test("a source that ignores its signal does not keep the stream open", async () => {
  await using app = await testApplication(
    news(async function* () {
      yield { data: 1 };
      await new Promise(() => undefined);
    }),
  );
  const reader = await read(app);
  await expect.poll(reader.text).toContain("data: 1");
  app.streams.endAll("stopping");
  await expect.poll(reader.isEnded).toBe(true);
  expect(reader.response.complete).toBe(true);
});

test("streams over the limit are counted and told to come again, because a browser gives up on any other status", async () => {
  const refusals = new Refusals();
  await using app = await testApplication(
    news(async function* ({ signal }) {
      yield { data: 1 };
      await aborted(signal);
    }),
    { limits: { streamsAtOnce: 2 }, refusals },
  );
  const readers = [await read(app), await read(app)];
  await expect.poll(() => readers.map((reader) => reader.text().includes("data"))).toEqual([true, true]);
  const third = await app.ask("/news");
  expect([third.status, third.headers["content-type"]]).toEqual([200, "text/event-stream"]);
  expect(Number(/^retry: (\d+)\n\n$/.exec(third.text)?.[1])).toBeGreaterThanOrEqual(10_000);
  expect(refusals.totals.get("streams")).toBe(1);
  readers[0]?.response.destroy();
  await expect.poll(() => app.streams.count).toBe(1);
  expect((await read(app)).response.statusCode).toBe(200);
});

test("one client has a share of the streams", async () => {
  const refusals = new Refusals();
  const limits = { streamsAtOnce: 100, streamsPerClient: 2 };
  const streams = new OpenStreams(limits, (incoming) => String(incoming), refusals);
  const from = (address: string) => streams.add(address as never, { end: () => undefined, cut: () => undefined });
  const leave = from("192.0.2.1");
  expect([from("192.0.2.1"), from("192.0.2.1"), from("192.0.2.2")].map((one) => one !== undefined)).toEqual([
    true,
    false,
    true,
  ]);
  leave?.();
  leave?.();
  expect([from("192.0.2.1"), from("192.0.2.1")].map((one) => one !== undefined)).toEqual([true, false]);
  expect([streams.count, refusals.totals.get("streams")]).toEqual([3, 2]);
});

test("an event that cannot be sent is an error that says why", async () => {
  const wrong: ServerEvent[] = [{ data: "x".repeat(1_001) }, { data: 1, id: "7\ndata: 8" }, { data: 1, event: "\r" }];
  for (const event of wrong) {
    await using app = await testApplication(
      news(async function* () {
        yield event;
      }),
      { limits: { messageBytes: 1_000 } },
    );
    expect((await app.ask("/news")).text).not.toContain("data");
    expect(app.recorded.map(({ error }) => (error as { code?: string }).code)).toEqual([
      event === wrong[0] ? "message-too-large" : "wrong-event-field",
    ]);
  }
});

test("events outside of a request says where it belongs", () => {
  expect(() =>
    events(async function* () {
      yield { data: 1 };
    }),
  ).toThrow("events was called where no request is being handled.");
});
