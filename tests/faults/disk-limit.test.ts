import { randomBytes } from "node:crypto";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { checkStore } from "../../src/service/check-store.ts";
import { openReader } from "../../src/service/open-reader.ts";
import { leastKeepBytes } from "../../src/service/retention/limits.ts";
import { storedIds } from "../../src/service/stores/filed-examples.ts";
import { everyIssue } from "../../src/service/stores/filter-language.ts";
import { keepProof } from "../kit/keep-proof.ts";
import { dataFolder, RunningService } from "./running-service.ts";

const rounds = process.env.HOLDFAST_TEST_LONG === undefined ? 2 : 40;
const writers = 16;
/** More than the limit, for all rounds together. */
const bytesPerRound = (3 * leastKeepBytes) / 4;

describe("a service that is killed repeatedly while it frees its disk", () => {
  it("never exceeds its limit, loses nothing else, and counts each deletion once", {
    timeout: rounds * 60_000,
  }, async () => {
    using folder = dataFolder();
    writeFileSync(join(folder.path, "settings.json"), JSON.stringify({ keepBytes: leastKeepBytes }));
    const acknowledged: string[] = [];
    /** In flight when the service died: they may be stored or not. */
    const unsure: string[] = [];
    let most = 0;
    let looks = 0;
    for (let round = 0; round < rounds; round += 1) {
      await using service = await RunningService.start(folder.path);
      const watching = setInterval(() => {
        most = Math.max(most, bytesIn(folder.path));
        looks += 1;
      }, 5);
      const enough = acknowledged.length + bytesPerRound / envelopeBytes;
      const write = async (): Promise<void> => {
        while (service.isRunning) {
          const id = newEventId();
          const answer = await service.post("envelope/", anEnvelope(id)).catch(() => undefined);
          if (answer === undefined) unsure.push(id);
          else if (answer.status === 200) acknowledged.push(id);
          else if (answer.status === 429 || answer.status === 503) await wait(20);
          else throw new Error(`An envelope was answered with ${answer.status}.`);
        }
      };
      const writing = Promise.all(Array.from({ length: writers }, write));
      while (acknowledged.length < enough) await wait(5);
      await wait(Math.random() * 500);
      await service.kill();
      clearInterval(watching);
      await writing;
    }
    await using survivor = await RunningService.start(folder.path);
    await survivor.filed();
    await survivor.stop();
    most = Math.max(most, bytesIn(folder.path));
    expect(most).toBeLessThanOrEqual(leastKeepBytes);
    expect(await checkStore(folder.path)).toMatchObject({ findings: [], unfiledBytes: 0 });
    const store = await openReader(folder.path);
    for (const id of acknowledged.slice(-300))
      expect(await store.event(1, id)).toMatchObject({ body: { kind: "whole" } });
    const { issues } = await store.issues({ project: 1, filter: everyIssue, sort: "events", limit: 100 });
    const counted = issues.reduce((sum, { events }) => sum + events, 0);
    const arrived = (await storedIds(store, unsure)).length;
    expect(counted).toBeGreaterThanOrEqual(acknowledged.length + arrived);
    expect(counted).toBeLessThanOrEqual(acknowledged.length + unsure.length);
    const kept = (await storedIds(store, [...acknowledged, ...unsure])).length;
    const gone = (await store.deletions()).find(({ what }) => what === "events")?.n ?? 0;
    expect(gone).toBeGreaterThan(0);
    // Each counted event is stored or counted as deleted, once.
    expect(kept + gone).toBe(counted);
    store.close();
    keepProof("disk-limit", [
      `${rounds} kills while ${writers} clients sent ${acknowledged.length} events of ${envelopeBytes} bytes to a service that may have ${leastKeepBytes}`,
      `bytes on its disk: the folder had ${most} at most, seen ${looks} times. ${gone} events made room, ${kept} were kept, ${counted} are counted.`,
    ]);
  });
});

const envelopeBytes = 8_000;

function anEnvelope(eventId: string): Uint8Array {
  const noise = randomBytes((envelopeBytes * 3) / 4).toString("base64");
  // Twenty kinds of messages: of a single issue, the service keeps only some bodies.
  const message = `too much of ${String.fromCharCode(97 + (Number.parseInt(eventId.slice(0, 4), 16) % 20)).repeat(3)}`;
  return writeEnvelope({ eventId }, [jsonItem("event", { event_id: eventId, message, extra: { noise } })]);
}

/** Sums all files, as `du` does. */
function bytesIn(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const found = entry.isFile() && statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false });
    if (found) bytes += found.size;
  }
  return bytes;
}
