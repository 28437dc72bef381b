import { expect, test } from "vitest";
import { createWarn } from "./warn.ts";

test("Warnings in a flood are dropped and counted, and one that quotes a megabyte is cut", () => {
  const written: string[] = [];
  let now = 0;
  const warn = createWarn(
    (text) => written.push(text),
    () => now,
  );
  warn("Too long:", new Error("x".repeat(1_000_000)));
  expect(written[0]?.length).toBeLessThan(8_200);
  for (let count = 0; count < 10_000; count++) warn("The console failed:", new Error("again"));
  expect(written.join("").length).toBeLessThan(80_000);
  const before = written.length;
  now += 60_000;
  warn("Quiet again.");
  expect(written.at(-1)).toBe(`Quiet again.\n(${10_001 - before} warnings before this one were left out: too many.)`);
});
