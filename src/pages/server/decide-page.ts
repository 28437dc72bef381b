import type { RequestSignals } from "#signals";
import * as pageErrors from "../errors.ts";
import type { ErrorStatus, FormOutcome, Params, View } from "../view.ts";
import type { LoadedRoute } from "./application.ts";
import type { Load, Locals, RequestContext } from "./define.ts";
import type { ErrorLog } from "./error-log.ts";
import { Outcome } from "./outcome.ts";
import type { PageRequest } from "./page-request.ts";
import { safeRedirect } from "./safe-redirect.ts";
import type { Site } from "./site.ts";

/** What a request for a page comes to, before anything of it is sent. */
export type Decision =
  | { kind: "view"; view: View; route: LoadedRoute }
  | { kind: "redirect"; to: string; status: number };

/** One request on its way through the page journey. */
export interface Visit {
  site: Site;
  request: PageRequest;
  route: LoadedRoute;
  params: Params;
  signals: RequestSignals;
  errors: ErrorLog;
}

/** Hook, guards, loads: decides what is shown. Never throws; whatever the application throws becomes a view. */
export async function decidePage(visit: Visit): Promise<Decision> {
  const admitted = await admit(visit);
  if (admitted.kind === "ended") return admitted.decision;
  if (visit.route.kind === "none")
    return showProblem(visit, admitted.locals, { kind: "not-found" }, visit.route.folders.length);
  return showPage(visit, admitted.locals);
}

/** The page as it is now, for example after an action: its loads run, hook and guards have been passed before. */
export async function showPage(visit: Visit, locals: Locals, form?: FormOutcome, status = 200): Promise<Decision> {
  const loaded = await runLoads(visit, locals, visit.route.loads.length);
  const worst = worstOf(loaded);
  if (worst) return showProblem(visit, locals, problemOf(visit, worst.thrown, "load"), worst.index, loaded);
  const { route, params } = visit;
  const data = loaded.map((one) => (one.kind === "loaded" ? one.value : undefined));
  const view: View = {
    kind: "page",
    status,
    route: route.index,
    params,
    folders: route.folders,
    data,
    ...(form ? { form } : {}),
  };
  return { kind: "view", view, route };
}

export type Admission = { kind: "admitted"; locals: Locals } | { kind: "ended"; decision: Decision };

/** The request hook and every guard on the way, from the outside inwards. The same for document, data, action and API route. */
export async function admit(visit: Visit): Promise<Admission> {
  // Its shape is the application's own; the generated types say which, and only the application's code looks into it.
  let locals = {} as Locals;
  try {
    const hook = await visit.site.application.hook();
    if (hook) locals = (await visit.signals.step("hook", "request", () => hook(visit.request))) as Locals;
  } catch (thrown) {
    return { kind: "ended", decision: await showProblem(visit, locals, problemOf(visit, thrown, "request-hook"), 0) };
  }
  for (const [index, guard] of visit.route.guards.entries()) {
    if (!guard) continue;
    try {
      await visit.signals.step("guard", guardName(visit, index), () => guard(contextOf(visit, locals)));
    } catch (thrown) {
      return { kind: "ended", decision: await showProblem(visit, locals, problemOf(visit, thrown, "guard"), index) };
    }
  }
  return { kind: "admitted", locals };
}

function guardName(visit: Visit, index: number): string {
  return visit.site.application.parts.table.folders[visit.route.folders[index] ?? -1]?.id ?? visit.route.id ?? "";
}

export type Problem =
  | { kind: "not-found" }
  | { kind: "redirect"; to: string; status: number }
  | { kind: "error"; status: ErrorStatus; digest: string | undefined };

/** Turns whatever was thrown into what the visitor will see of it; errors are recorded here, and only here get their digest. */
export function problemOf(
  visit: Visit,
  thrown: unknown,
  during: "request-hook" | "guard" | "load" | "action" | "api",
): Problem {
  if (thrown instanceof Outcome) {
    const { ends } = thrown;
    if (ends.kind === "not-found") return { kind: "not-found" };
    if (ends.kind === "refused") return { kind: "error", status: ends.status, digest: undefined };
    const to = safeRedirect(ends.to, visit.request.origin, visit.site.redirectOrigins);
    if (to !== undefined) return { kind: "redirect", to, status: ends.status };
    return { kind: "error", status: 500, digest: visit.errors.record(pageErrors.unsafeRedirect(ends.to), during) };
  }
  if (thrown instanceof SearchDoesNotFit) return { kind: "error", status: 400, digest: undefined };
  return { kind: "error", status: 500, digest: visit.errors.record(thrown, during) };
}

/**
 * Shows the nearest `_error` or `_not-found` file that lies outside of what failed. `failedAt` is the index of the failed folder, or the number of
 * folders for the page itself; a folder's own files lie inside its layout, so they cannot stand in for it.
 */
export async function showProblem(
  visit: Visit,
  locals: Locals,
  problem: Problem,
  failedAt: number,
  loadedBefore?: readonly LoadResult[],
): Promise<Decision> {
  if (problem.kind === "redirect") return problem;
  const { route, params } = visit;
  const file = problem.kind === "not-found" ? "notFound" : "error";
  let boundary = Math.min(failedAt, route.files.length) - 1;
  while (boundary >= 0 && !route.files[boundary]?.[file]) boundary--;
  // The built-in not-found page stands inside the root layout when there is one: the way out is the application's own navigation.
  if (boundary < 0 && problem.kind === "not-found" && failedAt > 0 && route.files[0]?.layout) boundary = 0;

  const loaded = loadedBefore ?? (await runLoads(visit, locals, boundary + 1));
  const worst = worstOf(loaded.slice(0, boundary + 1));
  if (worst)
    return showProblem(visit, locals, keepFirst(problem, problemOf(visit, worst.thrown, "load")), worst.index, loaded);

  const data = loaded.slice(0, boundary + 1).map((one) => (one.kind === "loaded" ? one.value : undefined));
  const common = { route: route.index, params, folders: route.folders, data, boundary };
  const view: View =
    problem.kind === "not-found"
      ? { kind: "not-found", status: 404, ...common }
      : { kind: "error", status: problem.status, side: "server", digest: problem.digest, ...common };
  return { kind: "view", view, route };
}

/** The visitor is told of what happened first; what broke on the way to telling is recorded all the same. */
function keepFirst(first: Problem, second: Problem): Problem {
  return first.kind === "error" && first.digest !== undefined ? first : second;
}

export type LoadResult = { kind: "loaded"; value: unknown } | { kind: "threw"; thrown: unknown };

/** Runs the loads of the first `count` places at the same time, each bounded by the time limit. */
async function runLoads(visit: Visit, locals: Locals, count: number): Promise<readonly LoadResult[]> {
  const loads = visit.route.loads.slice(0, count);
  if (loads.every((load) => load === undefined)) return loads.map(() => nothingToLoad);
  const deadline = openDeadline(visit);
  try {
    return await Promise.all(
      loads.map((load, index) => (load ? runLoad(visit, locals, load, index, deadline.passed) : nothingToLoad)),
    );
  } finally {
    deadline.close();
  }
}

const nothingToLoad: LoadResult = { kind: "loaded", value: undefined };

async function runLoad(
  visit: Visit,
  locals: Locals,
  load: Load,
  index: number,
  passed: Promise<LoadResult>,
): Promise<LoadResult> {
  const run = async (): Promise<LoadResult> => {
    try {
      const search = load.search ? await readSearch(load, visit.request) : undefined;
      // What `load` was written for (its route's parameters, its schema's output) is what this context holds.
      const context = contextOf(visit, locals, search) as never;
      return {
        kind: "loaded",
        value: await visit.signals.step("load", loadName(visit, index), () => load.run(context)),
      };
    } catch (thrown) {
      return { kind: "threw", thrown };
    }
  };
  return Promise.race([run(), passed]);
}

function loadName(visit: Visit, index: number): string {
  const folder = visit.site.application.parts.table.folders[visit.route.folders[index] ?? -1];
  return folder ? `layout ${folder.id}` : (visit.route.id ?? "");
}

function openDeadline(visit: Visit): { passed: Promise<LoadResult>; close: () => void } {
  const { loadMs } = visit.site.limits;
  const { promise, resolve } = Promise.withResolvers<LoadResult>();
  const timer = setTimeout(() => {
    const late = pageErrors.loadTimedOut(visit.route.id ?? visit.request.path, loadMs);
    visit.request.abort(late);
    resolve({ kind: "threw", thrown: late });
  }, loadMs);
  return { passed: promise, close: () => clearTimeout(timer) };
}

/** A redirect counts before anything else; then what failed furthest outside. */
function worstOf(results: readonly LoadResult[]): { thrown: unknown; index: number } | undefined {
  let worst: { thrown: unknown; index: number } | undefined;
  for (const [index, result] of results.entries()) {
    if (result.kind === "loaded") continue;
    if (result.thrown instanceof Outcome && result.thrown.ends.kind === "redirect")
      return { thrown: result.thrown, index };
    worst ??= { thrown: result.thrown, index };
  }
  return worst;
}

/** The address's search did not fit the page's schema. Not an Error: nothing of ours is broken. */
class SearchDoesNotFit {}

async function readSearch(load: Load, request: PageRequest): Promise<unknown> {
  const given: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of request.url.searchParams) {
    const before = given[name];
    given[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value];
  }
  const result = await load.search?.["~standard"].validate({ ...given });
  if (!result || result.issues) throw new SearchDoesNotFit();
  return result.value;
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
