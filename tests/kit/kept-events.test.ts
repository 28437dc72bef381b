import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { digestOf } from "../../src/protocol/digest.ts";
import { keptDigests } from "./kept-events.ts";

test("the events on a disk are counted once each, and stalls of a loaded machine are left out", () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-kept-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const event = (letter: string, mechanism: string): string =>
    `{"event_id":"${letter.repeat(32)}","timestamp":1.5,"platform":"node","level":"error","mechanism":{"type":"${mechanism}"}}`;
  const error = event("a", "auto.holdfast.uncaught");
  writeFileSync(join(folder, "one"), `${error}\n${event("b", "auto.holdfast.stall")}\n${error}\n`);
  writeFileSync(join(folder, "other"), `${error}\n`);
  expect(keptDigests(folder)).toEqual([digestOf("a".repeat(32))]);
});
