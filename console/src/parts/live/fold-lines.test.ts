import { expect, test } from "vitest";
import { foldLines } from "./fold-lines.ts";

const line = (who: string | undefined, text: string, fields: object = {}) => ({
  who,
  kind: "error",
  text,
  route: "/cart",
  isView: false,
  ...fields,
});

const folded = (lines: ReturnType<typeof line>[]) => foldLines(lines).map(({ who, text, times }) => [who, text, times]);

test("what one visitor repeats is one row with a count, also while others do something else", () => {
  const lines = [line("ann", "a"), line("ben", "a"), line("ann", "a"), line("ann", "b"), line("ann", "a")];
  expect(folded(lines)).toEqual([
    ["ann", "a", 2],
    ["ben", "a", 1],
    ["ann", "b", 1],
    ["ann", "a", 1],
  ]);
});

test("a row has the newest line, and views of a page are the same step, whatever time they took", () => {
  const view = { kind: "pageload", isView: true };
  expect(folded([line("ann", "9 ms", view), line("ann", "300 ms", view)])).toEqual([["ann", "9 ms", 2]]);
  expect(folded([line("ann", "9 ms", view), line("ann", "9 ms", { ...view, route: "/" })])).toHaveLength(2);
});

test("the same text of another kind or place is another step", () => {
  expect(foldLines([line("ann", "a"), line("ann", "a", { kind: "warning" })])).toHaveLength(2);
  expect(foldLines([line("ann", "a"), line("ann", "a", { route: "/" })])).toHaveLength(2);
});
