import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { Scrubber } from "./filing/scrub.ts";
import { ownCopyOf } from "./own-copy.ts";
import { RecentlySeen } from "./stores/recently-seen.ts";

const megabyte = 1_048_576;

describe("a copy of a text", () => {
  it("is the same text", () => {
    for (const text of ["", "name", "größer", "数", "\ud800", "a\0b"]) expect(ownCopyOf(text)).toBe(text);
  });

  it("is the key under which recent texts are remembered, so that the long originals are freed", () => {
    const seen = new RecentlySeen(1_000);
    expect(megabytesHeldBy((text, n) => seen.isNew(`${n} ${text.slice(0, 100)}`))).toBeLessThan(8);
    expect(seen.isNew(`7 ${textNumber(7).slice(0, 100)}`)).toBe(false);
  });

  it("is the key of the scrubber's results", () => {
    const scrubber = new Scrubber();
    expect(megabytesHeldBy((text, n) => scrubber.text(`a_name_of_its_own_${n}=value ${text}`))).toBeLessThan(8);
  });
});

/** Measures the memory still held by twenty texts of 1 MB each, after use. */
function megabytesHeldBy(use: (text: string, n: number) => void): number {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < 20; n += 1) use(textNumber(n), n);
  collect();
  return (process.memoryUsage().heapUsed - before) / megabyte;
}

function textNumber(n: number): string {
  return JSON.parse(JSON.stringify(`${n} of a long text, `.repeat(megabyte / 20)));
}
