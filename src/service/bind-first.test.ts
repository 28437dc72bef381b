import { expect, it } from "vitest";
import { bindFirst } from "./bind-first.ts";

it("passes the first argument to every function at each call, and returns promises", async () => {
  let turn = 0;
  const bound = bindFirst(() => ++turn, {
    sum: (first: number, a: number, b = 10) => first + a + b,
    own: async (first: number) => first,
  });
  expect(await bound.sum(100)).toBe(111);
  expect(await bound.sum(100, 1)).toBe(103);
  expect(await bound.own()).toBe(3);
});

it("rejects if a function throws, or if there is no first argument", async () => {
  const fails = (): never => {
    throw new Error("no store");
  };
  await expect(bindFirst(() => 1, { fails }).fails()).rejects.toThrow("no store");
  await expect(bindFirst(fails, { one: (first: number) => first }).one()).rejects.toThrow("no store");
});
