import { expect, test } from "vitest";
import { inOrder } from "./page-order.ts";
import { unmeasuredPage } from "./unmeasured-page.ts";

test("pages are sorted by a measure, those without it last; an unknown one keeps their order", () => {
  const pages = [
    unmeasuredPage({ route: "/unmeasured", views: 9 }),
    unmeasuredPage({ route: "/quick", views: 2, vitals: { lcp: { count: 1, p75: 900, rating: "good" } } }),
    unmeasuredPage({ route: "/slow", views: 4, vitals: { lcp: { count: 1, p75: 4_900, rating: "poor" } } }),
  ];
  const sorted = (by: string) => inOrder(pages, by).map(({ route }) => route);
  expect(sorted("lcp")).toEqual(["/slow", "/quick", "/unmeasured"]);
  expect(sorted("views")).toEqual(["/unmeasured", "/slow", "/quick"]);
  for (const by of ["", "constructor", "time"]) expect(sorted(by)).toEqual(["/unmeasured", "/quick", "/slow"]);
});
