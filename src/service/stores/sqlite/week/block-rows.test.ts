import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Database } from "../database.ts";
import { weekMigrations } from "../schema.ts";
import { BlockRows, type PackedBlock } from "./block-rows.ts";

const block = (text: string, ...groups: number[]): PackedBlock => ({ groups, packed: Buffer.from(text) });
const blocksPerRow = 5;
const long = (n: number): string => `${n}`.repeat(3_400);

describe("rows of blocks", () => {
  let folder: string;
  let database: Database;
  let rows: BlockRows;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-rows-"));
    database = new Database(join(folder, "week.db"), "write", weekMigrations);
    rows = new BlockRows(database);
  });

  afterEach(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });

  const ids = (): number[] => database.all<{ id: number }>("SELECT id FROM body_block").map(({ id }) => id);
  const fill = (count: number): void => {
    for (let n = 1; n <= count; n += 1) rows.add(block(long(n % 10), n));
    rows.finish();
  };

  it("have several blocks, and each is read alone", () => {
    fill(12);
    expect(ids()).toEqual([1, 1 + blocksPerRow, 1 + 2 * blocksPerRow]);
    for (const reader of [rows, new BlockRows(database)])
      for (let n = 12; n > 0; n -= 1)
        expect(reader.read(n)).toEqual({ groups: [n], packed: new Uint8Array(Buffer.from(long(n % 10))) });
    expect(rows.read(0)).toBeUndefined();
    expect(rows.read(13)).toBeUndefined();
  });

  it("continue their numbers after a restart and after a rollback", () => {
    fill(7);
    expect(new BlockRows(database).next).toBe(8);
    rows.add(block("lost"));
    rows.forget();
    expect(rows.next).toBe(8);
    rows.finish();
    expect(rows.read(8)).toBeUndefined();
  });

  it("replace a block beside others, and go when the last one is empty", () => {
    fill(3);
    rows.replace(2, block("b", 7, 8));
    expect([1, 2, 3].map((n) => rows.read(n)?.groups)).toEqual([[1], [7, 8], [3]]);
    for (const n of [1, 3]) rows.replace(n, undefined);
    expect([1, 2, 3].map((n) => rows.read(n)?.groups)).toEqual([undefined, [7, 8], undefined]);
    rows.replace(2, undefined);
    expect(ids()).toEqual([]);
  });

  it("name the blocks that need a group", () => {
    fill(7);
    rows.replace(2, block("b", 1, 6));
    expect(rows.withGroups(new Set([1, 7]), 9)).toEqual([1, 2, 7]);
    expect(rows.withGroups(new Set([1, 7]), 1)).toEqual([1]);
    expect(rows.withGroups(new Set([99]), 9)).toEqual([]);
  });

  it("stay while one of their blocks is used", () => {
    fill(12);
    rows.deleteBefore(blocksPerRow + 2);
    expect(ids()).toEqual([1 + blocksPerRow, 1 + 2 * blocksPerRow]);
    rows.deleteAfter(blocksPerRow + 2);
    expect(ids()).toEqual([1 + blocksPerRow]);
    expect(rows.next).toBe(1 + 2 * blocksPerRow);
  });

  it("show another process's erasure after the row was forgotten", () => {
    fill(2);
    const reader = new BlockRows(database);
    expect(reader.read(1)?.groups).toEqual([1]);
    rows.replace(1, block("b"));
    reader.forgetRow();
    expect(reader.read(1)?.groups).toEqual([]);
  });
});
