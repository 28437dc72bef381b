/** What the server tells the page's reporter. Short names: it stands in every document. */
export interface BrowserSettings {
  /** Where reports are posted on the own host. */
  to: string;
  release?: string | undefined;
  environment: string;
  /** Share of pages and navigations that are traced. Nothing when the server decides by a function: then its decision for the page counts. */
  rate?: number | undefined;
  /** Other addresses whose requests carry the trace; expressions as their source. */
  targets?: readonly string[] | undefined;
}

/** An error that the page met before its reporter was there. Places and times are its own. */
export interface EarlyError {
  /** The kind of event by which the browser told of it. */
  kind: "error" | "unhandledrejection";
  thrown: unknown;
  message?: string;
  file?: string;
  line?: number;
  column?: number;
  at: number;
  url: string;
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

export const earlyGlobal = "__holdfast_early";

/** Below the tunnel's path; for pages whose reporter never came. */
export const earlyPath = "/early";
