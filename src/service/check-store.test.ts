import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { checkStore } from "./check-store.ts";
import { systemClock } from "./clock.ts";
import { folderDisk } from "./journal/disk.ts";
import { Journal } from "./journal/journal.ts";
import { openReader } from "./open-reader.ts";
import { openService } from "./open-service.ts";

describe("checking a data folder", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-check-"));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it("reports that nothing was filed yet", async () => {
    expect(await checkStore(folder)).toEqual({ kind: "absent" });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("finds nothing wrong while the service runs, nor after it", async () => {
    const service = await openService({ dataFolder: folder });
    for (let sent = 0; sent < 20; sent += 1) await service.accept(1, anEnvelope());
    await service.drained();
    const good = { kind: "checked", findings: [], weeks: 1, unfiledBytes: 0 };
    expect(await checkStore(folder)).toMatchObject({ ...good, events: { read: 20, of: 20 } });
    await service.close();
    expect(await checkStore(folder, "quick")).toMatchObject({ ...good, events: { read: 0, of: 0 } });
  });

  it("counts events whose bytes were changed, which a quick check does not see", async () => {
    await serviceWith(60);
    damageEvents();
    expect(await checkStore(folder, "quick")).toMatchObject({ findings: [] });
    for (const depth of ["bodies", "thorough"] as const)
      expect(await checkStore(folder, depth)).toMatchObject({
        findings: [expect.stringMatching(/: \d+ event bodies are damaged\./)],
        events: { read: 60, of: 60 },
      });
  });

  it("skips the rest when it is stopped, and reports how much it checked", async () => {
    await serviceWith(500);
    const asked: number[] = [];
    const check = await checkStore(folder, "bodies", ({ events }) => asked.push(events) < 3);
    expect(asked).toEqual([0, 200, 400]);
    expect(check).toMatchObject({ findings: [], events: { read: 400, of: 500 } });
  });

  it.each([
    ["in the first hour of a week", Date.UTC(2026, 10, 16, 0, 30)],
    ["in the middle of a week", Date.UTC(2026, 10, 18, 12)],
  ])("names a counter that differs from its rows, and an issue that differs from its groups, %s", async (_, now) => {
    await serviceWith(3, { now: () => now, elapsed: () => performance.now() });
    // In the first hour of a week, rows of the previous week may be missing legitimately. This one therefore begins two
    // hours later.
    changeMeta("UPDATE issue_group SET events = 4, first_seen = first_seen + 7200000; UPDATE issue SET events = 5");
    expect(await findings()).toEqual([
      expect.stringMatching(/group \d+ counts 4 events, and there are 3/),
      expect.stringContaining("issue 1 of project 1 counts 5 events, its groups 4"),
    ]);
  });

  it("names a segment of the journal with a damaged record, and not the unfinished end of the last", async () => {
    await serviceWith(3);
    await acceptUnfiled(3);
    const [name = ""] = readdirSync(join(folder, "journal"));
    const file = join(folder, "journal", name);
    const whole = readFileSync(file);
    writeFileSync(file, whole.subarray(0, -5));
    expect(await findings()).toEqual([]);
    whole[40] = (whole[40] ?? 0) ^ 1;
    writeFileSync(file, whole);
    expect(await findings()).toEqual([expect.stringMatching(/\.journal: \d+ bytes hold no undamaged record/)]);
  });

  it("reports data that was accepted and is not filed", async () => {
    await serviceWith(3);
    await acceptUnfiled(3);
    const check = await checkStore(folder);
    expect(check).toMatchObject({ findings: [] });
    expect(check.kind === "checked" && check.unfiledBytes).toBeGreaterThan(300);
  });

  async function serviceWith(events: number, clock = systemClock): Promise<void> {
    const service = await openService({ dataFolder: folder, clock });
    for (let sent = 0; sent < events; sent += 1) await service.accept(1, anEnvelope());
    await service.close();
  }

  /** Leaves the folder like a service that was killed after it had accepted events. */
  async function acceptUnfiled(events: number): Promise<void> {
    const store = await openReader(folder);
    const journal = await Journal.open({
      disk: folderDisk(join(folder, "journal")),
      startAt: await store.countedUpTo(),
    });
    store.close();
    for (let sent = 0; sent < events; sent += 1)
      await journal.append({ project: 1, receivedMs: Date.now(), bytes: anEnvelope() });
    await journal.close();
  }

  function damageEvents(): void {
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

  function changeMeta(sql: string): void {
    const meta = new DatabaseSync(join(folder, "store", "meta.db"));
    meta.exec(sql);
    meta.close();
  }

  async function findings(): Promise<unknown> {
    const check = await checkStore(folder);
    return check.kind === "checked" ? check.findings : check.kind;
  }
});

function anEnvelope(): Uint8Array {
  const eventId = newEventId();
  return writeEnvelope({ eventId }, [
    jsonItem("event", { event_id: eventId, exception: { values: [{ type: "Error", value: "boom" }] } }),
  ]);
}
