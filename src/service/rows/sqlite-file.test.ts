import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { openSqliteFile } from "./sqlite-file.ts";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "holdfast-sqlite-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

test("the file is readable by its owner alone, and keeps the settings of a new file", () => {
  const file = join(folder(), "data", "some.db");
  const database = openSqliteFile(file, { pragmas: "PRAGMA auto_vacuum = FULL" });
  onTestFinished(() => database.close());
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(file, "..")).mode & 0o777).toBe(0o700);
  expect(database.prepare("PRAGMA auto_vacuum").get()).toEqual({ auto_vacuum: 1 });
  expect(database.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
});

/** Opens each file at the same moment as the other worker, which a counter ensures. */
const opener = `
  const { workerData, parentPort } = require("node:worker_threads");
  const { at, files, module } = workerData;
  import(module).then(({ openSqliteFile }) => {
    const failures = [];
    for (const [n, file] of files.entries()) {
      Atomics.add(at, 0, 1);
      while (Atomics.load(at, 0) < 2 * (n + 1));
      try {
        openSqliteFile(file).close();
      } catch (error) {
        failures.push(String(error));
      }
    }
    parentPort.postMessage(failures);
  });
`;

test("of two that create a file at once, both can use it", async () => {
  const at = new Int32Array(new SharedArrayBuffer(4));
  const made = folder();
  const files = Array.from({ length: 100 }, (_, n) => join(made, `${n}.db`));
  const module = new URL("./sqlite-file.ts", import.meta.url).href;
  const failures = Array.from({ length: 2 }, () => {
    const worker = new Worker(opener, { eval: true, workerData: { at, files, module } });
    return new Promise<string[]>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
    });
  });
  expect((await Promise.all(failures)).flat()).toEqual([]);
});
