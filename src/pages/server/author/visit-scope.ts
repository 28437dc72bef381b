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

/** The request that code belongs to, as far as functions of `holdfast/server` need it. */
export interface VisitScope {
  runAfter(run: AfterRun): void;
  openEvents(source: EventsSource): Response;
  /** Tags and paths that have changed. */
  invalidate(names: readonly string[]): void;
  /** Where links of the request are written, if the application has languages. */
  readonly present: PresentLanguage | undefined;
}

/** Follows a request through asynchronous code. */
export const visitScope: AsyncLocalStorage<VisitScope> = new AsyncLocalStorage();

/** Runs work without the context of any request. Taken when the process starts. */
export const outsideRequests: ReturnType<typeof AsyncLocalStorage.snapshot> = AsyncLocalStorage.snapshot();
