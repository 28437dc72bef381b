import type { View } from "../view.ts";
import { carriedResult, dropResult } from "./action/carried-result.ts";
import { type Admission, admit } from "./admit.ts";
import type { Locals } from "./author/define.ts";
import type { Decision, PendingDecision, WrittenForm } from "./decision.ts";
import { chain, type MaybePromise } from "./maybe-promise.ts";
import { pageProblem, problemOf, problemOfLoads, showProblem, splitLoaded } from "./problems/problems.ts";
import { type LoadResult, loadTypedAddress, runLoads } from "./run-loads.ts";
import type { Visit } from "./visit.ts";

/** Runs hook, guards and loads, and decides what is shown. Never throws: an error of the application becomes a view. */
export function decidePage(visit: Visit): MaybePromise<PendingDecision> {
  return chain(admit(visit), (admitted) => proceed(visit, admitted));
}

function proceed(visit: Visit, admitted: Admission): PendingDecision {
  visit.request.sealCookies();
  if (admitted.kind === "answered") return admitted;
  if (admitted.kind === "ended") return { kind: "page", decision: admitted.show() };
  if (visit.route.kind !== "page")
    return { kind: "page", decision: showProblem(visit, admitted.locals, pageProblem(visit, { kind: "not-found" })) };
  return { kind: "page", decision: showWithResult(visit, admitted.locals) };
}

/** The page, with the result that an action has left for it in a cookie. */
function showWithResult(visit: Visit, locals: Locals): MaybePromise<Decision> {
  const carried = carriedResult(visit);
  if (!carried) return showPage(visit, locals);
  return chain(showPage(visit, locals, carried), (decision) => {
    if (decision.kind === "view" && decision.view.kind === "page") dropResult(visit);
    else visit.hasUnshownResult = true;
    return decision;
  });
}

/** The current page, for example after an action: runs its loads only; hook and guards have already passed. */
export function showPage(visit: Visit, locals: Locals, form?: WrittenForm, status?: number): MaybePromise<Decision> {
  if (visit.route.search || visit.route.params) return showAtTypedAddress(visit, locals, { form, status });
  return chain(runLoads(visit, locals, visit.route.loads.length), (loaded) =>
    showLoaded(visit, locals, loaded, { form, status }),
  );
}

/** An address that the page's schema refuses loads nothing of the page. */
async function showAtTypedAddress(visit: Visit, locals: Locals, shown: ShownWith): Promise<Decision> {
  const { route } = visit;
  const typed = await loadTypedAddress(visit);
  if (typed.kind === "threw")
    return showProblem(visit, locals, pageProblem(visit, problemOf(visit, typed.thrown, "load", route.folders.length)));
  const loaded = await runLoads(visit, locals, route.loads.length);
  return showLoaded(visit, locals, [...loaded, typed], shown);
}

interface ShownWith {
  form: WrittenForm | undefined;
  status: number | undefined;
}

function showLoaded(
  visit: Visit,
  locals: Locals,
  loaded: readonly LoadResult[],
  { form, status }: ShownWith,
): MaybePromise<Decision> {
  const { route, params } = visit;
  const failed = problemOfLoads(visit, loaded);
  if (failed) return showProblem(visit, locals, failed, loaded);
  const { values, written } = splitLoaded(loaded);
  const view: View = {
    kind: "page",
    status: status ?? visit.request.chosen?.status ?? 200,
    route: route.index,
    params,
    folders: route.folders,
    data: values,
    html: visit.html,
    ...(form ? { form: form.form } : {}),
  };
  return { kind: "view", view, route, written: form ? { ...written, form: form.text } : written };
}
