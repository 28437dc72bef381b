import { kilobytes } from "../output/size-table.ts";
import type { WrittenPage } from "./prerendered-files.ts";

/** A page and the time that it took. */
export interface TimedPage {
  page: WrittenPage;
  ms: number;
}

/**
 * Formats what was made: each route with its pages, their bytes and the time that they took. The routes are in the
 * order of their names, because pages are made at the same time and end in any order.
 */
export function writePrerenderTable(made: readonly TimedPage[]): string {
  const routes = [...Map.groupBy(made, ({ page }) => page.route)].sort(([one], [other]) => (one < other ? -1 : 1));
  const rows = [
    ["prerendered", "pages", "HTML", "data", "time"],
    ...routes.map(([route, pages]) => [
      route,
      String(pages.length),
      kilobytes(sum(pages, ({ page }) => page.document.bytes)),
      kilobytes(sum(pages, ({ page }) => (page.isNotFound ? 0 : page.data.bytes))),
      `${Math.round(sum(pages, ({ ms }) => ms))} ms`,
    ]),
  ];
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const lines = rows.map(([route = "", ...rest]) =>
    [route.padEnd(width(0)), ...rest.map((text, column) => text.padStart(width(column + 1)))].join("  "),
  );
  return `${lines.map((line) => `  ${line}`).join("\n")}\n`;
}

function sum(pages: readonly TimedPage[], amount: (page: TimedPage) => number): number {
  return pages.reduce((total, page) => total + amount(page), 0);
}
