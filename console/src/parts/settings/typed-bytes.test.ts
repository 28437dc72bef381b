import { expect, it } from "vitest";
import { shownIn, typedBytes } from "./typed-bytes.ts";

const [mega, giga] = [1_000_000, 1_000_000_000];

it("a number of bytes that is saved as it is shown stays as it is", () => {
  for (const [unit, bytes] of [
    [mega, 4_194_304],
    [mega, 8_388_608],
    [mega, 134_217_728],
    [giga, 5_368_709_120],
  ] as const)
    expect(typedBytes(String(shownIn(unit, bytes)), unit, bytes)).toBe(bytes);
});

it("another number is whole bytes", () => {
  expect(typedBytes("4.2", mega, 4_194_304)).toBe(4_200_000);
  expect(typedBytes("1.13", giga, 5_368_709_120)).toBe(1_130_000_000);
  expect(typedBytes("4.1", mega, 4_194_304)).toBe(4_100_000);
  expect(typedBytes("", mega, 4_194_304)).toBe(0);
  expect(typedBytes("much", mega, 4_194_304)).toBeNaN();
});
