import { describe, expect, it } from "vitest";
import { digestOf, readDigest } from "./digest.ts";
import { newEventId } from "./new-ids.ts";

describe("a digest", () => {
  it("is the first 60 bits of the event id in three groups of four", () => {
    expect(digestOf("00000000000000100000000000000000")).toBe("0000-0000-0001");
    expect(digestOf("ffffffffffffffff0000000000000000")).toBe("ZZZZ-ZZZZ-ZZZZ");
  });

  it("leads back to the start of its event id", () => {
    for (let count = 0; count < 100; count += 1) {
      const id = newEventId();
      expect(readDigest(digestOf(id))).toBe(id.slice(0, 15));
    }
  });

  it("is read in the spellings that people use", () => {
    const digest = digestOf("08040201008040201000000000000000");
    const prefix = readDigest(digest);
    for (const written of [
      digest.toLowerCase(),
      digest.replaceAll("-", ""),
      digest.replaceAll("-", " "),
      ` ${digest}\n`,
      digest.replaceAll("0", "o").replaceAll("1", "l"),
    ]) {
      expect(readDigest(written)).toBe(prefix);
    }
    expect(readDigest(digest.replaceAll("1", "I"))).toBe(prefix);
  });

  it("is not read from any other text", () => {
    for (const other of [
      "",
      "7K2M-9QXD-4TB",
      "7K2M-9QXD-4TBAA",
      "7K2M-9QXD-4TBU",
      "0123456789abcdef0123456789abcdef",
      "x".repeat(10_000),
    ]) {
      expect(readDigest(other)).toBeUndefined();
    }
  });
});
