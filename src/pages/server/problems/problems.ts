import { HoldfastError } from "#errors";
import { spellAddress } from "#routes";
import type { ErrorPlace } from "#signals";
import * as pageErrors from "../../errors.ts";
import type { ErrorStatus, View } from "../../view.ts";
import type { Locals } from "../author/define.ts";
import { Outcome } from "../author/outcome.ts";
import type { Decision, Written } from "../decision.ts";
import { isA } from "../is-a.ts";
import type { LoadedRoute } from "../load-route.ts";
import { chain, type MaybePromise } from "../maybe-promise.ts";
import { decisiveFailure, type LoadResult, runLoads } from "../run-loads.ts";
import { cameFromOutside, safeRedirect } from "../safe-redirect.ts";
import { ParamsDoNotFit } from "../typed-params.ts";
import { SearchDoesNotFit } from "../typed-search.ts";
import type { Visit } from "../visit.ts";

/** Why a page cannot be shown as requested. */
export type Problem =
  | { kind: "not-found" }
  | { kind: "redirect"; to: string; status: number }
  | { kind: "error"; status: ErrorStatus; digest: string | undefined };

/** Turns a thrown value into a problem for the visitor. Errors are recorded here, which assigns their digest. */
export function problemOf(
  visit: Visit,
  thrown: unknown,
  during: "request-hook" | "guard" | "load" | "action" | "api",
  failedAt: FailedAt,
): Problem {
  if (isA(thrown, Outcome)) return plannedProblem(visit, thrown, during, failedAt);
  if (isA(thrown, ParamsDoNotFit)) return { kind: "not-found" };
  if (isA(thrown, SearchDoesNotFit)) return { kind: "error", status: 400, digest: undefined };
  const { keptAction } = visit;
  const digest = visit.errors.record(thrown, during, {
    ...visibilityOf(visit, failedAt),
    ...(during === "action" && keptAction !== undefined && { keptAction }),
  });
  return { kind: "error", status: statusOf(thrown), digest };
}

/** What the application chose replaces the status of a planned end, never that of a failure. */
export function statusOfProblem({ request }: Visit, problem: Exclude<Problem, { kind: "redirect" }>): number {
  const status = problem.kind === "not-found" ? 404 : problem.status;
  const isPlanned = status === 404 || status === 401 || status === 403;
  const chosen = request.chosen?.status ?? 0;
  return isPlanned && chosen >= 400 ? chosen : status;
}

/** Index of a folder, their number for the page itself, or the form that shows the error itself. */
export type FailedAt = number | "form";

/** What the visitor will see of an error, and which file shows it. A failed prefetch is not visible. */
export function visibilityOf(visit: Visit, failedAt: FailedAt): Pick<ErrorPlace, "boundary" | "visitorSaw"> {
  const { route, request, site } = visit;
  if (failedAt === "form") return { visitorSaw: "form-error" };
  if (route.kind === "api") return { visitorSaw: "data-error" };
  if (request.isPrefetch) return { visitorSaw: "nothing" };
  const folder = route.folders[boundaryFor(route, "error", failedAt)];
  const file = folder === undefined ? undefined : site.application.parts.table.folders[folder]?.error;
  return { visitorSaw: "error-page", boundary: file ?? "built-in" };
}

const statuses = new Map<string, ErrorStatus>([
  ["load-timed-out", 504],
  ["hook-timed-out", 504],
  ["guard-timed-out", 504],
  ["action-timed-out", 504],
  ["api-timed-out", 504],
  ["store-timed-out", 504],
  ["action-interrupted", 503],
]);

function statusOf(thrown: unknown): ErrorStatus {
  return (isA(thrown, HoldfastError) && statuses.get(thrown.code)) || 500;
}

function plannedProblem(
  visit: Visit,
  { ends }: Outcome,
  during: "request-hook" | "guard" | "load" | "action" | "api",
  failedAt: FailedAt,
): Problem {
  if (ends.kind === "not-found") return { kind: "not-found" };
  if (ends.kind === "refused") return { kind: "error", status: ends.status, digest: undefined };
  const { languages, application } = visit.site;
  const { origin, language } = visit.request;
  const target = application.parts.trailingSlash ? spellAddress(ends.to) : ends.to;
  const wanted =
    languages && language && languages.addressOfRoute(target, { origin, lang: ends.lang ?? language.lang });
  const to = safeRedirect(wanted ?? target, origin, visit.site.redirectOrigins);
  if (to !== undefined) return { kind: "redirect", to, status: ends.status };
  if (cameFromOutside(ends.to, visit.request.origin, givenWith(visit)))
    return { kind: "error", status: 400, digest: undefined };
  const digest = visit.errors.record(pageErrors.unsafeRedirect(ends.to), during, visibilityOf(visit, failedAt));
  return { kind: "error", status: 500, digest };
}

/** Every value of the request that the application may have used as a target. */
function* givenWith({ request, params, posted }: Visit): Generator<string> {
  yield* request.url.searchParams.values();
  yield* Object.values(params);
  for (const [name, value] of Object.entries(request.incoming.headers)) if (name !== "host") yield String(value);
  if (posted?.kind === "json") yield JSON.stringify(posted.value);
  else for (const value of posted?.form.values() ?? []) if (typeof value === "string") yield value;
}

/** The failure among the loads that the visitor sees. All others are recorded too. */
export function problemOfLoads(visit: Visit, loaded: readonly LoadResult[]): LocatedProblem | undefined {
  const worst = decisiveFailure(loaded);
  if (!worst) return undefined;
  const problem = problemOf(visit, worst.thrown, "load", worst.index);
  for (const one of loaded) if (one.kind === "threw") problemOf(visit, one.thrown, "load", worst.index);
  return { problem, failedAt: worst.index };
}

export interface LocatedProblem {
  problem: Problem;
  /** The index of the failed folder, or the number of folders for the page itself. */
  failedAt: number;
}

export function pageProblem({ route }: Visit, problem: Problem): LocatedProblem {
  return { problem, failedAt: route.folders.length };
}

/**
 * Shows the nearest `_error` or `_not-found` file outside of the failed folder. A folder's own files are inside its
 * layout, so they cannot replace it.
 */
export function showProblem(
  visit: Visit,
  locals: Locals,
  { problem, failedAt }: LocatedProblem,
  loadedBefore?: readonly LoadResult[],
): MaybePromise<Decision> {
  if (problem.kind === "redirect") return problem;
  const boundary = boundaryFor(visit.route, problem.kind, failedAt);
  return chain(loadedBefore ?? runLoads(visit, locals, boundary + 1), (loaded) =>
    showAround(visit, locals, { problem, boundary }, loaded.slice(0, boundary + 1)),
  );
}

/** Shows the problem inside the layouts around it, unless one of them fails to load as well. */
function showAround(
  visit: Visit,
  locals: Locals,
  { problem, boundary }: { problem: Exclude<Problem, { kind: "redirect" }>; boundary: number },
  loaded: readonly LoadResult[],
): MaybePromise<Decision> {
  const { route, params } = visit;
  const another = problemOfLoads(visit, loaded);
  if (another) {
    const first = { problem: keepFirst(problem, another.problem), failedAt: another.failedAt };
    return showProblem(visit, locals, first, loaded);
  }

  const { values, written } = splitLoaded(loaded);
  const common = { route: route.index, params, folders: route.folders, data: values, boundary, html: visit.html };
  const status = statusOfProblem(visit, problem);
  const view: View =
    problem.kind === "not-found"
      ? { kind: "not-found", status, ...common }
      : { kind: "error", status, side: "server", digest: problem.digest, ...common };
  return { kind: "view", view, route, written };
}

/**
 * The folder whose file is shown, or whose layout contains the built-in page if the application has no file for it.
 * Intact layouts stay, and with them the application's own navigation.
 */
function boundaryFor(route: LoadedRoute, kind: "not-found" | "error", failedAt: number): number {
  const outside = route.files.slice(0, failedAt);
  const own = outside.findLastIndex((files) => files[kind === "not-found" ? "notFound" : "error"]);
  return own >= 0 ? own : outside.findLastIndex((files) => files.layout);
}

/** The visitor sees the first failure; failures of the error page itself are only recorded. */
function keepFirst(first: Problem, second: Problem): Problem {
  return first.kind === "error" && first.digest !== undefined ? first : second;
}

/** Values for components, and the same as text. Only for loads of which none threw. */
export function splitLoaded(loaded: readonly LoadResult[]): { values: unknown[]; written: Written } {
  const whole = loaded.filter((one) => one.kind === "loaded");
  return {
    values: whole.map((one) => one.value),
    written: { data: whole.map((one) => one.written) },
  };
}

/**
 * Returns the view to try after a view could not be rendered. React does not report which component threw, so the
 * nearest `_error` is tried first, then those further out. If the application has none, the built-in page is tried in
 * the same order inside the layouts, and finally without any. Undefined if that failed too, or if all `_error` files of
 * the application have thrown.
 */
export function viewAfterFailure(
  failed: Extract<Decision, { kind: "view" }>,
  digest: string | undefined,
): Extract<Decision, { kind: "view" }> | undefined {
  const { view, route, written } = failed;
  // A not-found page that throws stays a 404; the static page replaces it.
  if (view.kind === "not-found" || (view.kind === "error" && view.boundary < 0)) return undefined;
  const boundary = boundaryFor(route, "error", view.kind === "page" ? route.files.length : view.boundary);
  const hadOwn = view.kind === "error" && route.files[view.boundary]?.error !== undefined;
  if (hadOwn && !route.files[boundary]?.error) return undefined;
  const shown: View = {
    kind: "error",
    status: view.kind === "error" ? view.status : 500,
    side: "server",
    route: view.route,
    params: view.params,
    folders: view.folders,
    data: view.data.slice(0, boundary + 1),
    boundary,
    digest: (view.kind === "error" ? view.digest : undefined) ?? digest,
    ...(view.html && { html: view.html }),
  };
  return { kind: "view", view: shown, route, written: { data: written.data.slice(0, boundary + 1) } };
}
