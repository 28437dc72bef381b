import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hourMs } from "../clock.ts";
import type { FiledItem } from "../stores/filed.ts";
import { batchesOf, hex, noon } from "../stores/filed-examples.ts";
import { openSqliteStore } from "../stores/sqlite/open-sqlite-store.ts";
import type { Store } from "../stores/store.ts";
import { jsonOfSpans } from "../stores/values/spans-json.ts";
import type { SeenRelease } from "./change-point.ts";
import { ownReleases } from "./own-releases.ts";
import { routeTrend } from "./route-trend.ts";

const minute = 60_000;
const from = noon - 20 * hourMs;
const period = { from, to: noon };

let folder: string;
let store: Store;
let filed = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-own-releases-"));
  store = openSqliteStore({ folder });
});

afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

/** A load of a page, sampled or only measured. */
function view({ route = "/cart", isSampled = true, ...facts }: View): FiledItem {
  const { at, ms, release } = facts;
  filed += 1;
  const traceId = hex(`view ${filed}`);
  const segment = {
    spanId: traceId.slice(0, 16),
    route,
    op: "pageload" as const,
    at,
    durationMs: ms,
    status: "ok",
    release,
    environment: undefined,
    visitor: undefined,
    session: undefined,
  };
  return {
    kind: "spans",
    rowId: 0,
    project: 1,
    receivedAt: at,
    traceId,
    key: filed,
    at,
    body: jsonOfSpans([]),
    segments: isSampled ? [segment] : [],
    measures: [{ route, measure: "pageload", at, value: ms, release }],
    counts: [],
  };
}

interface View {
  at: number;
  ms: number;
  release: string;
  route?: string;
  isSampled?: boolean;
}

/** Ten hours of the cart, and ten in which it takes four times as long and has other releases. */
function hours(releasesAfter: readonly string[], more: Partial<View> = {}): FiledItem[] {
  return Array.from({ length: 20 * 12 }, (_, n) => {
    const hour = Math.floor(n / 12);
    const ms = (hour < 10 ? 300 : 1_200) * (0.5 + (n % 12) / 12);
    const after = releasesAfter[n % releasesAfter.length] ?? "";
    return view({ at: from + hour * hourMs + 20 * minute, ms, release: hour < 10 ? "shop@1" : after, ...more });
  });
}

async function loadChange(items: readonly FiledItem[]) {
  for (const batch of batchesOf(items)) await store.commit(batch);
  const trend = await routeTrend({ store, now: noon }, { project: 1, route: "/cart", period });
  return trend?.measures.find(({ measure }) => measure === "pageload")?.change;
}

describe("the release that a route's change names", () => {
  it("is the one of its own views, also if another began a few minutes before", async () => {
    const other = view({ at: from + 10 * hourMs + 5 * minute, ms: 10, release: "admin@7", route: "/admin" });
    expect(await loadChange([...hours(["shop@2"]), other])).toMatchObject({
      release: "shop@2",
      since: from + 10 * hourMs + 20 * minute,
    });
  });

  it("is none if the route has no views of it, only a time", async () => {
    const other = view({ at: from + 10 * hourMs + 5 * minute, ms: 10, release: "admin@7", route: "/admin" });
    const change = await loadChange([...hours(["shop@1"]), other]);
    expect(change).toMatchObject({ release: undefined, since: from + 10 * hourMs });
    expect(change?.times).toBeCloseTo(4, 0);
  });

  it("is none if fewer than half of its views are of it", async () => {
    expect(await loadChange(hours(["shop@2", "shop@1", "shop@1"]))).toMatchObject({ release: undefined });
  });

  it("is none if no view was sampled", async () => {
    expect(await loadChange(hours(["shop@2"], { isSampled: false }))).toMatchObject({ release: undefined });
  });

  it("stays the one that began it, if a later release has most views by now", async () => {
    const later = Array.from({ length: 300 }, () => view({ at: noon - hourMs, ms: 1_200, release: "shop@3" }));
    expect(await loadChange([...hours(["shop@2"]), ...later])).toMatchObject({ release: "shop@2" });
  });
});

it("looks at five suspects, and leaves out those that it did not look at", async () => {
  const seen = Array.from({ length: 9 }, (_, n): SeenRelease => ({ release: `shop@${n}`, at: noon + n }));
  let looks = 0;
  const trend = (suspects: readonly SeenRelease[]) => {
    looks += 1;
    const change = { since: noon, release: suspects[0]?.release, before: 1, after: 2, times: 2 };
    return { measures: [], errors: { change }, fullLoads: { change: undefined } };
  };
  const views = { project: 1, route: "/cart", to: noon + hourMs, stepMs: hourMs };
  expect(await ownReleases(store, views, { seen, trend })).toEqual([]);
  expect(looks).toBe(5);
});
