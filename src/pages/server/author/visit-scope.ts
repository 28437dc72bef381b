import { AsyncLocalStorage } from "node:async_hooks";
import type { PresentLanguage } from "#routes";

/** What the work after a response knows about its run. */
export interface AfterContext {
  /** Aborted when its time is up, or when the server stops and cannot wait longer. */
  readonly signal: AbortSignal;
}

export type AfterRun = (context: AfterContext) => unknown;

/** One event of a stream. */
export interface ServerEvent {
  /** Sent as JSON. The page reads it with `JSON.parse(event.data)`. */
  readonly data: unknown;
  /** The browser sends the last one back when it reconnects. */
  readonly id?: string | number;
  /** The page listens to it with `addEventListener`; `message` by default. */
  readonly event?: string;
}

/** What the source of a stream knows about its client. */
export interface EventsContext {
  /** The `id` of the last event that the browser got before it reconnected. */
  readonly lastEventId: string | undefined;
  /** Aborted when the client has left or the stream ends. Pass it on to everything you await. */
  readonly signal: AbortSignal;
}

export type EventsSource = (context: EventsContext) => AsyncIterable<ServerEvent>;

/** The addresses of a page: one, or one for each of its languages. */
export type PageAddresses =
  | { kind: "one"; url: string }
  /** `main`: in the default language. */
  | { kind: "several"; main: string; all: readonly { lang: string; url: string }[] };

/** The pages of the application, for search engines. */
export interface SitePages {
  /** Paths of the pages whose addresses need no parameters: all, or those that no guard protects. */
  paths(which: "all" | "open"): Promise<readonly string[]>;
  /** Whole addresses of a path, in any language. */
  addressesOf(address: string): PageAddresses;
}

/** The request that code belongs to, as far as functions of `holdfast/server` need it. */
export interface VisitScope {
  runAfter(run: AfterRun): void;
  openEvents(source: EventsSource): Response;
  /** Tags and paths that have changed. */
  invalidate(names: readonly string[]): void;
  /** Where links of the request are written, if the application has languages. */
  readonly present: PresentLanguage | undefined;
  /** Absent for work that belongs to no request of a client. */
  readonly sitePages?: SitePages;
}

/** Follows a request through asynchronous code. */
export const visitScope: AsyncLocalStorage<VisitScope> = new AsyncLocalStorage();

/** Runs work without the context of any request. Taken when the process starts. */
export const outsideRequests: ReturnType<typeof AsyncLocalStorage.snapshot> = AsyncLocalStorage.snapshot();
