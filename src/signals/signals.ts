/**
 * Interface through which pages report events. Pages do not know the reporting part: they call these methods of a
 * listener (reporting, the overlay, the tour's panels, a test). No method may throw.
 */

/** Kind of request: a page, its data, an action, or an API route. Depends on address and method only. */
export type Variant = "document" | "data" | "action" | "api";

/** Result of recording an error. `unrecorded`: reporting is off, so there is no digest to show. */
export type Receipt =
  | {
      kind: "recorded";
      eventId: string;
      /** Code that the visitor sees, for example `7K2M-9QXD-4TBA`. */
      digest: string;
      /**
       * Resolves when the event survives a crash of this process. The response with the digest waits for it. Never
       * rejects.
       */
      durable: Promise<void>;
    }
  | { kind: "unrecorded" };

/** Where an error was caught, and what the visitor sees. */
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
    | "rejection"
    /** A task of `src/schedules.server.ts`. */
    | "schedule"
    /** Work that `after` runs when the response has been sent. */
    | "after"
    /** The handler of a socket. */
    | "socket"
    /** A subscriber of a channel. */
    | "channel"
    /** Another server that a rewrite of the configuration names. */
    | "rewrite"
    /** Before any page: the request did not arrive as it was sent, or what answers it threw. */
    | "arrival"
    /** `onStart` and `onStop` of `src/lifecycle.server.ts`. */
    | "start"
    | "stop"
    /** A route fails more on this build than on the one before. */
    | "release";
  /** The pattern of the route's addresses, `/orders/[id]`; with the path below which the application lives, if any. */
  route?: string;
  params?: Readonly<Record<string, string>>;
  url?: string;
  variant?: Variant;
  /** File of the boundary that shows the error, or the built-in one. */
  boundary?: string;
  visitorSaw?: "error-page" | "nested-error" | "form-error" | "last-resort" | "page" | "data-error" | "nothing";
  componentStack?: string;
  /** The release whose code failed, if it is not the one that this process has started. */
  release?: string | undefined;
  /** Groups events by this text, whatever their stack is. */
  groupedBy?: string | undefined;
  /** What was sent to this action is kept, and can be run again. */
  keptAction?: string;
  /** The id of its event, if it is known before: several processes may report the same failure. */
  eventId?: string;
}

export interface RequestFacts {
  method: string;
  /** Path and search, as received. */
  target: string;
  /** Header lookup; reporting reads trace headers through it. Values arrive unchecked. */
  header(name: string): string | undefined;
}

/** What keeps a page from being shared between visitors. */
export type BypassReason =
  /** It read something that belongs to one visitor: `name` is the cookie, header or key of `locals`. */
  | {
      kind: "read";
      what: "cookies" | "headers" | "locals" | "clientAddress" | "nonce";
      name: string;
      /** File and line of the application. In development only. */
      place?: string | undefined;
    }
  /** The page or one of its folders has a guard. */
  | { kind: "guard" }
  /** The page shows the result of this visitor's form. */
  | { kind: "form-result" }
  /** The request hook chose a status, or the page is no 200. */
  | { kind: "status"; status: number }
  | { kind: "redirect" }
  /** A load, a part of the page or a late value failed. */
  | { kind: "failed" }
  /** What the page depends on was changed while it was rendered. */
  | { kind: "changed" }
  /** The page, or what distinguishes it from other pages, is larger than the cache takes. */
  | { kind: "too-large" };

/** What the server's cache of pages did for one request. Times are milliseconds. */
export type CacheDecision =
  /** No load and no rendering. `savedMs`: how long they took when the page was stored. */
  | { kind: "hit"; ageMs: number; savedMs: number }
  /** The same, while a new page is rendered; `isFailing`: the last attempt to render it has failed. */
  | { kind: "stale"; ageMs: number; savedMs: number; isFailing: boolean }
  /** Rendered and stored. `isShared`: another request had begun to render it. */
  | { kind: "miss"; isShared: boolean }
  /** Rendered and not stored. */
  | { kind: "bypass"; reason: BypassReason };

export type RequestOutcome = { status: number; kind: "answered" | "aborted" | "failed" };

export type StepKind = "match" | "hook" | "guard" | "load" | "action" | "api" | "render";

/** One request, from its arrival to its last byte. */
export interface RequestSignals {
  /** `Server-Timing` text that passes the page's trace to the browser; empty if it is not traced. */
  readonly handOver: string;
  /** `budget`: the limits that the page declares, by measure. */
  matched(
    route: string,
    params: Readonly<Record<string, string>>,
    variant: Variant,
    budget?: Readonly<Record<string, number>>,
  ): void;
  /** Runs one step inside its own span, so that the application's spans become its children. */
  step<T>(kind: StepKind, name: string, run: () => T): T;
  /** Called once for a page with `cache = { … }`, before its response is sent. */
  cached(decision: CacheDecision): void;
  ended(outcome: RequestOutcome): void;
  /** Runs work after the end of the request, as a part of its trace. */
  after(run: () => Promise<void>): Promise<void>;
}

/** A request that is answered by a page that the server has stored: no code of the application runs. */
export interface HitFacts {
  route: string;
  params: Readonly<Record<string, string>>;
  variant: "document" | "data";
  budget?: Readonly<Record<string, number>> | undefined;
  decision: Extract<CacheDecision, { kind: "hit" }>;
  status: 200 | 304;
  /** The response, which is not sent yet. Hosts of older versions do not look at it. */
  response?: EndingResponse | undefined;
}

/** What a `ServerResponse` tells of its end. */
export interface EndingResponse {
  readonly statusCode: number;
  readonly destroyed: boolean;
  /** Whether the system has all bytes. */
  readonly writableFinished: boolean;
  /** Called at the end of the response, or when the client has left. */
  once(event: "close", listener: () => void): unknown;
}

export interface ServerSignals {
  /** Called with the names of all routes before the first request, and again when they change. */
  routesKnown(routes: readonly string[]): void;
  /** Runs the whole request inside its own context. */
  request<T>(facts: RequestFacts, run: (signals: RequestSignals) => T): T;
  /**
   * In place of `request`, where no code runs. Returns what `handOver` would: ASCII without line ends. Without it,
   * `hitOf` calls `request`.
   */
  hit?: ((facts: RequestFacts, hit: HitFacts) => string) | undefined;
  errorCaught(error: unknown, place: ErrorPlace): Receipt;
  /** Called before an action runs, with its input as yet unchecked. The entry survives the end of the process. */
  submissionTaken(facts: SubmissionFacts): SubmissionSignals;
}

export interface SubmissionFacts {
  /** As in `ErrorPlace`. */
  route: string;
  action: string;
  /** As the action gets it; undefined if the client has sent none. */
  key: string | undefined;
}

/**
 * How a submission that was taken ended. `refused`: by the application, with a status. `failed`: there is an event.
 * `kept`: it failed, and its copy can be run later.
 */
export type BookedEnd = "done" | "invalid" | "redirected" | "refused" | "failed" | "timed-out" | "kept";

export interface SubmissionSignals {
  /** A copy is on disk: if the process ends now, nothing is lost. */
  kept(): void;
  /** Called before the response is sent. Only the first call counts. */
  ended(end: BookedEnd): void;
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
  | "other-policy"
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
  /** Headers of the request: a navigation that uses its response later links to its trace. */
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

export interface ShownFacts {
  route: string;
  params: Readonly<Record<string, string>>;
  build: string;
  /** Whether it came as a document. */
  first: boolean;
  /** Of the error that is shown in place of the page, or of a part of it. */
  digest?: string | undefined;
}

export interface BrowserSignals {
  /** Called when the address bar shows the page's address, and when a page that is loaded again shows an error. */
  pageShown(facts: ShownFacts): void;
  navigationStarted(facts: NavigationFacts): NavigationSignals;
  prefetchStarted(facts: { url: string }): PrefetchSignals;
  prefetchEnded(facts: { url: string; outcome: PrefetchOutcome }): void;
  /** Final use of a prefetched entry: its age in milliseconds at the click, or `expired` / `evicted` if unused. */
  prefetchUsed(facts: { url: string; use: "fresh" | "stale" | "expired" | "evicted"; ageMs: number }): void;
  fullLoadChosen(facts: { url: string; reason: FullLoadReason; allowed: boolean }): void;
  connection(state: "lost" | "back"): void;
  /** Returns the digest of the event. Undefined if reporting is off. */
  errorCaught(error: unknown, place: ErrorPlace): string | undefined;
}

/** The signals of the first page. The rest is loaded with the navigation code. */
export interface FirstSignals extends Pick<BrowserSignals, "pageShown" | "errorCaught"> {
  all(): Promise<BrowserSignals>;
}
