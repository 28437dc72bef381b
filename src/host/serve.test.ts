import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { serveOnePage } from "../../tests/kit/serve-one-page.ts";
import { serviceFolderOf } from "./service/service-folder.ts";

test("accounts that cannot be opened end the start, although they are opened after the first response", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-serve-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(serviceFolderOf(folder), { recursive: true });
  writeFileSync(join(serviceFolderOf(folder), "accounts.db"), "no database".repeat(1_000));
  const starting = serveOnePage(folder);
  await expect(starting).rejects.toThrow("service-accounts-unreadable");
});
