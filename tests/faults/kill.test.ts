import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { keepProof } from "../kit/keep-proof.ts";
import { ManyWriters } from "./many-writers.ts";
import { dataFolder, RunningService } from "./running-service.ts";

const rounds = process.env.HOLDFAST_TEST_LONG === undefined ? 10 : 100;
const writers = 32;

describe("a service that is killed repeatedly while 32 clients send", () => {
  it(`has everything it acknowledged once, after ${rounds} kills`, { timeout: rounds * 15_000 }, async () => {
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
