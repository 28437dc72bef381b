import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { dayMs, hourMs } from "../clock.ts";
import type { FiledItem } from "../stores/filed.ts";
import { anEvent, batchesOf, noon } from "../stores/filed-examples.ts";
import { openSqliteStore } from "../stores/sqlite/open-sqlite-store.ts";
import { adoptionOf, divideIssues, releaseComparison } from "./release-comparison.ts";

const place = { rowId: 0, project: 1, environment: undefined, crashed: 0, abnormal: 0 };

function visits(release: string, at: number, started: number): FiledItem {
  return { ...place, kind: "session-counts", receivedAt: at, startedAt: at, release, started, errored: 0 };
}

function views(release: string, at: number, ms: number): FiledItem {
  return {
    ...place,
    kind: "metrics",
    receivedAt: at,
    // From half to three halves of the time.
    measures: Array.from({ length: 200 }, (_, n) => [
      { route: "/cart", measure: "pageload", at, value: ms * (0.5 + n / 200), release },
      { route: "/about", measure: "pageload", at, value: 100 + n, release },
    ]).flat(),
    counts: [{ name: "holdfast.full-load", route: "/cart", label: "build-mismatch", at, n: 3 }],
  };
}

describe("two releases", () => {
  it("releases are compared by their issues, routes, visits and deployments", async () => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-compared-"));
    const store = openSqliteStore({ folder });
    const errors = (text: string, n: number, release: string, at: number): FiledItem[] =>
      Array.from({ length: n }, () => anEvent({ text, release, at, route: "/cart" }));
    const [first, second] = [noon - 3 * dayMs, noon - dayMs];
    const items: FiledItem[] = [
      visits("1.4.0", first, 100),
      views("1.4.0", first + hourMs, 300),
      ...errors("gone", 3, "1.4.0", first),
      ...errors("grown", 2, "1.4.0", first),
      ...errors("same", 20, "1.4.0", first),
      visits("1.4.1", second, 25),
      visits("1.4.0", second, 75),
      visits("1.4.1", second + hourMs, 75),
      views("1.4.1", second + hourMs, 1_200),
      ...errors("new", 4, "1.4.1", second),
      ...errors("grown", 30, "1.4.1", second + 20 * 60_000),
      ...errors("same", 20, "1.4.1", second + 2 * hourMs),
    ];
    for (const batch of batchesOf(items, 50)) await store.commit(batch);
    const found = await releaseComparison({ store, now: noon }, 1, { from: "1.4.1", to: "1.4.0" });
    const titles = (list: readonly { issue: { title: string }; before: number; after: number }[] = []) =>
      list.map(({ issue, before, after }) => [issue.title, before, after]);
    expect(found).toMatchObject({ from: { name: "1.4.0", visits: 175 }, to: { name: "1.4.1", visits: 100 } });
    expect(titles(found?.newIssues)).toEqual([["new", 0, 4]]);
    expect(titles(found?.goneIssues)).toEqual([["gone", 3, 0]]);
    expect(titles(found?.grownIssues)).toEqual([["grown", 2, 30]]);
    expect(found?.routes).toMatchObject([{ route: "/cart", measure: "pageload" }]);
    expect(found?.routes[0]?.times).toBeCloseTo(4, 0);
    expect(found?.to.adoption.slice(0, 3)).toEqual([0.25, 1, undefined]);
    expect(found?.to.deploy).toEqual({
      errorsInFirstHour: 34,
      adoptedInHour: 1,
      adoptedInDay: undefined,
      skewLoads: 3,
    });
    expect(found?.to.asNewest).toEqual({ from: second, to: noon });
    expect(found?.from.asNewest).toEqual({ from: first, to: second });
    expect(await releaseComparison({ store, now: noon }, 1, { from: "1.4.1", to: "9.9.9" })).toBeUndefined();
    expect(await releaseComparison({ store, now: noon }, 1, { from: "1.4.1", to: "1.4.1" })).toBeDefined();
    store.close();
    rmSync(folder, { recursive: true });
  });

  it("releases are compared by events if visits are unknown", () => {
    const before = [
      { issue: 1, events: 10 },
      { issue: 2, events: 990 },
    ];
    const after = [
      { issue: 1, events: 60 },
      { issue: 2, events: 940 },
    ];
    expect(divideIssues({ before, after, visits: [0, 0] })).toMatchObject({ newIds: [], goneIds: [], grownIds: [1] });
    expect(divideIssues({ before, after: before, visits: [0, 0] }).grownIds).toEqual([]);
    expect(divideIssues({ before: [], after: [], visits: [0, 0] }).grownIds).toEqual([]);
  });

  it("releases have no adoption in hours without visits", () => {
    expect(adoptionOf([], "1.0.0", { from: 0, to: 2 * hourMs })).toEqual([undefined, undefined, undefined]);
  });
});
