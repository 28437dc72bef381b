import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { openSqliteReader } from "../../src/service/stores/sqlite/open-sqlite-store.ts";
import type { StoreReader } from "../../src/service/stores/store.ts";
import { keepProof } from "../kit/keep-proof.ts";
import { ManyWriters } from "./many-writers.ts";
import { dataFolder, RunningService } from "./running-service.ts";

/** Two of each kind. Chance differs in each run. */
const rounds = process.env.HOLDFAST_TEST_LONG === undefined ? 4 : 100;
const writers = 32;

describe("files attached to events", () => {
  it("files attached to events are filed once after a kill, also if their events are sent again", {
    timeout: 120_000,
  }, async () => {
    using folder = dataFolder();
    const sent = new Map<string, Uint8Array>();
    const anEnvelope = (): { eventId: string; bytes: Uint8Array; envelope: Uint8Array } => {
      const eventId = newEventId();
      const bytes = randomBytes(20_000);
      const file = { header: { type: "attachment", filename: "a.bin" }, payload: bytes };
      const event = jsonItem("event", { event_id: eventId, message: "with a file" });
      return { eventId, bytes, envelope: writeEnvelope({ eventId }, [event, file]) };
    };
    const again: Uint8Array[] = [];
    for (let round = 0; round < 3; round += 1) {
      await using service = await RunningService.start(folder.path);
      for (const envelope of again.splice(0)) await service.deliver(envelope);
      const sending = Array.from({ length: 100 }, async (_, n) => {
        const { eventId, bytes, envelope } = anEnvelope();
        await service.deliver(envelope);
        sent.set(eventId, bytes);
        if (n % 10 === 0) again.push(envelope);
      });
      const ended = Promise.allSettled(sending);
      await Promise.all(sending.slice(0, 50));
      await service.kill();
      await ended;
    }
    await using survivor = await RunningService.start(folder.path);
    await survivor.filed();
    await survivor.stop();
    using store = disposable(openSqliteReader({ folder: join(folder.path, "store") }));
    expect(sent.size).toBeGreaterThanOrEqual(150);
    for (const [eventId, bytes] of sent) {
      const [file, ...others] = await store.reader.attachmentsOf(1, eventId);
      expect(others).toEqual([]);
      const found = await store.reader.attachment(1, eventId, file?.id ?? 0);
      expect(Buffer.from(found?.bytes ?? []).equals(bytes)).toBe(true);
    }
  });

  function disposable(reader: StoreReader): { reader: StoreReader; [Symbol.dispose](): void } {
    return { reader, [Symbol.dispose]: () => reader.close() };
  }
});

describe("a service that is killed repeatedly while 32 clients send", () => {
  it(`has everything it acknowledged once, after ${rounds} kills`, { timeout: 60_000 + rounds * 15_000 }, async () => {
    using folder = dataFolder();
    const clients = new ManyWriters();
    for (let round = 0; round < rounds; round += 1) {
      await using service = await RunningService.start(folder.path);
      const sending = clients.sendUntilDead(service, writers);
      // Every other round is killed at any moment, also before the first response. The others are killed when much was
      // acknowledged, on any machine.
      if (round % 2 === 1) await clients.acknowledgedMore(writers);
      await wait(30 + Math.random() * 370);
      await service.kill();
      await sending;
    }
    expect(clients.acknowledged.size).toBeGreaterThanOrEqual((rounds / 2) * writers);
    await using survivor = await RunningService.start(folder.path);
    await survivor.filed();
    await survivor.stop();
    await clients.expectOnceEachIn(folder.path);
    keepProof("killed-service", [
      `${rounds} kills under ${writers} writers: ${clients.told}, none missing, none twice, every counter equal to its rows.`,
    ]);
  });
});
