import { AsyncLocalStorage } from "node:async_hooks";
import type { CacheDecision, RequestFacts, Variant } from "#signals";
import { Breadcrumbs } from "../breadcrumbs.ts";
import type { User } from "../report-types.ts";
import type { Span, TraceSegment } from "../trace/trace.ts";

/** State of a request until its response ends. */
export interface RequestTraceContext {
  /** A scheduled task has the same context, and no request. */
  readonly kind: "request" | "task";
  readonly facts: RequestFacts;
  readonly segment: TraceSegment;
  readonly steps: Breadcrumbs;
  /** Of the build that answers it: a process may have two. */
  release: string | undefined;
  route: string | undefined;
  params: Readonly<Record<string, string>> | undefined;
  variant: Variant | undefined;
  budget: Readonly<Record<string, number>> | undefined;
  user: User | undefined;
  /** Of a page that the server may cache. */
  cached: CacheDecision | undefined;
}

/** A context of which only the beginning is known. `steps`: how many breadcrumbs it keeps. */
export function newTraceContext(
  kind: RequestTraceContext["kind"],
  facts: RequestFacts,
  segment: TraceSegment,
  steps: number,
): RequestTraceContext {
  return {
    kind,
    facts,
    segment,
    steps: new Breadcrumbs(steps),
    release: undefined,
    route: undefined,
    params: undefined,
    variant: undefined,
    budget: undefined,
    user: undefined,
    cached: undefined,
  };
}

/** Position of the running code in a request. */
export interface RequestScope {
  readonly request: RequestTraceContext;
  /** Current span; undefined directly under the request. */
  readonly span: Span | undefined;
}

/** Follows the request through asynchronous code. */
export const requestScope: AsyncLocalStorage<RequestScope> = new AsyncLocalStorage();
