import type { Page } from "playwright-core";

/** Rows of a list whose content reaches into the next row, by their text. */
export function overlappingRows(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const rows = [...document.querySelectorAll("[data-row]")];
    const endOf = (row: Element) => Math.max(...[...row.children].map((cell) => cell.getBoundingClientRect().bottom));
    return rows
      .filter((row, index) => {
        const next = rows[index + 1];
        const isBelow = next?.parentElement === row.parentElement;
        return next && isBelow && endOf(row) > next.getBoundingClientRect().top + 1;
      })
      .map((row) => row.textContent.slice(0, 40));
  });
}
