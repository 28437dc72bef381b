import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Database } from "./database.ts";
import { NameTable } from "./name-table.ts";

const megabyte = 1_048_576;

describe("the table of names", () => {
  let folder: string;
  let database: Database;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-names-"));
    database = new Database(join(folder, "a.db"), "write", [
      "CREATE TABLE name (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)",
    ]);
  });

  afterEach(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });

  it("caches a bounded number of names, and still resolves every id", () => {
    const names = new NameTable(database, 50);
    const numbers = Array.from({ length: 1_000 }, (_, n) => names.number(`name ${n}`));
    expect(new Set(numbers).size).toBe(1_000);
    expect(names.size).toBeLessThanOrEqual(50);
    expect(names.number("name 3")).toBe(numbers[3]);
    expect(names.text(numbers[999] ?? 0)).toBe("name 999");
    for (const text of ["größer", "数", "\ud800"]) expect(names.text(names.number(text))).toBe(text);
  });

  it("does not retain the long text that a name was cut from", () => {
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    const names = new NameTable(database);
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let n = 0; n < 20; n += 1) {
      const long: string = JSON.parse(JSON.stringify(`${n} of a long text, `.repeat(megabyte / 20)));
      names.number(long.slice(0, 200));
    }
    collect();
    expect(names.size).toBe(20);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(8 * megabyte);
  });
});
