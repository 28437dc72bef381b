import { AsyncLocalStorage } from "node:async_hooks";
import type { RequestFacts, Variant } from "#signals";
import type { User } from "../door.ts";
import type { Steps } from "../steps.ts";
import type { Segment, Span } from "../trace.ts";

/** One request, as long as it is being answered. */
export interface RequestContext {
  readonly facts: RequestFacts;
  readonly segment: Segment;
  readonly steps: Steps;
  route: string | undefined;
  params: Readonly<Record<string, string>> | undefined;
  variant: Variant | undefined;
  budget: Readonly<Record<string, number>> | undefined;
  user: User | undefined;
}

/** Where in a request the running code is. */
export interface Whereabouts {
  readonly request: RequestContext;
  /** The step it belongs to; nothing directly under the request. */
  readonly span: Span | undefined;
}

/** Follows the request through everything asynchronous. */
export const whereabouts = new AsyncLocalStorage<Whereabouts>();
