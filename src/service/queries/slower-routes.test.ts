import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { dayMs, hourMs } from "../clock.ts";
import type { FiledItem } from "../stores/filed.ts";
import { batchesOf, noon } from "../stores/filed-examples.ts";
import { openSqliteStore } from "../stores/sqlite/open-sqlite-store.ts";
import { overview } from "./overview.ts";

/** Hundred loads of the cart that take about so long, and as many of a page that never changes. */
function views(at: number, ms: number): FiledItem {
  const measures = Array.from({ length: 100 }, (_, n) => [
    { route: "/cart", measure: "pageload", at, value: ms * (0.5 + n / 100), release: "1" },
    { route: "/cart", measure: "lcp", at, value: ms, release: "1" },
    { route: "/about", measure: "pageload", at, value: 100 + n, release: "1" },
  ]).flat();
  return { rowId: 0, project: 1, receivedAt: at, kind: "metrics", measures, counts: [] };
}

describe("the overview of a slow day", () => {
  it("names the routes that are slower than a week ago, since when, and the hours of each vital", async () => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-slower-"));
    const store = openSqliteStore({ folder });
    try {
      const day = (from: number, ms: (hour: number) => number): FiledItem[] =>
        Array.from({ length: 12 }, (_, n) => views(from - n * hourMs, ms(n)));
      // In the last six hours the cart takes four times as long.
      const items = [...day(noon - 7 * dayMs, () => 300), ...day(noon, (hour) => (hour < 6 ? 1_200 : 300))];
      for (const batch of batchesOf(items, 6)) await store.commit(batch);
      const { slowerRoutes, trends } = await overview({ store, now: noon + 60_000 }, 1);
      expect(slowerRoutes).toMatchObject([
        { route: "/cart", measure: "pageload", change: { since: noon - 5 * hourMs } },
      ]);
      expect(slowerRoutes[0]?.times).toBeGreaterThan(2);
      expect(trends.from).toBe(noon - 23 * hourMs);
      const { values, change } = trends.measures.lcp;
      expect(values.map((value) => value && Math.round(value / 100))).toEqual([
        ...new Array(12).fill(undefined),
        ...new Array(6).fill(3),
        ...new Array(6).fill(12),
      ]);
      expect(change?.since).toBe(noon - 5 * hourMs);
      expect(trends.measures.inp.values).toEqual(new Array(24).fill(undefined));
    } finally {
      store.close();
      rmSync(folder, { recursive: true });
    }
  });

  it("names no route without a week to compare with", async () => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-slower-"));
    const store = openSqliteStore({ folder });
    try {
      for (const batch of batchesOf([views(noon, 9_000)], 1)) await store.commit(batch);
      expect((await overview({ store, now: noon + 60_000 }, 1)).slowerRoutes).toEqual([]);
    } finally {
      store.close();
      rmSync(folder, { recursive: true });
    }
  });
});
