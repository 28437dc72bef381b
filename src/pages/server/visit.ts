import type { RequestSignals, StepKind } from "#signals";
import * as pageErrors from "../errors.ts";
import { isPromiseLike } from "../tagged-json.ts";
import type { Params } from "../view.ts";
import type { LoadedRoute } from "./application.ts";
import type { Locals, RequestContext } from "./define.ts";
import type { ErrorLog } from "./error-log.ts";
import type { LateValues } from "./late-values.ts";
import type { PageRequest } from "./page-request.ts";
import type { Site } from "./site.ts";

/** One request on its way through the page journey. */
export interface Visit {
  site: Site;
  request: PageRequest;
  route: LoadedRoute;
  params: Params;
  signals: RequestSignals;
  errors: ErrorLog;
  late: LateValues;
}

/** Runs one step of the application's code inside its span, and waits no longer for it than a visitor would. */
export function runStep<Value>(
  visit: Visit,
  kind: StepKind,
  name: string,
  run: () => Value | PromiseLike<Value>,
): Value | Promise<Value> {
  const given = visit.signals.step(kind, name, run);
  if (!isPromiseLike(given)) return given;
  const { loadMs } = visit.site.limits;
  return inTime(given, loadMs, () => {
    const late = pageErrors.loadTimedOut(visit.route.id ?? visit.request.path, loadMs);
    visit.request.abort(late);
    return late;
  });
}

/** Rejects with what `passed` returns when the work takes too long. What becomes of the work afterwards is nobody's concern any more. */
export async function inTime<Value>(work: PromiseLike<Value>, ms: number, passed: () => unknown): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(passed()), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** What guards, loads and actions are told. Getters, so that only what is used is made. */
export function contextOf(visit: Visit, locals: Locals, search?: unknown): RequestContext & { search: unknown } {
  const { request, params } = visit;
  return {
    params,
    locals,
    method: request.method,
    get url() {
      return request.url;
    },
    get headers() {
      return request.headers;
    },
    get cookies() {
      return request.cookies;
    },
    get signal() {
      return request.signal;
    },
    get search() {
      return search ?? request.url.searchParams;
    },
  };
}
