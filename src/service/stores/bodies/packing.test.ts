import { describe, expect, it } from "vitest";
import { pack, packedSize, packedSizeBytes, unpack } from "./packing.ts";

const first = Buffer.from(JSON.stringify({ message: "Order 4711 is gone", frames: ["load", "find", "query"], n: 1 }));
const second = Buffer.from(JSON.stringify({ message: "Order 4712 is gone", frames: ["load", "find", "query"], n: 2 }));

describe("a compressed body", () => {
  it("is restored unchanged", () => {
    expect(unpack(pack(second, first), first)?.equals(second)).toBe(true);
    expect(unpack(pack(second))?.equals(second)).toBe(true);
  });

  it("is much smaller against a similar body", () => {
    expect(pack(second, first).length).toBeLessThan(pack(second).length / 2);
  });

  it("detects every single flipped bit", () => {
    const packed = pack(second, first);
    for (let bit = 0; bit < packed.length * 8; bit++) {
      const read = unpack(withFlippedBit(packed, bit), first);
      // A bit without information may flip. The result must be the original, or nothing.
      expect(read === undefined || read.equals(second), `bit ${bit}`).toBe(true);
    }
  });

  it.each([0, 1, 255, 256, 257, 65_791, 65_792, 5_000_000])("says its size of %d bytes by its beginning", (size) => {
    expect(packedSize(pack(Buffer.alloc(size, "ab")).subarray(0, packedSizeBytes))).toBe(size);
  });

  it("says no size where it is something else", () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from("hello, this is no frame"), pack(second).subarray(0, 5)])
      expect(packedSize(bytes)).toBeUndefined();
  });

  it("detects a changed dictionary", () => {
    const packed = pack(second, first);
    let noticed = 0;
    for (let bit = 0; bit < first.length * 8; bit++) {
      const read = unpack(packed, withFlippedBit(first, bit));
      expect(read === undefined || read.equals(second), `bit ${bit}`).toBe(true);
      if (read === undefined) noticed++;
    }
    expect(noticed).toBeGreaterThan(first.length);
  });
});

function withFlippedBit(bytes: Uint8Array, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}
