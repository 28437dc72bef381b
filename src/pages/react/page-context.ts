import { type Context, createContext, useContext } from "react";
import type { PageId, PageParams, PageSearch } from "#routes";
import { typedParams, typedSearches } from "#routes/href";
import { type Params, typedAddressOf, type View } from "../view.ts";

/** The current page, for its components. Created for each view that is shown. */
export interface PageContextValue {
  /** The page's canonical path, without search. Addresses of actions are based on it. */
  path: string;
  search: string;
  route: string | null;
  params: Params;
  view: View;
  /** The previous page, if it belongs to this application: the back link for browsers without scripts. */
  back?: string | undefined;
  /** On the server: the origin that the visitor has in the address bar. */
  origin?: string | undefined;
  /** On the server: whether the host has a page that says what became of a digest. */
  hasAnswers?: boolean | undefined;
  /** In a dialog over another page: closes it. */
  dialog?: PageDialog | undefined;
  /** All routes of the application, by their addresses as in `BrowserRoute`; an API route has no `page`. */
  routes: readonly { id: string; page?: unknown }[];
  /** Loads the page's data again and renders it. Does nothing on the server. */
  retry: () => void;
  /**
   * On the server: the result of a promise of the page's data, as the browser will receive it. Undefined for other
   * promises.
   */
  settled?: (promise: PromiseLike<unknown>) => Promise<Settled> | undefined;
  /** On the server: the nonce of this document. Absent in a document that may be cached. */
  nonce?: string | undefined;
  /** On the server: identifies a post from this document without script. Absent in a document that may be cached. */
  submissionKey?: string | undefined;
  /** On the server: the same page with its address as its schemas read it. A copy would not have its getters. */
  withAddress?: (address: Pick<TypedPage<string>, "search" | "params">) => TypedPage<string>;
  /** Reports an error that a boundary caught; returns the digest to show. */
  caught: (error: unknown, componentStack: string | undefined) => string | undefined;
}

export interface PageDialog {
  /** Goes back to the page below, as Back and Escape do. */
  close(): void;
}

/** The result of a promise of the page's data. */
export type Settled<Value = unknown> = { kind: "resolved"; value: Value } | { kind: "failed"; thrown: unknown };

export const PageContext: Context<PageContextValue | null> = createContext<PageContextValue | null>(null);

/** The current page as its schema reads its address. */
export interface TypedPage<Id extends string> extends Omit<PageContextValue, "search" | "params" | "withAddress"> {
  params: PageParams<Id>;
  search: PageSearch<Id>;
}

/**
 * Returns the current page. With the id of a page its `params` and `search` are those of that page's schemas; undefined
 * while another page is shown, as a layout or a component of several pages may meet.
 *
 * @example const wanted = usePage("/orders")?.search.wanted;
 */
export function usePage(): PageContextValue;
export function usePage<const Id extends PageId>(id: Id): TypedPage<Id> | undefined;
export function usePage(id?: string): PageContextValue | TypedPage<string> | undefined {
  const page = useContext(PageContext);
  if (!page) throw new Error("usePage was called outside of a page of the application.");
  if (id !== undefined && page.route !== id) return undefined;
  if (!(typedSearches || typedParams) || id === undefined) return page;
  const { search, params = page.params } = typedAddressOf(page.view) ?? {};
  const address = { search, params: params as Params };
  return page.withAddress?.(address) ?? { ...page, ...address };
}
