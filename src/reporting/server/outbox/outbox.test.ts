import { appendFileSync, globSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from "node:fs";
import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { DeliveryResult } from "../../delivery.ts";
import { type ReportingLimits, reportingLimits } from "../../limits.ts";
import { LossCounter } from "../../loss-counter.ts";
import { Deliveries } from "./deliveries.ts";
import { Outbox, type OutboxOptions } from "./outbox.ts";

describe("an outbox", () => {
  test("returns the envelopes that it held when the process ended, in order", async () => {
    const folder = temporaryFolder();
    const first = outboxIn(folder);
    for (const text of ["a", "b", "c"]) await keep(first, text);
    const second = outboxIn(folder);
    expect(await textsIn(second)).toEqual(["a", "b", "c"]);
  });

  test("does not return delivered envelopes again", async () => {
    const folder = temporaryFolder();
    const outbox = outboxIn(folder);
    for (const text of ["a", "b", "c"]) await keep(outbox, text);
    const [first] = outbox.take("errors", 1);
    if (first) outbox.remove("errors", first);
    await expect.poll(() => textsIn(outboxIn(folder))).toEqual(["b", "c"]);
  });

  test("keeps all envelopes after one that was delivered while its file was being opened", async () => {
    const folder = temporaryFolder();
    const outbox = outboxIn(folder);
    const first = keep(outbox, "delivered at once, before there was a file");
    for (const queued of outbox.take("errors", 1)) outbox.remove("errors", queued);
    await Promise.all([first, keep(outbox, "b"), keep(outbox, "c")]);
    expect(await textsIn(outboxIn(folder))).toEqual(["b", "c"]);
  });

  test("loses nothing when the process ends while an envelope is being stored", async () => {
    const folder = temporaryFolder();
    const outbox = outboxIn(folder);
    await keep(outbox, "on disk before");
    void keep(outbox, "a");
    keepTrace(outbox, "b");
    outbox.flushNow();
    const after = outboxIn(folder);
    expect(await textsIn(after)).toEqual(["on disk before", "a"]);
    expect(after.length).toBe(3);
  });

  test("leaves no file when all is delivered", async () => {
    const folder = temporaryFolder();
    const outbox = outboxIn(folder);
    for (const text of ["a", "b"]) await keep(outbox, text);
    for (const queued of outbox.take("errors", 10)) outbox.remove("errors", queued);
    await outbox.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("skips an incomplete end of a file, and keeps the rest", async () => {
    const folder = temporaryFolder();
    const outbox = outboxIn(folder);
    for (const text of ["a", "b"]) await keep(outbox, text);
    const [file = ""] = globSync("errors-*", { cwd: folder });
    truncateSync(join(folder, file), statSync(join(folder, file)).size - 1);
    expect(await textsIn(outboxIn(folder))).toEqual(["a"]);
    appendFileSync(join(folder, file), Buffer.alloc(100, 255));
    expect(await textsIn(outboxIn(folder))).toEqual(["a"]);
  });

  test("never writes a trace that was delivered at once", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const folder = temporaryFolder();
    const outbox = outboxIn(folder, { spillMs: 20 });
    keepTrace(outbox, "a");
    for (const queued of outbox.take("rest", 10)) outbox.remove("rest", queued);
    vi.advanceTimersByTime(20);
    await diskTurns(folder);
    expect(readdirSync(folder)).toEqual([]);
    keepTrace(outbox, "b");
    vi.advanceTimersByTime(20);
    await expect.poll(() => readdirSync(folder).length).toBe(1);
  });

  test("an outbox does not write a new trace together with older ones", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const folder = temporaryFolder();
    const outbox = outboxIn(folder, { spillMs: 20 });
    const deliver = (count: number): void => {
      for (const queued of outbox.take("rest", count)) outbox.remove("rest", queued);
    };
    keepTrace(outbox, "a");
    vi.advanceTimersByTime(19);
    deliver(1);
    keepTrace(outbox, "b");
    vi.advanceTimersByTime(9);
    await diskTurns(folder);
    expect(readdirSync(folder)).toEqual([]);
    deliver(1);
    await outbox.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("is limited: old traces make room for errors, and when only errors are left the newest is refused", async () => {
    const losses = new LossCounter();
    const outbox = outboxIn(temporaryFolder(), { outboxBytes: 1_000 }, { losses: losses });
    for (let at = 0; at < 10; at++) keepTrace(outbox, "x".repeat(80));
    const kept = Array.from({ length: 12 }, () => outbox.keep("errors", "error", bytesOf("y".repeat(80))).kind);
    expect(kept.filter((kind) => kind === "kept")).toHaveLength(10);
    expect(kept.slice(-2)).toEqual(["full", "full"]);
    expect(losses.take(0)).toMatchObject({
      discarded_events: [
        { reason: "cache_overflow", category: "transaction", quantity: 10 },
        { reason: "cache_overflow", category: "error", quantity: 2 },
      ],
    });
  });

  test("drops envelopes after a day", async () => {
    let nowMs = 0;
    const losses = new LossCounter();
    const outbox = outboxIn(temporaryFolder(), {}, { losses: losses, now: () => nowMs });
    await keep(outbox, "old");
    nowMs = reportingLimits.outboxAgeMs;
    await keep(outbox, "young");
    expect(outbox.take("errors", 10)).toHaveLength(2);
    nowMs++;
    expect(await textsIn(outbox)).toEqual([]);
  });

  test("holds little in memory and reads the rest from disk", async () => {
    const outbox = outboxIn(temporaryFolder(), { memoryBytes: 1_000 });
    for (let at = 0; at < 50; at++) await keep(outbox, `${at} ${"z".repeat(100)}`);
    const texts = await textsIn(outbox);
    expect(texts.map((text) => Number(text.split(" ")[0]))).toEqual(Array.from({ length: 50 }, (_, at) => at));
  });

  test("continues in memory when the disk fails, and makes no caller wait", async () => {
    const folder = temporaryFolder();
    const refusals: unknown[] = [];
    const outbox = outboxIn(folder, { spillMs: 10 }, { diskFailed: (why) => refusals.push(why) });
    rmSync(folder, { recursive: true });
    await keep(outbox, "a");
    expect(refusals).not.toHaveLength(0);
    expect(await textsIn(outbox)).toEqual(["a"]);
  });
});

describe("deliveries", () => {
  test("send everything once the service is back, in order and once", async () => {
    const service = new FlakyService();
    service.answer = { kind: "later", why: "down" };
    const outbox = outboxIn(temporaryFolder());
    const deliveries = deliveriesOf(outbox, service, { retryMs: [5] });
    for (let at = 0; at < 30; at++) await keep(outbox, String(at));
    await expect.poll(() => service.refused).toBeGreaterThan(2);
    expect(service.taken).toEqual([]);
    service.answer = { kind: "taken" };
    await service.until(30);
    expect(service.taken).toEqual(Array.from({ length: 30 }, (_, at) => String(at)));
    await deliveries.stop(100);
    expect(outbox.length).toBe(0);
  });

  test("gather traces that come one by one, and let no error wait for them", async () => {
    const service = new FlakyService();
    const atOnce: number[] = [];
    service.waited = () => atOnce.push(service.underWay);
    const outbox = outboxIn(temporaryFolder());
    const deliveries = deliveriesOf(outbox, service, { gatherMs: 60_000 });
    for (const trace of ["a", "b", "c"]) {
      keepTrace(outbox, trace);
      await wait(1);
    }
    await keep(outbox, "error");
    await service.until(1);
    expect(service.taken).toEqual(["error"]);
    atOnce.length = 0;
    // A server that stops does not wait for more.
    await deliveries.stop(5_000);
    expect(service.taken).toEqual(["error", "a", "b", "c"]);
    expect(atOnce).toEqual([3, 2, 1]);
  });

  test("keep errors during a rate limit, and drop traces", async () => {
    let nowMs = 0;
    const losses = new LossCounter();
    const service = new FlakyService();
    service.answer = { kind: "taken", limits: [{ seconds: 60, categories: ["error", "transaction"] }] };
    const folder = temporaryFolder();
    const outbox = outboxIn(folder, {}, { losses: losses, now: () => nowMs });
    const deliveries = deliveriesOf(outbox, service, { retryMs: [5] }, { losses: losses, now: () => nowMs });
    await keep(outbox, "first");
    await service.until(1);
    service.answer = { kind: "taken" };
    keepTrace(outbox, "trace");
    await keep(outbox, "second");
    await expect.poll(() => outbox.length).toBe(1);
    await diskTurns(folder);
    expect(service).toMatchObject({ underWay: 0, taken: ["first"] });
    expect(losses.take(0)).toMatchObject({
      discarded_events: [{ reason: "ratelimit_backoff", category: "transaction", quantity: 1 }],
    });
    await deliveries.stop(1);
    nowMs = 61_000;
    deliveriesOf(outbox, service, { retryMs: [5] }, { losses: losses, now: () => nowMs });
    await service.until(2);
    expect(service.taken).toEqual(["first", "second"]);
  });

  test("deliveries are few at a time while the service is slow, and many again when it is fast", async () => {
    let nowMs = 0;
    const service = new FlakyService();
    const outbox = outboxIn(temporaryFolder(), {}, { now: () => nowMs });
    for (let at = 0; at < 40; at++) await keep(outbox, String(at));
    const deliveriesAtOnce = { quick: 10, slow: 2, away: 1 };
    const atOnce: number[] = [];
    service.waited = () => {
      if (service.taken.length < 14) nowMs += reportingLimits.slowMs;
      atOnce.push(service.underWay);
    };
    deliveriesOf(outbox, service, { deliveriesAtOnce }, { now: () => nowMs });
    await service.until(40);
    const roundOf = (size: number): number[] => Array.from({ length: size }, (_, at) => size - at);
    expect(atOnce).toEqual([10, 2, 2, 2, 10, 10, 4].flatMap(roundOf));
  });

  test("drop envelopes that are refused permanently, and count them", async () => {
    const losses = new LossCounter();
    const service = new FlakyService();
    service.answer = { kind: "refused", why: "answered 413" };
    const outbox = outboxIn(temporaryFolder());
    deliveriesOf(outbox, service, {}, { losses: losses });
    await keep(outbox, "a");
    await expect.poll(() => outbox.length).toBe(0);
    expect(losses.take(0)).toMatchObject({ discarded_events: [{ reason: "send_error", quantity: 1 }] });
  });

  test("correct the time of sending by the wait", async () => {
    let nowMs = 1_000_000;
    const service = new FlakyService();
    const outbox = outboxIn(temporaryFolder(), {}, { now: () => nowMs });
    await keep(outbox, `${JSON.stringify({ sent_at: new Date(nowMs).toISOString() })}\n{}`);
    nowMs += 3_600_000;
    deliveriesOf(outbox, service, {}, { now: () => nowMs });
    await service.until(1);
    expect(service.taken).toEqual([`${JSON.stringify({ sent_at: new Date(nowMs).toISOString() })}\n{}`]);
  });
});

class FlakyService {
  answer: DeliveryResult = { kind: "taken" };
  readonly taken: string[] = [];
  refused = 0;
  underWay = 0;
  waited: () => void = () => undefined;

  deliver = async (envelope: Uint8Array): Promise<DeliveryResult> => {
    const { answer } = this;
    this.underWay++;
    await wait(1);
    this.waited();
    this.underWay--;
    if (answer.kind === "taken") this.taken.push(new TextDecoder().decode(envelope));
    else this.refused++;
    return answer;
  };

  async until(count: number): Promise<void> {
    await expect.poll(() => this.taken.length).toBe(count);
  }
}

function outboxIn(folder: string, limits: Partial<ReportingLimits> = {}, more: Partial<OutboxOptions> = {}): Outbox {
  const outbox = new Outbox({
    folder,
    limits: { ...reportingLimits, ...limits },
    losses: new LossCounter(),
    now: Date.now,
    diskFailed: (why) => {
      throw why;
    },
    ...more,
  });
  onTestFinished(() => outbox.close());
  return outbox;
}

function deliveriesOf(
  outbox: Outbox,
  service: FlakyService,
  limits: Partial<ReportingLimits> = {},
  more: { losses?: LossCounter; now?: () => number } = {},
): Deliveries {
  const deliveries = new Deliveries({
    outbox,
    deliver: service.deliver,
    limits: { ...reportingLimits, ...limits },
    losses: new LossCounter(),
    now: Date.now,
    changed: () => undefined,
    ...more,
  });
  onTestFinished(() => deliveries.stop(10));
  return deliveries;
}

async function keep(outbox: Outbox, text: string): Promise<void> {
  const kept = outbox.keep("errors", "error", bytesOf(text));
  if (kept.kind === "kept") await kept.durable;
}

function keepTrace(outbox: Outbox, text: string): void {
  outbox.keep("rest", "transaction", bytesOf(text));
}

/** Enough time for a write, if there was one. */
async function diskTurns(folder: string): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await stat(folder);
}

async function textsIn(outbox: Outbox): Promise<string[]> {
  const texts: string[] = [];
  for (const queued of outbox.take("errors", 1_000)) {
    texts.push(new TextDecoder().decode(await outbox.read("errors", queued)));
    outbox.requeue("errors", queued);
  }
  return texts;
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-outbox-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
