import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { digestOf } from "#protocol";
import { silentServerSignals } from "#signals";
import { KeptFolder } from "./kept-folder.ts";
import { openKept } from "./open-kept.ts";

test("What is removed because it was kept for too long is an event with its codes", async () => {
  const dataFolder = mkdtempSync(path.join(tmpdir(), "holdfast-kept-"));
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
  const id = "7".repeat(32);
  const folder = new KeptFolder(path.join(dataFolder, "kept"));
  await folder.add(id, { files: undefined, rest: Buffer.from("sealed") });
  folder.close();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3 * 86_400_000 });
  onTestFinished(() => void vi.useRealTimers());
  const events: unknown[] = [];
  const warnings: string[] = [];
  const { watch, close } = openKept(
    { limits: { keptDays: 2 } },
    {
      dataFolder,
      sealKey: new Uint8Array(32),
      memory: { hasDone: async () => false, sync: async () => undefined },
      signals: {
        errorCaught: (error, place) => {
          events.push(error);
          return silentServerSignals.errorCaught(error, place);
        },
      },
      warn: (sentence) => void warnings.push(sentence),
    },
  );
  watch(undefined);
  await close();
  expect(events).toMatchObject([{ code: "kept-expired" }]);
  expect(warnings).toEqual([expect.stringContaining(`A kept submission was too old and is removed: ${digestOf(id)}.`)]);
});
