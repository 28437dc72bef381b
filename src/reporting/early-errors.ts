import type { ErrorPlace } from "#signals";

/** Settings that the server sends to the page's reporter. Names are short, because every document contains them. */
export interface BrowserSettings {
  /** Path on the application's own host that receives reports. For a folder of files, the address of the service. */
  to: string;
  release?: string | undefined;
  environment: string;
  /**
   * Share of traced pages and navigations. Absent if a function on the server decides: then its decision for the page
   * applies.
   */
  rate?: number | undefined;
  /** Other addresses whose requests carry the trace; regular expressions as their source. */
  targets?: readonly string[] | undefined;
  /** Only where no server of the application removes secrets: further names of secrets, written as `targets`. */
  scrub?: readonly string[] | undefined;
  /** The same: whether IP and mail addresses may be sent. */
  keepAddresses?: true | undefined;
}

/** An error before the page's reporter has loaded, with its own place and time. */
export interface EarlyError extends Partial<ErrorPlace> {
  /** The browser event of an uncaught error. */
  kind?: "error" | "unhandledrejection";
  thrown: unknown;
  message?: string;
  file?: string;
  line?: number;
  column?: number;
  at: number;
  /** Set if the error was caught and the reporter has it too: its digest was shown. */
  id?: string;
}

/** Global object that the inline script and the reporter share. */
export interface EarlyErrors {
  settings: BrowserSettings;
  list: EarlyError[];
  /** Set by the reporter when it has loaded; called for each error from then on. */
  report?: (error: EarlyError) => void;
  /** Called by the reporter for each error that became an event. */
  reported?: (thrown: unknown, eventId: string) => void;
}

/** As many as fit into one beacon. */
export const earlyAtMost = 20;

export const earlyGlobal = "__holdfast_early";

/** Below the tunnel's path; used by pages whose reporter never loaded. */
export const earlyPath = "/early";

/** Where the browser stores reports that outlive the page, for the next visit. */
export const reportsKey = "holdfast-reports";

/** Limit of them. Storage is small and shared with the application. */
export const storedReportsBytes = 200_000;
