import type { Application } from "./application.ts";
import type { Locals } from "./author/define.ts";
import type { Decision } from "./decision.ts";
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

/**
 * Runs the request hook and every guard of the route, from the outside inwards. The same for document, data, action and
 * API route.
 */
export function admit(visit: Visit): MaybePromise<Admission> {
  const hook = visit.site.application.hook();
  const { guards, params } = visit.route;
  const nothingToRun = hook === null && params === undefined && guards.every((guard) => guard === undefined);
  return nothingToRun ? { kind: "admitted", locals: {} as Locals } : runAll(visit, hook);
}

async function runAll(visit: Visit, loaded: ReturnType<Application["hook"]>): Promise<Admission> {
  // The application declares the type of its locals; they are empty until its hook has run.
  let locals = {} as Locals;
  try {
    const hook = await loaded;
    if (hook) {
      visit.hook = hook;
      const returned: unknown = await runStep(visit, "hook", "request", () => hook(visit.request));
      if (isResponse(returned)) return { kind: "answered", response: returned };
      locals = (returned ?? {}) as Locals;
      visit.request.locals = locals;
      if (hook.visitor) visit.visitor = String(hook.visitor(locals) ?? "");
    }
  } catch (thrown) {
    return ended(visit, locals, problemOf(visit, thrown, "request-hook", 0), 0);
  }
  for (const [index, guard] of visit.route.guards.entries()) {
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

function ended(visit: Visit, locals: Locals, problem: Problem, failedAt: number): Admission {
  return { kind: "ended", problem, show: () => showProblem(visit, locals, { problem, failedAt }) };
}

function guardName(visit: Visit, index: number): string {
  return visit.site.application.parts.table.folders[visit.route.folders[index] ?? -1]?.id ?? visit.route.id ?? "";
}
