/** Why a fetcher has no data of another page. */
export type DataFailure =
  | { kind: "not-found"; status: number }
  /** The page's search is invalid (400), or a guard refused (401, 403). */
  | { kind: "refused"; status: number }
  /** A guard or load leads to another address. The fetcher does not follow it. */
  | { kind: "redirected"; to: string }
  /** The page failed on the server, which has reported it. */
  | { kind: "failed"; status: number; digest: string | undefined }
  /** The server is reachable, but what arrived is no page data. The browser has reported it. */
  | { kind: "unreadable"; reason: string; digest: string | undefined }
  /**
   * The server has another build. The page on screen is reloaded, unless that would lose typed text or only a change
   * has led here.
   */
  | { kind: "outdated" };

/** The result of one load. `superseded`: a newer load has replaced it, or its component is gone. */
export type DataOutcome<Data = unknown> = { kind: "loaded"; data: Data } | DataFailure | { kind: "superseded" };

/** Reads the data of pages without navigating. */
export interface PageDataReader {
  /** Waits for a lost connection and then continues. Aborting also ends promises in the data. */
  read(href: string, options: ReadOptions): Promise<DataOutcome>;
  /** Calls back when data that was read before may be out of date: that of the addresses that have changed. */
  onChange(listener: (isChanged: (href: string) => boolean) => void): () => void;
}

/** Only `load` may use prefetched data. `change`: data that is shown may be out of date, and the page did not ask. */
export type ReadReason = "load" | "reload" | "change";

export interface ReadOptions {
  why: ReadReason;
  signal: AbortSignal;
  /** The connection is lost. */
  onHeld(): void;
}
