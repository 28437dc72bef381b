import { expect, test } from "vitest";
import { type TimedPage, writePrerenderTable } from "./prerender-table.ts";

const made = (route: string, ms: number): TimedPage => ({
  page: { route, document: { bytes: 2_100 }, data: { bytes: 200 } } as TimedPage["page"],
  ms,
});

test("the table of prerendered pages has the routes in order, whichever page was made first", () => {
  const pages = [made("/docs/[guide]", 8), made("/about", 9), made("/docs/[guide]", 6)];
  expect(writePrerenderTable(pages)).toBe(`  prerendered    pages    HTML    data   time
  /about             1  2.1 kB  0.2 kB   9 ms
  /docs/[guide]      2  4.2 kB  0.4 kB  14 ms
`);
  expect(writePrerenderTable(pages.toReversed())).toBe(writePrerenderTable(pages));
});

test("the page for all other addresses has no data", () => {
  const [page] = [made("404.html", 8)].map(({ page, ms }) => ({ page: { ...page, isNotFound: true }, ms }));
  expect(page && writePrerenderTable([page])).toContain("404.html         1  2.1 kB  0.0 kB");
});
