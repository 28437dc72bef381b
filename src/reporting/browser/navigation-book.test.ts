import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openNavigationBook } from "./navigation-book.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const tallyOf = (ends: object, open: object[] = []) => [{ book: "navigations", hour: 0, ends, open }];

test("counts how navigations end, and is empty once that is taken", () => {
  const book = openNavigationBook(Date.now);
  for (const [id, kind] of Object.entries({ 1: "superseded", 2: "committed", 3: "committed" })) {
    book.begin(Number(id), {});
    book.end(Number(id), kind);
  }
  // What is unknown has not begun, for example a form.
  book.end(-1, "committed");
  vi.advanceTimersByTime(600_000);
  expect(book.take()).toEqual(tallyOf({ superseded: 1, committed: 2 }));
  expect(book.take()).toEqual([]);
});

test("one that is in progress when its document is left has ended, and not a second time", () => {
  const book = openNavigationBook(Date.now);
  book.begin(1, { name: "/cart" });
  book.leave();
  book.end(1, "cancelled");
  vi.advanceTimersByTime(600_000);
  expect(book.take()).toEqual(tallyOf({ left: 1 }));
});

test("one without an end is named when the next begins, or after a minute", () => {
  const book = openNavigationBook(Date.now);
  book.begin(1, { name: "/cart" });
  book.begin(2, { name: "/checkout" });
  expect(book.take()).toEqual(tallyOf({}, [{ name: "/cart" }]));
  vi.advanceTimersByTime(59_999);
  expect(book.take()).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(book.take()).toEqual(tallyOf({}, [{ name: "/checkout" }]));
});

test("a tab that has slept names nothing before it has been awake for a minute", () => {
  let sleptMs = 0;
  const book = openNavigationBook(() => Date.now() + sleptMs);
  book.begin(1, { name: "/cart" });
  sleptMs = 3_600_000;
  vi.advanceTimersByTime(60_000);
  book.end(1, "committed");
  vi.advanceTimersByTime(600_000);
  expect(book.take()).toEqual(tallyOf({ committed: 1 }));
});
