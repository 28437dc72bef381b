import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { storeAddressOf } from "../stores/store-address.ts";
import { FilingThread } from "./filing-thread.ts";

test("a thread that runs from source is compiled beforehand, so that Node strips no types in it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-thread-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "journal"));
  const module = join(folder, "task.mjs");
  writeFileSync(
    module,
    `import { writeFileSync } from "node:fs";
     export const begin = (file) => writeFileSync(file, process.moduleLoadList.filter((name) => /amaro/.test(name)).join());`,
  );
  const loaded = join(folder, "loaded");
  const thread = new FilingThread({
    dataFolder: folder,
    at: storeAddressOf(folder, ""),
    task: { module: pathToFileURL(module).href, data: loaded },
  });
  await thread.ready;
  await expect.poll(() => existsSync(loaded)).toBe(true);
  expect(readFileSync(loaded, "utf8")).toBe("");
  await thread.close();
});
