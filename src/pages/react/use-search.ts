import { useCallback, useContext, useEffect, useMemo, useSyncExternalStore } from "react";
import type { LinkSearch, PageId, PageSearch } from "#routes";
import * as pageErrors from "../errors.ts";
import { typedAddressOf } from "../view.ts";
import { pendingState, runtime, runtimeIfRunning } from "./browser-runtime.ts";
import { PageContext } from "./page-context.ts";
import { type ChangedSearch, SearchChanges } from "./search-changes.ts";

/** The id itself, or for a page without a schema the message that the compiler shows. */
export type SearchPage<Id extends string> =
  PageSearch<Id> extends undefined ? "a page whose server half exports a search schema" : Id;

export interface SetSearchOptions {
  /** Adds an entry to the history, so that Back undoes the change, and loads the page at once. */
  push?: boolean;
}

type SearchChange<Id extends string> = { [Key in keyof LinkSearch<Id>]?: LinkSearch<Id>[Key] | undefined };

/** Changes some values; `undefined` is the default. A function gets the search as it is now. */
export type SetSearch<Id extends string> = (
  change: SearchChange<Id> | ((before: PageSearch<Id>) => SearchChange<Id>),
  options?: SetSearchOptions,
) => void;

/**
 * Returns the search of a page and a function that changes it. A change is visible at once, also in the address; the
 * page is loaded after the last of several changes. Scroll position and focus stay. For components of that page.
 *
 * @example
 * const [search, setSearch] = useSearch("/goods");
 * <input value={search.q} onChange={(event) => setSearch({ q: event.target.value, page: 1 })} />
 */
export function useSearch<const Id extends PageId>(
  id: SearchPage<Id>,
): readonly [search: PageSearch<Id>, setSearch: SetSearch<Id>] {
  const page = useContext(PageContext);
  if (page?.route !== id) throw pageErrors.otherPage("useSearch", id, page?.route ?? null);
  const { search, defaults = {} } = typedAddressOf(page.view) ?? {};
  const changed = useSyncExternalStore(changes.subscribe, changes.read, nothingChanged);
  const shown = useMemo(() => ({ ...Object(search), ...changed }), [search, changed]);
  useEffect(() => changes.pageShown(page.search), [page]);
  const set = useCallback(
    (change: unknown, { push = false }: SetSearchOptions = {}) => {
      const now = { ...Object(search), ...changes.read() };
      changes.change(typeof change === "function" ? change(now) : change, defaults, push);
    },
    [search, defaults],
  );
  return [shown, set];
}

/** One per document. */
const changes = new SearchChanges({
  address: () => runtimeIfRunning()?.address?.() ?? location.href,
  writeAddress: (address) => {
    const tab = runtimeIfRunning();
    if (tab?.writeAddress) return tab.writeAddress(address);
    try {
      history.replaceState(history.state, "", address);
    } catch {
      // A browser refuses too many in a short time. The page that is loaded at the end has the address too.
    }
  },
  navigate: (address, replace) =>
    runtime("useSearch").navigate(address, { replace, keepScroll: true, keepFocus: true }),
  pending: () => {
    const pending = pendingState.read();
    return "target" in pending ? pending.target : undefined;
  },
  setTimer: (run, ms) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
});
pendingState.subscribe(() => changes.otherNavigation());

const none: ChangedSearch = {};

function nothingChanged(): ChangedSearch {
  return none;
}
