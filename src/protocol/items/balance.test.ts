import { expect, it } from "vitest";
import { protocolLimits } from "../limits.ts";
import { openPerTally, pagesPerStatement, readBalance, writeBalance } from "./balance.ts";

const at = 1_790_000_000;

function statement(tallies: readonly object[], pages: readonly object[] = []): object {
  return { source: "process 1", pages, tallies };
}

it("A statement is read as it was written", () => {
  const open = [{ id: "1", atMs: at * 1_000, route: "/cart", name: "order", key: "k", state: "kept" as const }];
  const tally = { book: "submissions" as const, hour: 497_222, ends: { done: 3, "timed-out": 1 }, open };
  const said = { source: "process 1", waitingSinceMs: at * 1_000, pages: [], tallies: [tally] };
  expect(readBalance(JSON.parse(JSON.stringify(writeBalance(said))), protocolLimits)).toEqual(said);
});

it("A statement of a stranger is read up to its bounds", () => {
  const open = Array.from({ length: openPerTally + 1 }, (_, n) => ({ id: `${n}`, at, route: "/" }));
  const ends = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`end-${"a".repeat(n)}`, 1]));
  const tally = { book: "navigations", hour: 1, ends, open };
  const pages = Array.from({ length: pagesPerStatement + 1 }, () => ({ digest: "7K2M-9QXD-4TBA", at }));
  const read = readBalance(
    statement(
      Array.from({ length: 5 }, () => tally),
      pages,
    ),
    protocolLimits,
  );
  expect(read?.pages).toHaveLength(pagesPerStatement);
  expect(read?.tallies).toHaveLength(4);
  expect(Object.keys(read?.tallies?.[0]?.ends ?? {})).toHaveLength(20);
  expect(read?.tallies?.[0]?.open).toHaveLength(openPerTally);
});

it("A tally of an unknown book, an unknown kind of end and an entry without an id are left out", () => {
  const unknown = { book: "gold", hour: 1, ends: {}, open: [] };
  const known = { book: "navigations", hour: 1, ends: { "<b>": 2, left: 1 }, open: [{ at, route: "/" }] };
  expect(readBalance(statement([unknown, known]), protocolLimits)?.tallies).toEqual([
    { book: "navigations", hour: 1, ends: { left: 1 }, open: [] },
  ]);
});
