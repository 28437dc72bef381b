import { expect, test } from "vitest";
import { breachesOf } from "./page-budgets.ts";
import { unmeasuredPage } from "./unmeasured-page.ts";

const quantiles = (p75: number) => ({ count: 9, p50: p75 / 2, p75, p95: p75 * 2 });
const page = (route: string, fields: Partial<Parameters<typeof unmeasuredPage>[0]> = {}) =>
  unmeasuredPage({ route, views: 9, ...fields });

test("measures over a page's budget are named, the worst first; those not measured, not declared or just met are not", () => {
  const pages = [
    page("/cart", {
      load: quantiles(1_500),
      navigation: quantiles(400),
      vitals: {
        lcp: { count: 9, p75: 2_600, rating: "needs-improvement" },
        cls: { count: 9, p75: 0.3, rating: "poor" },
      },
    }),
    page("/free", { load: quantiles(60_000) }),
  ];
  const budgets = {
    "/cart": { loadMs: 1_500, navigationMs: 300, serverMs: 10, lcpMs: 2_500, cls: 0.1 },
    "/gone": { loadMs: 1 },
  };
  expect(breachesOf(pages, budgets)).toEqual([
    { route: "/cart", measure: "CLS", p75: 0.3, limit: 0.1 },
    { route: "/cart", measure: "navigation", p75: 400, limit: 300 },
    { route: "/cart", measure: "LCP", p75: 2_600, limit: 2_500 },
  ]);
  expect(breachesOf(pages, {})).toEqual([]);
});
