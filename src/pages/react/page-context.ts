import { type Context, createContext, useContext } from "react";
import type { Params, View } from "../view.ts";

/** What the components of a page can know about where they are. Created for each view that is shown. */
export interface PageContextValue {
  /** The page's own path, canonical, without search. Actions are addressed from it. */
  path: string;
  search: string;
  route: string | null;
  params: Params;
  view: View;
  /** Where the visitor came from, if that was a page of this application: the way back for browsers without scripts. */
  back?: string | undefined;
  /** All routes of the application; an API route has no `page`. */
  routes: readonly { id: string; page?: unknown }[];
  /** Loads the page's data again and renders it. On the server it does nothing. */
  retry: () => void;
  /**
   * On the server: what became of a promise of the page's data, as the browser will receive it. Undefined for other
   * promises.
   */
  settled?: (promise: PromiseLike<unknown>) => Promise<Settled> | undefined;
  /** On the server: names what is posted from this document without script. Absent in a document that may be cached. */
  submissionKey?: string | undefined;
  /** Tells that a boundary caught an error; returns the digest to show. */
  caught: (error: unknown, componentStack: string | undefined) => string | undefined;
}

/** What became of a promise of the page's data. */
export type Settled<Value = unknown> = { kind: "here"; value: Value } | { kind: "failed"; thrown: unknown };

export const PageContext: Context<PageContextValue | null> = createContext<PageContextValue | null>(null);

/** The page that is being shown. */
export function usePage(): PageContextValue {
  const page = useContext(PageContext);
  if (!page) throw new Error("usePage was called outside of a page of the application.");
  return page;
}
