import type { PageId, PageSearch } from "#routes";
import type { SearchPage } from "./use-search.ts";
import { type SearchAnchor, useSearchLink } from "./use-search-link.ts";

type KeysOf<Search, Value> = {
  [Key in keyof Search]-?: [Search[Key]] extends [Value] ? Key : never;
}[keyof Search] &
  string;

/** Names of the numbers in the search of a page. */
export type NumberKey<Id extends string> = KeysOf<PageSearch<Id>, number>;

export type PaginationOptions<Id extends string> = {
  /** Rows in all. */
  total: number;
  /** Rows of one page. */
  size: number;
  /** Numbers on each side of the current one, beside the first and the last; 1 by default. */
  around?: number;
} & ("page" extends NumberKey<Id>
  ? { /** The key of the search; `page` by default. */ param?: NumberKey<Id> }
  : { param: NumberKey<Id> });

export interface Pagination {
  page: number;
  /** Number of pages, at least 1. */
  count: number;
  /** The rows of this page, counted from 1; both are 0 without any. */
  from: number;
  to: number;
  previous: SearchAnchor | undefined;
  next: SearchAnchor | undefined;
  /** The first, the last, and those around the current one. `gap` is where numbers are left out. */
  numbers: readonly ({ page: number; link: SearchAnchor } | { page: "gap"; link: undefined })[];
}

/**
 * Returns the links between the pages of a list whose number is in the search: attributes for `<a>`.
 *
 * @example
 * const { previous, next } = usePagination("/goods", { total: data.count, size: 20 });
 * return next && <a {...next}>Next</a>;
 */
export function usePagination<const Id extends PageId>(id: SearchPage<Id>, options: PaginationOptions<Id>): Pagination {
  const { total, size, around = 1, param = "page" } = options as PaginationOptions<string>;
  const [search, hrefWith] = useSearchLink<Id>(id);
  const count = Math.max(1, Math.ceil(total / size));
  const asked = search[param];
  const page = typeof asked === "number" ? asked : 1;
  const anchor = (to: number): SearchAnchor => ({ href: hrefWith({ [param]: to }) });
  return {
    page,
    count,
    from: page > count || total === 0 ? 0 : (page - 1) * size + 1,
    to: page > count ? 0 : Math.min(page * size, total),
    // An address may name a page behind the last one.
    previous: page > 1 ? { ...anchor(Math.min(page - 1, count)), rel: "prev" } : undefined,
    next: page < count ? { ...anchor(page + 1), rel: "next" } : undefined,
    numbers: listNumbers(page, count, around).map((one) =>
      one === "gap"
        ? { page: one, link: undefined }
        : { page: one, link: { ...anchor(one), ...(one === page && { "aria-current": "page" }) } },
    ),
  };
}

/** A gap is at least two numbers: in place of one, the number itself is as short. */
function listNumbers(page: number, count: number, around: number): (number | "gap")[] {
  const shown = new Set([1, count]);
  for (let one = page - around; one <= page + around; one++) if (one >= 1 && one <= count) shown.add(one);
  const sorted = [...shown].sort((one, other) => one - other);
  return sorted.flatMap((one, at) => {
    const left = one - (sorted[at - 1] ?? one - 1) - 1;
    return left === 0 ? [one] : left === 1 ? [one - 1, one] : ["gap", one];
  });
}
