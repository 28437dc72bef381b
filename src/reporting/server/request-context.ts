import { AsyncLocalStorage } from "node:async_hooks";
import type { RequestFacts, Variant } from "#signals";
import type { Breadcrumbs } from "../breadcrumbs.ts";
import type { User } from "../report-types.ts";
import type { Span, TraceSegment } from "../trace/trace.ts";

/** One request, as long as it is being answered. */
export interface RequestTraceContext {
  readonly facts: RequestFacts;
  readonly segment: TraceSegment;
  readonly steps: Breadcrumbs;
  route: string | undefined;
  params: Readonly<Record<string, string>> | undefined;
  variant: Variant | undefined;
  budget: Readonly<Record<string, number>> | undefined;
  user: User | undefined;
}

/** Where in a request the running code is. */
export interface RequestScope {
  readonly request: RequestTraceContext;
  /** The step it belongs to; nothing directly under the request. */
  readonly span: Span | undefined;
}

/** Follows the request through everything asynchronous. */
export const requestScope: AsyncLocalStorage<RequestScope> = new AsyncLocalStorage();
