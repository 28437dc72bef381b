import { describe, expect, test } from "vitest";
import { hostLimits } from "#host";
import { readDrain } from "./serving.ts";

describe("the time between SIGTERM and the closing of the port", () => {
  test("is three seconds, or the number of seconds that is set", () => {
    expect(readDrain(undefined)).toBe(hostLimits.drainMs);
    expect([readDrain("0"), readDrain("0.5"), readDrain("300")]).toEqual([0, 500, 300_000]);
  });

  test.each(["", "soon", "-1", "301"])("cannot be %j", (text) => {
    expect(() => readDrain(text)).toThrow(/not a number from 0 to 300/);
  });
});
