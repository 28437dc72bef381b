import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { checkStore } from "./check-store.ts";
import { openService } from "./open-service.ts";

describe("checking a data folder", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-check-"));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it("says that nothing was filed yet", () => {
    expect(checkStore(folder)).toEqual({ kind: "absent" });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("finds nothing wrong while the service runs, nor after it", async () => {
    const service = await openService({ dataFolder: folder });
    for (let sent = 0; sent < 20; sent += 1) await service.accept(1, anEnvelope());
    await service.drained();
    const good = { kind: "checked", findings: [], weeks: 1, unfiledBytes: 0 };
    expect(checkStore(folder)).toMatchObject(good);
    await service.close();
    expect(checkStore(folder, "quick")).toMatchObject(good);
  });

  it("names a counter that differs from its rows, and an issue that differs from its groups", async () => {
    await serviceWith(3);
    changeMeta("UPDATE issue_group SET events = 4; UPDATE issue SET events = 5");
    expect(findings()).toEqual([
      expect.stringMatching(/group \d+ counts 4 events, and there are 3/),
      expect.stringContaining("issue 1 of project 1 counts 5 events, its groups 4"),
    ]);
  });

  it("names a segment of the journal with a damaged record, and not the unfinished end of the last", async () => {
    await serviceWith(3);
    const [name = ""] = readdirSync(join(folder, "journal"));
    const file = join(folder, "journal", name);
    const whole = readFileSync(file);
    writeFileSync(file, whole.subarray(0, -5));
    expect(findings()).toEqual([]);
    whole[40] = (whole[40] ?? 0) ^ 1;
    writeFileSync(file, whole);
    expect(findings()).toEqual([expect.stringMatching(/\.journal: \d+ bytes hold no undamaged record/)]);
  });

  it("tells what was accepted and is not filed", async () => {
    await serviceWith(3);
    changeMeta("UPDATE applied SET position = 0; DELETE FROM issue_group; DELETE FROM issue");
    const check = checkStore(folder);
    expect(check).toMatchObject({ findings: [] });
    expect(check.kind === "checked" && check.unfiledBytes).toBeGreaterThan(300);
  });

  async function serviceWith(events: number): Promise<void> {
    const service = await openService({ dataFolder: folder });
    for (let sent = 0; sent < events; sent += 1) await service.accept(1, anEnvelope());
    await service.close();
  }

  function changeMeta(sql: string): void {
    const meta = new DatabaseSync(join(folder, "store", "meta.db"));
    meta.exec(sql);
    meta.close();
  }

  function findings(): unknown {
    const check = checkStore(folder);
    return check.kind === "checked" ? check.findings : check.kind;
  }
});

function anEnvelope(): Uint8Array {
  const eventId = newEventId();
  return writeEnvelope({ eventId }, [
    jsonItem("event", { event_id: eventId, exception: { values: [{ type: "Error", value: "boom" }] } }),
  ]);
}
