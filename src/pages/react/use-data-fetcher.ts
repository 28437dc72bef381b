import { useCallback, useState, useSyncExternalStore } from "react";
import type { AfterTarget, PageData, PageId, SearchArgument } from "#routes";
import { type HrefOptions, type ParamInput, targetAddress } from "#routes/href";
import { runtime } from "./browser-runtime.ts";
import { dataFetches } from "./data-fetches.ts";
import type { DataFailure, DataOutcome } from "./data-outcome.ts";

export interface DataFetcherOptions {
  /** Fetchers of one page with the same key share their state: one request, and both show its data. */
  key?: string | number;
}

/** Loads the data of another page without navigating. */
export interface DataFetcher<Id extends PageId> {
  /**
   * Loads the page with these parameters. A newer load replaces a pending one. Prefetched data that is still fresh is
   * used without a request.
   */
  load(...to: AfterTarget<Id, SearchArgument<Id, [options?: HrefOptions]>>): Promise<DataOutcome<PageData<Id>>>;
  /** Asks the server again. Does nothing before the first `load`. */
  reload(): Promise<DataOutcome<PageData<Id>>>;
  /** What the page's `load` returned. It stays while the same path is loaded again. */
  data: PageData<Id> | undefined;
  pending: boolean;
  /** The connection is lost. The load continues when it is back. */
  held: boolean;
  failure: DataFailure | undefined;
}

/** `useFetcher` gives it the types of the page. */
export function useDataFetcher(page: string, { key }: DataFetcherOptions): object {
  const [own] = useState(() => ({}));
  const entry = key === undefined ? own : `${page} ${key}`;
  const subscribe = useCallback((listener: () => void) => dataFetches.subscribe(entry, listener), [entry]);
  const read = (): ReturnType<typeof dataFetches.read> => dataFetches.read(entry);
  const state = useSyncExternalStore(subscribe, read, read);
  const load = useCallback(
    (params?: ParamInput, search?: object, options?: HrefOptions) => {
      // On the server the store would be that of all visitors.
      runtime("useFetcher(…).load");
      return dataFetches.load(entry, targetAddress(page, params ?? {}, search, options));
    },
    [page, entry],
  );
  const reload = useCallback(() => dataFetches.reload(entry), [entry]);
  return { ...state, load, reload };
}
