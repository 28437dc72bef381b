import {
  type MouseEvent,
  type RefObject,
  useCallback,
  useContext,
  useLayoutEffect,
  useRef,
  useSyncExternalStore,
} from "react";
import type { LinkSearch, PageData, PageId, PageSearch } from "#routes";
import * as pageErrors from "../errors.ts";
import { typedAddressOf, type View } from "../view.ts";
import { pendingState, runtime } from "./browser-runtime.ts";
import type { DataFailure } from "./data-outcome.ts";
import { type ListPage, ListPages, type ListPagesDeps, type ListState, type SearchChange } from "./list-pages.ts";
import { PageContext } from "./page-context.ts";
import { changeSearch } from "./search-changes.ts";
import type { SearchPage } from "./use-search.ts";

// The code that reads data is loaded when the browser is idle, not when the visitor has scrolled.
pendingState.readsData = true;

/**
 * Pages of one list, the first included. With 50 rows each they are 2,500 elements, which a phone still lays out
 * without a pause. After them, the link leads to a list of its own.
 */
export const listPagesAtMost = 50;
/** After a reload so many pages are loaded again, one after the other: at 100 ms each, the visitor waits a second. */
export const refilledPagesAtMost = 10;

export interface InfiniteListOptions<Id extends PageId, Row> {
  /** The rows of one page. */
  rows: (data: PageData<Id>) => readonly Row[];
  /** Identifies a row. A row that a later page has once more is left out. */
  key: (row: NoInfer<Row>) => string | number;
  /** What changes in the search for the next page: its number, or a cursor. Undefined on the last page. */
  next: (data: PageData<Id>, search: PageSearch<Id>) => Partial<LinkSearch<Id>> | undefined;
  /** Distinguishes several lists of one page. */
  name?: string;
  /** Pages that are loaded into one list, the first included; 50 by default. */
  pages?: number;
}

/** Attributes for an `<a>`: a link to the next page, which the list loads when it comes near. */
export interface MoreLink {
  href: string;
  rel: "next";
  /** While the next page is being loaded: the scroll position of a reloaded page waits for it. */
  "data-growing"?: "";
  ref?: (link: HTMLAnchorElement | null) => (() => void) | undefined;
  onClick?: (event: MouseEvent) => void;
}

export interface InfiniteList<Row> {
  /** The rows of all pages that are loaded, each once. */
  rows: readonly Row[];
  /** Undefined on the last page, and while `failed`. */
  more: MoreLink | undefined;
  /**
   * `held`: the connection is lost, and the load continues when it is back. `full`: the list has as many pages as it
   * may have, and `more` is a plain link.
   */
  state: "idle" | "loading" | "held" | "failed" | "full" | "ended";
  failure: DataFailure | undefined;
  /** Tries the failed page again. */
  retry: () => void;
  /** Attributes of the element around the rows. */
  feed: { role: "feed"; "aria-busy": boolean };
  /** Attributes of one row, an `<article>`. */
  item: (at: number) => { "aria-posinset": number; "aria-setsize": number };
}

/**
 * Appends the next pages of a list to the page on screen while the visitor scrolls. After Back they are there again,
 * at the same position. Without JavaScript `more` leads to the next page.
 *
 * @example
 * const { rows, more } = useInfiniteList("/feed", {
 *   rows: (data) => data.found,
 *   key: (row) => row.id,
 *   next: (data, { page }) => (data.isLast ? undefined : { page: page + 1 }),
 * });
 */
export function useInfiniteList<const Id extends PageId, Row>(
  id: SearchPage<Id>,
  options: InfiniteListOptions<Id, Row>,
): InfiniteList<Row> {
  const { rows, key, next, name = "", pages: atMost = listPagesAtMost } = options;
  const page = useContext(PageContext);
  if (page?.route !== id) throw pageErrors.otherPage("useInfiniteList", id, page?.route ?? null);
  const { path, search: written, view } = page;
  const { search, defaults = {} } = typedAddressOf(view) ?? {};
  const first: ListPage = { data: view.data[view.folders.length], search: Object(search) };
  const deps: ListPagesDeps = {
    reader: () => runtime("useInfiniteList").dataReader(),
    href: (changed) => {
      const url = new URL(changeSearch(`http://a${path}${written}`, changed, defaults));
      return url.pathname + url.search;
    },
    // The page's own load has returned this data, and its schema this search.
    next: (last) => {
      const change = next(last.data as PageData<Id>, last.search as PageSearch<Id>);
      return change && { ...last.search, ...(change as SearchChange) };
    },
  };
  const list = useListOf(view, path + written, name);
  const { pages, state, failure } = useSyncExternalStore(list.subscribe, list.read, firstOnly);
  const now = useRef({ list, first, deps, view });
  useLayoutEffect(() => {
    const { view: before, list: listBefore } = now.current;
    now.current = { list, first, deps, view };
    // The first page was loaded again, so the others may have changed too.
    if (listBefore === list && before !== view) void list.refresh(first, deps);
  });
  useKept(list, name, now);

  const following = deps.next(pages.at(-1) ?? first);
  const isFull = pages.length + 1 >= atMost;
  const load = useCallback(() => {
    const { list: shown, first: start, deps: by } = now.current;
    void shown.loadNext(start, by);
  }, []);
  const count = pages.length;
  // Another function for each page: the observer looks again whether the link is near.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const ref = useCallback(
    (link: HTMLAnchorElement | null) => (link ? watchNear(link, load) : undefined),
    [count, list, load],
  );
  const onClick = useCallback(
    (event: MouseEvent) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      load();
    },
    [load],
  );
  const all = listOnce([first, ...pages], (one) => rows(one.data as PageData<Id>), key);
  const moreLink: MoreLink = {
    href: deps.href(following ?? {}),
    rel: "next",
    ...(state === "loading" && { "data-growing": "" }),
    ...(!isFull && { ref, onClick }),
  };
  return {
    rows: all,
    more: following && state !== "failed" ? moreLink : undefined,
    state: state !== "idle" ? state : !following ? "ended" : isFull ? "full" : "idle",
    failure,
    retry: load,
    feed: { role: "feed", "aria-busy": state === "loading" },
    item: (at) => ({ "aria-posinset": at + 1, "aria-setsize": following ? -1 : all.length }),
  };
}

function listOnce<Row>(
  pages: readonly ListPage[],
  rows: (page: ListPage) => readonly Row[],
  key: (row: Row) => string | number,
): Row[] {
  const seen = new Map<string | number, Row>();
  for (const row of pages.flatMap(rows)) if (!seen.has(key(row))) seen.set(key(row), row);
  return [...seen.values()];
}

const firstState: ListState = { pages: [], state: "idle", failure: undefined };

/** The server renders the first page, and hydration does the same. */
function firstOnly(): ListState {
  return firstState;
}

/** The link is a screen away: the next page is there when the visitor arrives. */
const nearness = "100% 0px";

function watchNear(link: HTMLAnchorElement, load: () => void): () => void {
  const observer = new IntersectionObserver((entries) => entries.some((one) => one.isIntersecting) && load(), {
    // In a box that scrolls, nearness is that of the box.
    root: link.closest("[data-scroll-key],[data-page-dialog]"),
    rootMargin: nearness,
  });
  observer.observe(link);
  return () => observer.disconnect();
}

/**
 * Lists by view. The history keeps the views of the pages behind Back, so their lists are there as long as they are,
 * and go with them.
 */
const lists = new WeakMap<View, Map<string, ListPages>>();

/** A page that is loaded again keeps its lists; with another search they begin again. */
function useListOf(view: View, address: string, name: string): ListPages {
  const last = useRef<ListPages>(undefined);
  const named = lists.get(view) ?? new Map<string, ListPages>();
  lists.set(view, named);
  const list = named.get(name) ?? (last.current?.address === address ? last.current : new ListPages(address));
  named.set(name, list);
  last.current = list;
  return list;
}

interface Shown {
  list: ListPages;
  first: ListPage;
  deps: ListPagesDeps;
}

/** While the list is shown: follows changes, and notes how many pages it has for a reload of the document. */
function useKept(list: ListPages, name: string, now: RefObject<Shown>): void {
  useLayoutEffect(() => {
    let unfollow: (() => void) | undefined;
    let isGone = false;
    const follow = async (): Promise<void> => {
      const reader = await now.current.deps.reader();
      if (!isGone) unfollow ??= reader.onChange(() => void list.refresh(now.current.first, now.current.deps));
    };
    const noted = readNotes().find(([place, of]) => place === placeOfEntry() && of === name);
    const count = noted?.[2] === list.address ? Math.min(noted[3], refilledPagesAtMost - 1) : 0;
    // A reload in the meantime wants as many again.
    let wanted = count;
    if (list.read().pages.length < count)
      void list.refill(now.current.first, count, now.current.deps).then(() => {
        wanted = 0;
      });
    const changed = (): void => {
      const { length } = list.read().pages;
      if (length === 0) return;
      note([placeOfEntry(), name, list.address, Math.max(length, wanted)]);
      if (!unfollow) follow().catch(() => undefined);
    };
    changed();
    const unsubscribe = list.subscribe(changed);
    return () => {
      isGone = true;
      unsubscribe();
      unfollow?.();
      list.stop();
    };
  }, [list, name, now]);
}

/** The number of pages of a list, for a document that is loaded again: its history entry, its name and address. */
type Note = readonly [place: unknown, name: string, address: string, pages: number];

const notesKey = "holdfast-lists";
/** Hardly any visitor reloads a page and then goes back further than this. */
const notesAtMost = 20;

function readNotes(): Note[] {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(notesKey) ?? "[]");
    // Written by this code in this tab; a damaged value only loads too many or too few pages.
    return Array.isArray(value) ? (value as Note[]) : [];
  } catch {
    return []; // storage denied or damaged: a reload begins with the first page
  }
}

function note(one: Note): void {
  if (one[0] === null) return;
  const others = readNotes().filter(([place, name]) => place !== one[0] || name !== one[1]);
  try {
    sessionStorage.setItem(notesKey, JSON.stringify([...others, one].slice(-notesAtMost)));
  } catch {
    // Storage is denied or full: a reload begins with the first page.
  }
}

/** The number of the history entry, which survives a reload. */
function placeOfEntry(): unknown {
  return Object(history.state).holdfast ?? null;
}
