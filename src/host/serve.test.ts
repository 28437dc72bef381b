import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { serve } from "./serve.ts";
import { serviceFolderOf } from "./service/embedded-service.ts";

test("accounts that cannot be opened end the start, although they are opened after the first response", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-serve-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(serviceFolderOf(folder), { recursive: true });
  writeFileSync(join(serviceFolderOf(folder), "accounts.db"), "no database".repeat(1_000));
  const starting = serve(
    {
      root: folder,
      config: {},
      development: false,
      files: { build: "b1", has: () => false, serve: () => false },
      openPages: async () => ({
        build: "b1",
        handle: (_incoming, response) => void response.end("page"),
        owns: () => true,
        upgrade: () => undefined,
        warm: async () => undefined,
        schedules: async () => [],
        lifecycle: async () => ({}),
      }),
    },
    { port: 0, nextFreePort: false, host: "127.0.0.1", dataFolder: folder },
  );
  await expect(starting).rejects.toThrow("service-accounts-unreadable");
});
