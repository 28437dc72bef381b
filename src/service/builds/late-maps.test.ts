import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openReader } from "../open-reader.ts";
import { openService, type Service } from "../open-service.ts";
import { openSqliteReader } from "../stores/sqlite/open-sqlite-store.ts";
import type { StoreReader } from "../stores/store.ts";
import { aMap } from "../uploads/bundles/bundle-examples.ts";
import { withLateMaps } from "./late-maps.ts";

const debugId = "c".repeat(32);
const eventId = "e".repeat(32);

let folder: string;
let service: Service;
let reader: StoreReader;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-late-"));
  service = await openService({ dataFolder: folder });
  reader = await openReader(folder);
});

afterEach(async () => {
  reader.close();
  await service.close();
  rmSync(folder, { recursive: true });
});

async function report(id: string): Promise<void> {
  const file = "https://shop.example/assets/cart-x1.js";
  const event = {
    event_id: id,
    release: "1.0.0",
    exception: {
      values: [
        {
          type: "Error",
          value: "empty",
          stacktrace: { frames: [{ filename: file, function: "t", lineno: 1, colno: 1, in_app: true }] },
        },
      ],
    },
    debug_meta: { images: [{ type: "sourcemap", code_file: file, debug_id: debugId }] },
  };
  const payload = JSON.stringify(event);
  await service.accept(1, Buffer.from(`{}\n{"type":"event","length":${Buffer.byteLength(payload)}}\n${payload}\n`));
  await service.drained();
}

async function frameOf(id: string) {
  const record = await reader.event(1, id);
  if (record?.body.kind !== "whole") return expect.fail("The event is not stored whole.");
  return { frame: record.body.event.exceptions[0]?.frames[0], issue: record.issue };
}

describe("source maps that arrive after an event", () => {
  it("show its source lines, and leave its issue and title as they are", async () => {
    await report(eventId);
    const before = await frameOf(eventId);
    const issue = await reader.issue(1, { id: before.issue });
    expect(before.frame).toMatchObject({ filename: "https://shop.example/assets/cart-x1.js", function: "t" });
    await addMap();
    const after = await frameOf(eventId);
    expect(after.frame).toMatchObject({
      filename: "src/cart.ts",
      line: 2,
      function: "total",
      contextLine: "  throw new Error('empty');",
    });
    expect(after.issue).toBe(before.issue);
    expect(await reader.issue(1, { id: after.issue })).toEqual(issue);
  });

  it("do not map a frame twice that was mapped when it was filed", async () => {
    await addMap();
    await report(eventId);
    const { frame } = await frameOf(eventId);
    expect(frame).toMatchObject({ filename: "src/cart.ts", line: 2, isMapped: true });
    const raw = openSqliteReader({ folder: join(folder, "store") });
    const [stored, shown] = [await raw.event(1, eventId), await withLateMaps(raw).event(1, eventId)];
    expect(shown).toEqual(stored);
    raw.close();
  });

  it("the code that reads them is loaded again after it could not be loaded, and the event is shown as it is until then", async () => {
    await report(eventId);
    await addMap();
    const raw = openSqliteReader({ folder: join(folder, "store") });
    let loads = 0;
    const late = withLateMaps(raw, async () => {
      loads += 1;
      if (loads === 1) throw new Error("EMFILE: too many open files");
      return import("./symbolicate.ts");
    });
    const stored = await raw.event(1, eventId);
    expect(await late.event(1, eventId)).toEqual(stored);
    expect(await late.event(1, eventId)).toMatchObject({
      body: { event: { exceptions: [{ frames: [{ filename: "src/cart.ts" }] }] } },
    });
    await late.event(1, eventId);
    expect(loads).toBe(2);
    raw.close();
  });
});

async function addMap(): Promise<void> {
  const build = join(folder, "build");
  mkdirSync(join(build, "maps"), { recursive: true });
  writeFileSync(join(build, "maps", "cart.js.map"), aMap(debugId));
  await service.addBuild(1, build, "1.0.0");
}
