import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { openService } from "#service";
import { storeFinding, usualMs } from "./store-finding.ts";

const folder = mkdtempSync(join(tmpdir(), "holdfast-doctor-"));
const said: string[] = [];

beforeAll(async () => {
  const service = await openService({ dataFolder: folder });
  for (let sent = 0; sent < 500; sent++) {
    const eventId = newEventId();
    const event = { event_id: eventId, exception: { values: [{ type: "Error", value: `boom ${sent % 7}` }] } };
    await service.accept(1, writeEnvelope({ eventId }, [jsonItem("event", event)]));
  }
  await service.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Uses a clock that advances by a fixed step at each reading. */
function examined(thorough: boolean, stepMs: number): ReturnType<typeof storeFinding> {
  let at = 0;
  said.length = 0;
  const now = (): number => {
    at += stepMs;
    return at;
  };
  return storeFinding(folder, { thorough, now, progress: (sentence) => said.push(sentence) });
}

describe("the doctor's check of the store", () => {
  test("reports how many events it has checked", async () => {
    expect(await examined(false, 1)).toMatchObject({
      kind: "good",
      message: expect.stringMatching(/^\d weeks?, .* MB, no damage found in all 500 events\.$/),
    });
  });

  test("stops when its time is up, and reports that there is more", async () => {
    expect(await examined(false, usualMs / 2)).toMatchObject({
      kind: "good",
      message: expect.stringContaining("in 200 of 500 events. Look at the others with --thorough."),
    });
  });

  test("a thorough check takes its time, and reports its progress", async () => {
    expect(await examined(true, usualMs)).toMatchObject({
      kind: "good",
      message: expect.stringContaining("all 500 events"),
    });
    expect(said).toContain("200 of 500 events looked at.");
  });

  test.each([false, true])(
    "finds events whose bytes the disk has changed, and counts them (thorough: %s)",
    async (thorough) => {
      damageOnce();
      expect(await examined(thorough, 1)).toMatchObject({
        kind: "bad",
        message: expect.stringMatching(/: \d+ event bodies are damaged\. Looked at: all 500 events\.$/),
      });
    },
  );
});

let isDamaged = false;
function damageOnce(): void {
  if (isDamaged) return;
  isDamaged = true;
  for (const name of readdirSync(join(folder, "store")).filter((one) => /^events-.*\.db$/.test(one))) {
    const week = new DatabaseSync(join(folder, "store", name));
    for (const { id, packed } of week.prepare("SELECT id, packed FROM body_block").all()) {
      const bytes = Buffer.from(packed as Uint8Array);
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
      week.prepare("UPDATE body_block SET packed = ? WHERE id = ?").run(bytes, id as number);
    }
    week.close();
  }
}
