import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { type DiskRegion, DiskRing } from "./disk-ring.ts";

const folder = mkdtempSync(join(tmpdir(), "holdfast-ring-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a ring on disk", () => {
  test("returns what it has, loses the oldest first, and never mixes two", async () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(lengths, fc.infiniteStream(fc.boolean()), async (all, choices) => {
        const ring = new DiskRing(folder, 100);
        const lost: number[] = [];
        const kept = new Map<number, { region: DiskRegion; bytes: Buffer }>();
        for (const [at, length] of all.entries()) {
          const bytes = Buffer.alloc(length, at);
          const region = await ring.write(bytes, () => {
            lost.push(at);
            kept.delete(at);
          });
          kept.set(at, { region, bytes });
          if (choices.next().value) {
            ring.drop(region);
            kept.delete(at);
          }
          for (const one of kept.values()) expect(await ring.read(one.region)).toEqual(one.bytes);
          expect([...kept.values()].reduce((sum, one) => sum + one.bytes.length, 0)).toBeLessThanOrEqual(100);
        }
        expect(lost).toEqual(lost.toSorted((one, other) => one - other));
      }),
      { numRuns: 50 },
    );
  });

  test("writes one after the other, however many are asked for at once", async () => {
    const ring = new DiskRing(folder, 10_000);
    const regions = await Promise.all(
      Array.from({ length: 50 }, (_, at) => ring.write(Buffer.alloc(100, at), () => undefined)),
    );
    for (const [at, region] of regions.entries()) expect(await ring.read(region)).toEqual(Buffer.alloc(100, at));
  });

  test("does not return what was overwritten while it was read", async () => {
    const ring = new DiskRing(folder, 100);
    const region = await ring.write(Buffer.alloc(100, 1), () => undefined);
    const reading = ring.read(region);
    const [read] = await Promise.all([reading, ring.write(Buffer.alloc(100, 2), () => undefined)]);
    expect(read === undefined || read.every((byte) => byte === 1)).toBe(true);
    expect(await ring.read(region)).toBeUndefined();
  });

  test("leaves no file in its folder, and refuses what is larger than it", async () => {
    const ring = new DiskRing(folder, 100);
    await ring.write(Buffer.alloc(50), () => undefined);
    expect(readdirSync(folder)).toEqual([]);
    await expect(ring.write(Buffer.alloc(101), () => undefined)).rejects.toThrow("101 bytes are more than the 100");
    await expect(new DiskRing(join(folder, "missing"), 9).write(Buffer.alloc(1), () => undefined)).rejects.toThrow();
  });
});
