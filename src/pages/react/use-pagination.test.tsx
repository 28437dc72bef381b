import { expect, test } from "vitest";
import { renderPage } from "../testing/index.ts";
import { usePagination } from "./use-pagination.ts";
import { type SortedColumn, useSorting } from "./use-sorting.ts";

const goods: string = "/goods";
const defaults = { q: "", page: 1, sort: "name" };

function Pages({ total, around }: { total: number; around?: number }) {
  const pages = usePagination<string>(goods as never, { total, size: 10, param: "page" as never, around: around ?? 1 });
  return (
    <nav>
      {pages.from}-{pages.to} of {pages.count}
      {pages.previous && <a {...pages.previous}>Previous</a>}
      {pages.numbers.map(({ page, link }, at) =>
        link ? (
          <a {...link} key={page}>
            {page}
          </a>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: a gap has no other name.
          <i key={`gap ${at}`} />
        ),
      )}
      {pages.next && <a {...pages.next}>Next</a>}
    </nav>
  );
}

async function numbers(page: number, total: number, around?: number): Promise<string> {
  const search = { ...defaults, page };
  const html = await renderPage(goods, <Pages total={total} {...(around && { around })} />, {
    search,
    defaults,
  }).html();
  return html
    .replace(/<i><\/i>/g, "… ")
    .replace(/<a[^>]*aria-current="page"[^>]*>(\d+)<\/a>/, "[$1] ")
    .replace(/<a[^>]*>([^<]+)<\/a>/g, "$1 ")
    .replace(/<[^>]+>/g, "")
    .trim();
}

test("the numbers of a long list are the first, the last and those around, without a gap for one number", async () => {
  expect(await numbers(1, 95)).toBe("1-10 of 10[1] 2 … 10 Next");
  expect(await numbers(4, 95)).toBe("31-40 of 10Previous 1 2 3 [4] 5 … 10 Next");
  expect(await numbers(5, 95)).toBe("41-50 of 10Previous 1 … 4 [5] 6 … 10 Next");
  expect(await numbers(10, 95)).toBe("91-95 of 10Previous 1 … 9 [10]");
  expect(await numbers(5, 95, 3)).toBe("41-50 of 10Previous 1 2 3 4 [5] 6 7 8 9 10 Next");
});

test("a list without rows has one page, and from behind the last page the way leads back to it", async () => {
  expect(await numbers(1, 0)).toBe("0-0 of 1[1]");
  expect(await numbers(7, 15)).toBe("0-0 of 2Previous 1 2");
  const html = await renderPage(goods, <Pages total={15} />, { search: { ...defaults, page: 7 }, defaults }).html();
  expect(html).toContain('<a href="/goods?page=2" rel="prev">');
});

test("links keep the rest of the search and leave out defaults", async () => {
  const html = await renderPage(goods, <Pages total={30} />, {
    search: { ...defaults, q: "a b", page: 2 },
    defaults,
  }).html();
  expect(html).toContain('<a href="/goods?q=a+b" rel="prev">Previous</a>');
  expect(html).toContain('<a href="/goods?q=a+b&amp;page=2" aria-current="page">2</a>');
});

function Columns() {
  const sorted = useSorting(goods as never) as unknown as (column: string) => SortedColumn;
  return ["name", "price"].map((column) => {
    const { link, ...cell } = sorted(column);
    return (
      <th key={column} {...cell}>
        <a {...link}>{column}</a>
      </th>
    );
  });
}

test("a column says how it is sorted and leads to its other direction, on the first page", async () => {
  const html = (search: object) =>
    renderPage(goods, <Columns />, { search: { ...defaults, ...search }, defaults }).html();
  expect(await html({ page: 3 })).toBe(
    '<th aria-sort="ascending"><a href="/goods?sort=-name">name</a></th><th><a href="/goods?sort=price">price</a></th>',
  );
  expect(await html({ sort: "-name", q: "a" })).toBe(
    '<th aria-sort="descending"><a href="/goods?q=a">name</a></th><th><a href="/goods?q=a&amp;sort=price">price</a></th>',
  );
});
