import { expect, test } from "vitest";
import { showVisitor } from "./show-visitor.ts";

const step = (at: number) => ({ at, kind: "page" as const, text: `/${at}` });

const visit = {
  from: 1_000,
  to: 5_000,
  releases: ["1.0.0"],
  devices: [],
  failures: 1,
  pages: [
    { route: "/", from: 1_000, to: 2_000, traceId: "a", failures: [] },
    { route: "/cart", from: 2_000, to: 5_000, traceId: "b", failures: [3_000] },
  ],
  steps: Array.from({ length: 15 }, (_, n) => step(n)),
};
const calm = { ...visit, failures: 0, pages: [], steps: [] };
const answer = {
  visitor: 35,
  who: { id: "u 7", email: "jo@shop.test", name: "Jo" },
  firstAt: 1_000,
  visits: [visit, calm],
  issues: [],
  earlier: undefined,
};

test("pages and failures have their place in the time of a visit", () => {
  const [shown] = showVisitor(answer, false, String).visits;
  expect(shown?.pages.map(({ start, width }) => [start, width])).toEqual([
    [0, 0.25],
    [0.25, 0.75],
  ]);
  expect(shown?.marks).toEqual([0.5]);
});

test("many steps are folded, but never a failure, a note, what led to them, or the end", () => {
  const steps = Array.from({ length: 15 }, (_, n) => (n === 6 ? { ...step(n), fails: true } : step(n)));
  const [shown] = showVisitor({ ...answer, visits: [{ ...visit, steps }] }, false, String).visits;
  expect(shown?.parts.map(({ isFolded, steps: { length } }) => [isFolded, length])).toEqual([
    [true, 3],
    [false, 5],
    [true, 4],
    [false, 3],
  ]);
  const few = showVisitor({ ...answer, visits: [{ ...visit, steps: steps.slice(3) }] }, false, String).visits[0];
  expect(few?.parts).toMatchObject([{ isFolded: false }]);
});

test("the last page of a visit is seen, although it is not known how long it was open", () => {
  const pages = [
    { route: "/", from: 1_000, to: 5_000, traceId: "a", failures: [] },
    { route: "/end", from: 5_000, to: 5_000, traceId: "b", failures: [] },
  ];
  const [shown] = showVisitor({ ...answer, visits: [{ ...visit, pages }] }, false, String).visits;
  expect(shown?.pages[1]?.width).toBeGreaterThan(0.05);
});

test("a page of a visit without any duration fills its strip", () => {
  const [page] = visit.pages;
  const moment = { ...visit, to: visit.from, pages: page ? [{ ...page, to: page.from }] : [] };
  expect(showVisitor({ ...answer, visits: [moment] }, false, String).visits[0]?.pages).toMatchObject([
    { start: 0, width: 1 },
  ]);
});

test("visits without failures are left out on request, and the sums stay", () => {
  const { visits, sums } = showVisitor(answer, true, String);
  expect(visits).toHaveLength(1);
  expect(sums).toEqual({ visits: 2, withFailures: 1, pages: 2, failures: 1, notes: 0 });
});

test("a visitor is called by the e-mail address, and their issues are found by the id", () => {
  expect(showVisitor(answer, false, String)).toMatchObject({
    id: "z",
    name: "jo@shop.test",
    about: "Jo, u 7",
    filter: 'user:"u 7"',
  });
  const anonymous = { ...answer, visitor: 123_456_789, who: undefined };
  expect(showVisitor(anonymous, false, String)).toMatchObject({ name: "Visitor 1i3v9", filter: undefined });
});
