import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createQuarantine } from "./quarantine.ts";

test("records that cannot be filed are kept up to a number and a size, also across restarts", () => {
  const folder = join(mkdtempSync(join(tmpdir(), "holdfast-aside-")), "unfiled");
  const record = (position: number, bytes: number) => ({
    position,
    next: position + 1,
    project: 1,
    receivedMs: 0,
    bytes: new Uint8Array(bytes),
  });
  const keep = createQuarantine(folder, { files: 3, bytes: 1_000 });
  expect([keep(record(1, 500)), keep(record(2, 600)), keep(record(3, 100))]).toEqual(["stored", "no-room", "stored"]);
  const again = createQuarantine(folder, { files: 3, bytes: 1_000 });
  expect([again(record(4, 500)), again(record(5, 10)), again(record(6, 10))]).toEqual(["no-room", "stored", "no-room"]);
  expect(readdirSync(folder).sort()).toEqual(["1-1.envelope", "1-3.envelope", "1-5.envelope"]);
  rmSync(join(folder, ".."), { recursive: true });
});
