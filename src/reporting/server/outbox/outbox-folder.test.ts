import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openOutboxFolder } from "./outbox-folder.ts";

/** No system gives numbers this high to processes. */
const gone = "4194999-1";

test("a process takes over what one that has ended left behind, also while others that start take theirs", () => {
  const outbox = mkdtempSync(join(tmpdir(), "holdfast-outbox-"));
  onTestFinished(() => rmSync(outbox, { recursive: true, force: true }));
  mkdirSync(join(outbox, gone));
  writeFileSync(join(outbox, gone, "errors-00000001.spool"), "x");
  // Listed, and no longer there: what another process that was quicker leaves.
  symlinkSync(join(outbox, "nowhere"), join(outbox, "4194998-1"));
  expect(readdirSync(openOutboxFolder(outbox))).toEqual(["errors-00000001.spool"]);
});
