import { expect, test } from "vitest";
import type { DataOutcome, PageDataReader } from "./data-outcome.ts";
import { type ListPage, ListPages, type ListPagesDeps } from "./list-pages.ts";

interface Numbers {
  numbers: number[];
  last?: true;
}

/** A list whose pages have ten numbers each, until `pages`. Answers are those of `answer`, once one is set. */
function listOf(pages: number) {
  const asked: string[] = [];
  let shift = 0;
  let answer: (() => Promise<DataOutcome>) | undefined;
  const numbersOf = (page: number): Numbers => ({
    numbers: Array.from({ length: 10 }, (_, at) => (page - 1) * 10 + at - shift),
    ...(page === pages && { last: true }),
  });
  const reader: PageDataReader = {
    read: async (href, { why }) => {
      asked.push(`${why} ${href}`);
      return answer ? answer() : { kind: "loaded", data: numbersOf(Number(href)) };
    },
    onChange: () => () => undefined,
  };
  const deps: ListPagesDeps = {
    reader: async () => reader,
    href: ({ page }) => String(page),
    next: ({ data, search }) => ((data as Numbers).last ? undefined : { page: Number(search.page) + 1 }),
  };
  const first = (): ListPage => ({ data: numbersOf(1), search: { page: 1 } });
  const list = new ListPages("/feed");
  return {
    list,
    deps,
    first,
    asked,
    shift: () => shift++,
    answers: (with_?: DataOutcome | (() => Promise<DataOutcome>)) => {
      answer = typeof with_ === "function" ? with_ : with_ && (async () => with_);
    },
    starts: () => list.read().pages.map(({ data }) => (data as Numbers).numbers[0]),
  };
}

test("pages are appended one at a time, until the last", async () => {
  const { list, deps, first, starts, asked } = listOf(3);
  await Promise.all([list.loadNext(first(), deps), list.loadNext(first(), deps)]);
  expect(starts()).toEqual([10]);
  await list.loadNext(first(), deps);
  await list.loadNext(first(), deps);
  expect(starts()).toEqual([10, 20]);
  expect(asked).toEqual(["load 2", "load 3"]);
});

test("a page that fails says why, and another attempt asks the server again", async () => {
  const { list, deps, first, starts, asked, answers } = listOf(3);
  const failure = { kind: "failed", status: 500, digest: "7K2M-9QXD-4TBA" } as const;
  answers(failure);
  await list.loadNext(first(), deps);
  expect(list.read()).toEqual({ pages: [], state: "failed", failure });
  answers();
  await list.loadNext(first(), deps);
  expect(list.read().state).toBe("idle");
  expect(starts()).toEqual([10]);
  expect(asked).toEqual(["load 2", "reload 2"]);
});

test("code that does not load is a failure with another attempt, too", async () => {
  const { list, deps, first, starts } = listOf(3);
  await list.loadNext(first(), { ...deps, reader: () => Promise.reject(new Error("offline")) });
  expect(list.read().state).toBe("failed");
  await list.loadNext(first(), deps);
  expect(starts()).toEqual([10]);
});

test("after a change all pages are loaded again, in order; one that fails stays, and one that is gone goes", async () => {
  const { list, deps, first, starts, asked, answers, shift } = listOf(4);
  await list.refill(first(), 2, deps);
  shift();
  asked.length = 0;
  await Promise.all([list.refresh(first(), deps), list.refresh(first(), deps)]);
  expect(starts()).toEqual([9, 19]);
  // The second change came while the first one was being followed.
  expect(asked).toEqual(["change 2", "change 3", "change 2", "change 3"]);
  answers({ kind: "failed", status: 500, digest: undefined });
  await list.refresh(first(), deps);
  expect(starts()).toEqual([9, 19]);
  answers({ kind: "refused", status: 403 });
  await list.refresh(first(), deps);
  expect(starts()).toEqual([]);
  expect(list.read().state).toBe("idle");
});

test("a list that is left keeps what it has, and takes nothing that arrives later", async () => {
  const { list, deps, first, starts, answers } = listOf(4);
  await list.loadNext(first(), deps);
  const { promise, resolve } = Promise.withResolvers<DataOutcome>();
  answers(() => promise);
  const loading = list.loadNext(first(), deps);
  expect(list.read().state).toBe("loading");
  list.stop();
  resolve({ kind: "loaded", data: { numbers: [99] } });
  await loading;
  expect(starts()).toEqual([10]);
  expect(list.read().state).toBe("idle");
});
