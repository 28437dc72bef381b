import type {
  BrowserSignals,
  ErrorPlace,
  FullLoadReason,
  NavigationFacts,
  NavigationOutcome,
  PrefetchOutcome,
  ShownFacts,
} from "#signals";
import type { EarlyErrors } from "../early-errors.ts";
import type { ErrorContext } from "../report-error.ts";
import type { About, Attributes, Level, User } from "../report-types.ts";

/** When and where a call was made. The reporter may receive it later. */
export interface CallContext {
  /** Milliseconds since 1970. */
  at: number;
  url: string;
}

/** Ids of a new trace, and whether it is sampled. Created at once, because requests carry them. */
export interface NewTrace {
  traceId: string;
  /** Span of the request that carries the ids. */
  spanId: string;
  sampled: boolean;
  /** Sample rate. */
  rate: number;
}

/** Calls from the first script to the reporter, which loads later. */
export interface ReporterCalls {
  pageShown(context: CallContext, facts: ShownFacts): void;
  navigationStarted(context: CallContext, facts: NavigationFacts, trace: NewTrace, clickedMs: number | undefined): void;
  dataRequested(context: CallContext, id: number): void;
  navigationEnded(context: CallContext, id: number, outcome: NavigationOutcome): void;
  prefetchStarted(context: CallContext, url: string, trace: NewTrace): void;
  prefetchEnded(context: CallContext, facts: { url: string; outcome: PrefetchOutcome }): void;
  prefetchUsed(context: CallContext, facts: PrefetchUse): void;
  fullLoadChosen(context: CallContext, facts: { url: string; reason: FullLoadReason; allowed: boolean }): void;
  connection(context: CallContext, state: "lost" | "back"): void;
  errorCaught(context: CallContext, error: unknown, place: ErrorPlace, eventId: string): void;
  captureError(context: CallContext, captured: Captured & { error: unknown }): void;
  captureMessage(context: CallContext, captured: Captured & { text: string; level: Level }): void;
  spanEnded(context: CallContext, span: EndedSpan): void;
  setUser(context: CallContext, user: User | undefined): void;
  addStep(context: CallContext, text: string, data: Readonly<Record<string, unknown>>): void;
  /** Passes what is known about this moment to code that only some pages load. */
  context(context: CallContext, take: (known: ErrorContext) => void): void;
  log(context: CallContext, level: Level, text: string, attributes: Attributes): void;
}

export interface PrefetchUse {
  url: string;
  use: "fresh" | "stale" | "expired" | "evicted";
  ageMs: number;
}

/** An event that the application reports itself. */
export interface Captured {
  about: About;
  eventId: string;
  /** The stack of the call, for errors that have none. */
  callStack: string | undefined;
}

export interface EndedSpan {
  name: string;
  attributes: Attributes;
  startMs: number;
  failed: boolean;
}

/** The file that the browser loads once the page is interactive. */
export interface LaterModule {
  movingSignals: BrowserSignals;
  Reporter: new (early: EarlyErrors) => ReporterCalls;
}
