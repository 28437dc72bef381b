import * as pageErrors from "../errors.ts";
import type { RequestHook, ResponseHook } from "./author/define.ts";
import { type Leaving, LeavingResponse } from "./author/leaving-response.ts";
import { Outcome } from "./author/outcome.ts";
import { isA } from "./is-a.ts";
import { chain, type MaybePromise } from "./maybe-promise.ts";
import { type Problem, problemOf } from "./problems/problems.ts";
import { entryLinkOf } from "./send/site-policy.ts";
import { runStep, type Visit } from "./visit.ts";
import { discardResponse, isResponse } from "./web-response.ts";

/** Thrown by `leave` if a response hook failed: the visitor gets the problem instead of the response. */
export class ResponseHookFailed {
  readonly problem: Problem;

  constructor(problem: Problem) {
    this.problem = problem;
  }
}

/** What is sent after the response hooks have run. */
export interface Left {
  status: number;
  /** Of an API route or hook, perhaps replaced. */
  original: Response | undefined;
}

/** A response that is about to leave. */
export interface Parting extends Omit<Leaving, "headers"> {
  /** The visitor already sees a failure, or must learn that an action has run: then a failed hook is only reported. */
  readonly isSentAnyway?: boolean;
  /** A document whose policy has hashes: it leaves with a `Link` of the framework. */
  readonly isHashed?: boolean;
}

/**
 * Runs the response hooks of the application before the head of a response is sent, once for each request. Their
 * changes are in `visit.baseHeaders()` and among the cookies. Synchronous without hooks.
 */
export function leave(visit: Visit, parting: Parting): MaybePromise<Left> {
  const { hook } = visit;
  const { status, original } = parting;
  visit.hook = undefined;
  if (!hook?.responseHooks?.length || visit.exchange.response.destroyed) return { status, original };
  return runHooks(visit, hook, parting);
}

/** As `leave`, for a response whose status is all that is needed. */
export function leaveWith(visit: Visit, parting: Parting): MaybePromise<number> {
  return chain(leave(visit, parting), ({ status }) => status);
}

async function runHooks(visit: Visit, hook: RequestHook<object>, parting: Parting): Promise<Left> {
  let left: Left = { status: parting.status, original: parting.original };
  const failures: Problem[] = [];
  const failed = (thrown: unknown): void => {
    const at = visit.route.folders.length;
    failures.push(problemOf(visit, isA(thrown, Outcome) ? pageErrors.endedTooLate() : thrown, "request-hook", at));
  };
  visit.request.reopenCookies();
  // The others run although one fails: the error page has their headers too.
  for (const { run } of hook.responseHooks ?? [])
    left = await runHook(visit, run, { ...parting, ...left }).catch((thrown: unknown) => {
      failed(thrown);
      return left;
    });
  visit.request.sealCookies();
  visit.readsInHook ||= visit.request.isRead;
  if (left.original?.bodyUsed) failed(pageErrors.bodyReadByHook());
  const [problem] = failures;
  if (!problem) return left;
  if (parting.isSentAnyway) return { status: parting.status, original: left.original };
  if (left.original) discardResponse(left.original);
  throw new ResponseHookFailed(problem);
}

async function runHook(visit: Visit, run: ResponseHook, parting: Parting): Promise<Left> {
  const { kind, original } = parting;
  const added = parting.isHashed ? entryLinkOf(visit) : [];
  const response = new LeavingResponse({ ...parting, headers: [...visit.baseHeaders(), ...added] });
  try {
    const returned: unknown = await runStep(visit, "hook", "response", () => run(response, visit.request));
    if (!isResponse(returned)) return { status: response.status, original };
    if (!original) throw pageErrors.notReplaceable(kind);
    discardResponse(original, returned);
    return { status: returned.status, original: returned };
  } finally {
    response.seal();
    visit.changeLast(response.changes);
  }
}
