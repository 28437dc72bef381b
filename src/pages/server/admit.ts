import type { Application } from "./application.ts";
import type { Locals } from "./author/define.ts";
import type { Decision } from "./decision.ts";
import type { LoadedRoute } from "./load-route.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import { type Problem, problemOf, showProblem } from "./problems/problems.ts";
import { readTypedParams } from "./typed-params.ts";
import { contextOf, runStep, type Visit } from "./visit.ts";
import { isResponse } from "./web-response.ts";

export type Admission =
  | { kind: "admitted"; locals: Locals }
  /** The hook ended the request with a response of its own. */
  | { kind: "answered"; response: Response }
  /** The hook or a guard ended the request. `show` loads the layouts around the problem. */
  | { kind: "ended"; problem: Problem; show: () => MaybePromise<Decision> };

/** What guards decide. */
export type GuardAdmission = Exclude<Admission, { kind: "answered" }>;

/**
 * Runs the request hook and every guard of the route, from the outside inwards. The same for document, data, action and
 * API route. `action` is the name of one: a layout is shown by the guards of its folder and those around it, so its
 * actions need no others.
 */
export function admit(visit: Visit, action?: string): MaybePromise<Admission> {
  const hook = visit.site.application.hook();
  const guards = visit.route.guards.slice(0, guardsBefore(visit, action));
  const nothingToRun = hook === null && hasNothing(visit, guards);
  return nothingToRun ? { kind: "admitted", locals: {} as Locals } : runAll(visit, hook, guards);
}

/** For a page that is made without a request: there is nothing that the hook could see. */
export function admitWithoutHook(visit: Visit, locals: Locals): MaybePromise<GuardAdmission> {
  return runGuards(visit, locals, visit.route.guards);
}

function guardsBefore({ route }: Visit, action: string | undefined): number | undefined {
  return action === undefined ? undefined : route.guardsBefore.get(action);
}

/** Runs the guards that `admit` has left out for this action. */
export function admitRest(visit: Visit, locals: Locals, action: string): MaybePromise<GuardAdmission> {
  const from = guardsBefore(visit, action) ?? visit.route.guards.length;
  const guards = visit.route.guards.map((guard, index) => (index < from ? undefined : guard));
  const nothingToRun = from > visit.route.folders.length || hasNothing(visit, guards);
  return nothingToRun ? { kind: "admitted", locals } : runGuards(visit, locals, guards);
}

function hasNothing({ route }: Visit, guards: LoadedRoute["guards"]): boolean {
  return route.params === undefined && guards.every((guard) => guard === undefined);
}

async function runAll(
  visit: Visit,
  loaded: ReturnType<Application["hook"]>,
  guards: LoadedRoute["guards"],
): Promise<Admission> {
  // The application declares the type of its locals; they are empty until its hook has run.
  let locals = {} as Locals;
  try {
    const hook = await loaded;
    if (hook) {
      visit.hook = hook;
      const returned: unknown = await runStep(visit, "hook", "request", () => hook(visit.request));
      visit.readsInHook = visit.request.isRead;
      if (isResponse(returned)) return { kind: "answered", response: returned };
      locals = (returned ?? {}) as Locals;
      visit.request.locals = locals;
      if (hook.visitor) visit.visitor = String(hook.visitor(locals) ?? "");
    }
  } catch (thrown) {
    return ended(visit, locals, problemOf(visit, thrown, "request-hook", 0), 0);
  }
  return runGuards(visit, locals, guards);
}

async function runGuards(visit: Visit, locals: Locals, guards: LoadedRoute["guards"]): Promise<GuardAdmission> {
  for (const [index, guard] of guards.entries()) {
    try {
      if (index === visit.route.folders.length) await readOwnParams(visit);
      if (!guard) continue;
      await runStep(visit, "guard", guardName(visit, index), () => guard(contextOf(visit, locals)));
    } catch (thrown) {
      return ended(visit, locals, problemOf(visit, thrown, "guard", index), index);
    }
  }
  return { kind: "admitted", locals };
}

/** The guards of its folders have passed, so that a refused value reveals nothing that they hide. */
async function readOwnParams(visit: Visit): Promise<void> {
  const { route, params } = visit;
  if (!route.params) return;
  visit.ownParams = await runStep(visit, "guard", `${route.id} params`, () => readTypedParams(route, params));
}

function ended(visit: Visit, locals: Locals, problem: Problem, failedAt: number): GuardAdmission {
  return { kind: "ended", problem, show: () => showProblem(visit, locals, { problem, failedAt }) };
}

function guardName(visit: Visit, index: number): string {
  return visit.site.application.parts.table.folders[visit.route.folders[index] ?? -1]?.id ?? visit.route.id ?? "";
}
