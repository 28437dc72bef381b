import type { PageId, PageSearch } from "#routes";
import type { SearchPage } from "./use-search.ts";
import { type SearchAnchor, useSearchLink } from "./use-search-link.ts";

type SortKey<Id extends string> = keyof PageSearch<Id> & string;

/** Columns that the key of the search can name, without those of the other direction: `name` of `name` and `-name`. */
export type SortColumn<Id extends string, Key extends string> =
  PageSearch<Id> extends Readonly<Record<Key, infer Value>>
    ? Value extends `-${string}`
      ? never
      : Extract<Value, string>
    : never;

export interface SortedColumn {
  /** For the `<th>`; undefined for a column by which the list is not sorted. */
  "aria-sort": "ascending" | "descending" | undefined;
  /** Sorts by this column; in the other direction, if it is sorted by it already. */
  link: SearchAnchor;
}

export interface SortingOptions<Id extends string, Key extends string> {
  /** The key of the search; `sort` by default. */
  param?: Key;
  /** A key that is set to its default with every change; `page` by default, if the search has it. */
  resets?: SortKey<Id>;
}

/**
 * Returns a function that describes a column of a table that is sorted by its search: `name` is ascending, `-name`
 * descending. For a page whose schema has `sort: z.enum(["name", "-name", …])`.
 *
 * @example
 * const sorted = useSorting("/goods");
 * const { link, ...cell } = sorted("name");
 * return <th {...cell}><a {...link}>Name</a></th>;
 */
export function useSorting<const Id extends PageId, const Key extends SortKey<Id> = SortKey<Id> & "sort">(
  id: SearchPage<Id>,
  { param = "sort" as Key, resets = "page" as SortKey<Id> }: SortingOptions<Id, Key> = {},
): (column: SortColumn<Id, Key>) => SortedColumn {
  const [search, hrefWith] = useSearchLink<Id>(id);
  const now = search[param];
  return (column) => {
    const isAscending = now === column;
    const isDescending = now === `-${column}`;
    const change = { [param]: isAscending ? `-${column}` : column, ...(resets in search && { [resets]: undefined }) };
    return {
      "aria-sort": isAscending ? "ascending" : isDescending ? "descending" : undefined,
      link: { href: hrefWith(change) },
    };
  };
}
