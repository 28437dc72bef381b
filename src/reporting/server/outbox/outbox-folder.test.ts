import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openOutboxFolder } from "./outbox-folder.ts";

/** No system assigns process ids this high. */
const gone = "4194999-1";

test("a process takes over the files of one that has ended, even while other starting processes do the same", () => {
  const outbox = mkdtempSync(join(tmpdir(), "holdfast-outbox-"));
  onTestFinished(() => rmSync(outbox, { recursive: true, force: true }));
  mkdirSync(join(outbox, gone));
  writeFileSync(join(outbox, gone, "errors-00000001.spool"), "x");
  // Listed, but missing: taken by a faster process.
  symlinkSync(join(outbox, "nowhere"), join(outbox, "4194998-1"));
  expect(readdirSync(openOutboxFolder(outbox))).toEqual(["errors-00000001.spool"]);
});
