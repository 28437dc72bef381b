import type { ErrorPlace } from "#signals";

/** What the server tells the page's reporter. Short names: it stands in every document. */
export interface BrowserSettings {
  /** Where reports are posted on the own host. */
  to: string;
  release?: string | undefined;
  environment: string;
  /**
   * Share of pages and navigations that are traced. Nothing when the server decides by a function: then its decision
   * for the page counts.
   */
  rate?: number | undefined;
  /** Other addresses whose requests carry the trace; expressions as their source. */
  targets?: readonly string[] | undefined;
}

/** An error that the page met before its reporter was there. Places and times are its own. */
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

/** The global between the inline script and the reporter. */
export interface EarlyErrors {
  settings: BrowserSettings;
  list: EarlyError[];
  /** Set by the reporter when it takes over; called for each error from then on. */
  tell?: (error: EarlyError) => void;
  /** Called by the reporter for each error that became an event. */
  reported?: (thrown: unknown, eventId: string) => void;
}

/** As many as fit into what a browser sends of a page that is gone. */
export const earlyAtMost = 20;

export const earlyGlobal = "__holdfast_early";

/** Below the tunnel's path; for pages whose reporter never came. */
export const earlyPath = "/early";
