import type { PageId } from "#routes";
import { typedAddressOf } from "../view.ts";
import { usePage } from "./page-context.ts";
import { type ChangedSearch, changeSearch } from "./search-changes.ts";
import { type SearchPage, useSearch } from "./use-search.ts";

/** Returns the search of the page, and the address of the page with some values of it changed. */
export function useSearchLink<const Id extends PageId>(
  id: SearchPage<Id>,
): readonly [search: ChangedSearch, hrefWith: (change: ChangedSearch) => string] {
  const [search] = useSearch<Id>(id);
  const { path, search: written, view } = usePage();
  const { defaults = {} } = typedAddressOf(view) ?? {};
  const hrefWith = (change: ChangedSearch): string => {
    const { pathname, search: text } = new URL(
      changeSearch(`http://a${path}${written}`, { ...Object(search), ...change }, defaults),
    );
    return pathname + text;
  };
  return [Object(search), hrefWith];
}

/** Attributes of an `<a>`. It works without JavaScript, and as `Link` does with it. */
export interface SearchAnchor {
  href: string;
  rel?: "prev" | "next";
  "aria-current"?: "page";
}
