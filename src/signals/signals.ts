/**
 * How pages report what happens to them. Pages do not know the reporting part: they call these methods, and a listener
 * (reporting, the overlay, the tour's panels, a test) makes of it what it wants. No method may throw.
 */

/** What is asked for: the page, its data, an action on it, or an API route. Chosen by address and method alone. */
export type Variant = "document" | "data" | "action" | "api";

/** Returned by the recorder of an error. `unrecorded`: reporting is off, so there is no digest to show. */
export type Receipt =
  | {
      kind: "recorded";
      eventId: string;
      /** What the visitor sees, for example `7K2M-9QXD-4TBA`. */
      digest: string;
      /**
       * Resolves when the event survives a crash of this process. The answer that shows the digest waits for it. Never
       * rejects.
       */
      durable: Promise<void>;
    }
  | { kind: "unrecorded" };

/** Where an error was caught, and what the visitor sees because of it. */
export interface ErrorPlace {
  side: "server" | "browser";
  /** The step that failed. */
  during:
    | "request-hook"
    | "guard"
    | "load"
    | "action"
    | "api"
    | "render"
    | "late-data"
    | "error-page"
    | "not-found-page"
    | "navigation"
    | "event"
    | "hydration"
    /** Outside of any request: an uncaught exception or rejection. */
    | "uncaught"
    | "rejection";
  route?: string;
  params?: Readonly<Record<string, string>>;
  url?: string;
  variant?: Variant;
  /** The file of the boundary that shows the error, or the built-in one. */
  boundary?: string;
  visitorSaw?: "error-page" | "nested-error" | "form-error" | "last-resort" | "page" | "data-error" | "nothing";
  componentStack?: string;
}

export interface RequestFacts {
  method: string;
  /** Path and search, as they arrived. */
  target: string;
  /** Header lookup; reporting reads trace headers through it. Values arrive unchecked. */
  header(name: string): string | undefined;
}

export type RequestOutcome = { status: number; kind: "answered" | "aborted" | "failed" };

export type StepKind = "match" | "hook" | "guard" | "load" | "action" | "api" | "render";

/** One request, from its arrival to its last byte. */
export interface RequestSignals {
  /** Text for `Server-Timing` by which the page's trace is handed to the browser; empty when it is not traced. */
  readonly handOver: string;
  /** `budget`: what the page says it may cost, by measure. */
  matched(
    route: string,
    params: Readonly<Record<string, string>>,
    variant: Variant,
    budget?: Readonly<Record<string, number>>,
  ): void;
  /** Runs one step inside its own span, so that the application's spans become its children. */
  step<T>(kind: StepKind, name: string, run: () => T): T;
  ended(outcome: RequestOutcome): void;
}

export interface ServerSignals {
  /** The ids of all routes, before the first request; again when they change. */
  routesKnown(ids: readonly string[]): void;
  /** Runs the whole request inside its own context. */
  request<T>(facts: RequestFacts, run: (signals: RequestSignals) => T): T;
  errorCaught(error: unknown, place: ErrorPlace): Receipt;
}

export type FullLoadReason =
  | "network"
  | "timeout-code"
  | "timeout-data"
  | "timeout-total"
  | "wrong-content-type"
  | "unreadable-data"
  | "cut-data"
  | "build-mismatch"
  | "missing-module"
  | "missing-style"
  | "no-content"
  | "attachment"
  | "unknown-route"
  | "foreign-redirect"
  | "history-unknown"
  | "broken-runtime";

export interface NavigationFacts {
  id: number;
  from: string;
  to: string;
  kind: "push" | "replace" | "traverse" | "reload" | "submit";
}

export type NavigationOutcome =
  | {
      kind: "committed";
      route: string;
      status: number;
      data: "prefetched-fresh" | "prefetched-stale" | "joined" | "fetched" | "kept";
    }
  | { kind: "redirected"; to: string }
  | { kind: "superseded" }
  | { kind: "cancelled" }
  | { kind: "handed-over"; reason: FullLoadReason }
  | { kind: "held" }
  | { kind: "failed"; reason: string; digest?: string };

export interface NavigationSignals {
  /** Headers for the page-data request, so that the server's spans join the visitor's trace. */
  headers(): Record<string, string>;
  dataRequested(): void;
  ended(outcome: NavigationOutcome): void;
}

export interface PrefetchSignals {
  /** Headers for the request: a navigation that uses its answer later points to its trace. */
  headers(): Record<string, string>;
}

export type PrefetchOutcome =
  | "stored"
  | "joined"
  | "failed"
  | "aborted"
  | "discarded-build"
  | "suppressed-rate"
  | "suppressed-data-saver"
  | "dropped";

export interface BrowserSignals {
  /** When its address is the page's. */
  pageShown(facts: { route: string; params: Readonly<Record<string, string>>; build: string; first: boolean }): void;
  navigationStarted(facts: NavigationFacts): NavigationSignals;
  prefetchStarted(facts: { url: string }): PrefetchSignals;
  prefetchEnded(facts: { url: string; outcome: PrefetchOutcome }): void;
  /**
   * How a prefetched entry was used in the end: its age in milliseconds at the click, or `expired` / `evicted` unused.
   */
  prefetchUsed(facts: { url: string; use: "fresh" | "stale" | "expired" | "evicted"; ageMs: number }): void;
  fullLoadChosen(facts: { url: string; reason: FullLoadReason; allowed: boolean }): void;
  connection(state: "lost" | "back"): void;
  /** Returns the digest that leads to it. Undefined if reporting is off. */
  errorCaught(error: unknown, place: ErrorPlace): string | undefined;
}

/** The signals of the first page. The rest is loaded with the navigation code. */
export interface FirstSignals extends Pick<BrowserSignals, "pageShown" | "errorCaught"> {
  all(): Promise<BrowserSignals>;
}
