import type { View } from "../view.ts";
import { carriedResult, dropResult } from "./action/carried-result.ts";
import { type Admission, admit, admitRest, admitWithoutHook, type GuardAdmission } from "./admit.ts";
import type { Locals } from "./author/define.ts";
import { loadPageCache } from "./cache/loaded-cache.ts";
import type { CachePolicy } from "./cache/policy.ts";
import type { SharedDecision } from "./cache/shared-page.ts";
import type { Decision, PendingDecision, WrittenForm } from "./decision.ts";
import { chain, type MaybePromise } from "./maybe-promise.ts";
import { pageProblem, problemOf, problemOfLoads, showProblem, splitLoaded } from "./problems/problems.ts";
import { type LoadResult, loadTypedAddress, runLoads } from "./run-loads.ts";
import type { Visit } from "./visit.ts";

/** Runs hook, guards and loads, and decides what is shown. Never throws: an error of the application becomes a view. */
export function decidePage(visit: Visit): MaybePromise<PendingDecision<Decision | SharedDecision>> {
  return chain(admit(visit), (admitted) => proceed(visit, admitted));
}

/** The same for a page that the build has made: only hook and guards run. */
export function decideAdmission(
  visit: Visit,
): MaybePromise<PendingDecision<Decision | SharedDecision> | { kind: "admitted" }> {
  return chain(admit(visit), (admitted) => (admitted.kind === "admitted" ? admitted : proceed(visit, admitted)));
}

/** The same while the build makes a page: there is no request, and no hook runs. */
export function decideWithoutRequest(visit: Visit, locals: Locals): MaybePromise<Decision> {
  return chain(admitWithoutHook(visit, locals), (admitted) => showAdmitted(visit, admitted));
}

/** The same for a page that shows the outcome of its form, in the response to the post. */
export function showForm(visit: Visit, form: WrittenForm, status: number): MaybePromise<PendingDecision> {
  return chain(admit(visit), (admitted): PendingDecision => {
    visit.request.sealCookies();
    if (admitted.kind === "answered") return admitted;
    return { kind: "page", decision: showAdmitted(visit, admitted, form, status) };
  });
}

function proceed(visit: Visit, admitted: Admission): PendingDecision<Decision | SharedDecision> {
  visit.request.sealCookies();
  if (admitted.kind === "answered") return admitted;
  return { kind: "page", decision: showWithResult(visit, admitted) };
}

/** The page, with the result that an action has left for it in a cookie. */
function showWithResult(visit: Visit, admitted: GuardAdmission): MaybePromise<Decision | SharedDecision> {
  const carried = carriedResult(visit);
  const { caching } = visit.route;
  if (caching && admitted.kind === "admitted" && !isLeftOut(visit))
    return showCached(visit, admitted, { caching, carried });
  if (!carried) return showAdmitted(visit, admitted);
  return showCarried(visit, admitted, carried);
}

function showCarried(visit: Visit, admitted: GuardAdmission, carried: WrittenForm): MaybePromise<Decision> {
  return chain(showAdmitted(visit, admitted, carried), (decision) => {
    if (isShownIn(visit, decision, carried.form.slot)) dropResult(visit);
    else if (admitted.kind === "admitted") visit.hasUnshownResult = true;
    return decision;
  });
}

/** A page that the server caches: as it is stored, or for this visitor alone. */
function showCached(
  visit: Visit,
  admitted: Extract<GuardAdmission, { kind: "admitted" }>,
  { caching, carried }: { caching: CachePolicy; carried: WrittenForm | undefined },
): MaybePromise<Decision | SharedDecision> {
  const alone = (): MaybePromise<Decision> =>
    carried ? showCarried(visit, admitted, carried) : showAdmitted(visit, admitted);
  const deps = { alone, show: showPage, isFormResult: carried !== undefined };
  return chain(loadPageCache(), ({ decideCached }) => decideCached(visit, caching, deps));
}

/** What is shown after hook and guards. A form in a layout shows its outcome beside a problem too. */
function showAdmitted(
  visit: Visit,
  admitted: GuardAdmission,
  form?: WrittenForm,
  status?: number,
): MaybePromise<Decision> {
  if (admitted.kind === "ended") return withForm(admitted.show(), form);
  const { locals } = admitted;
  if (visit.route.kind !== "page" || isLeftOut(visit))
    return withForm(showProblem(visit, locals, pageProblem(visit, { kind: "not-found" })), form);
  return withForm(showPage(visit, locals, form, status), form);
}

/** Whether the build makes all pages of the route, and has not made this one. */
function isLeftOut({ route, site, request: { language, path } }: Visit): boolean {
  if (route.prerender?.others !== "not-found" || !site.prerendered) return false;
  return site.prerendered.find(language?.lang, language?.path ?? path) === undefined;
}

function withForm(decided: MaybePromise<Decision>, form: WrittenForm | undefined): MaybePromise<Decision> {
  if (!form) return decided;
  return chain(decided, (decision) => {
    if (decision.kind === "redirect" || decision.view.form) return decision;
    const { view, written } = decision;
    return { ...decision, view: { ...view, form: form.form }, written: { ...written, form: form.text } };
  });
}

/** Whether the form is part of what is shown: a layout's form is also beside a problem. */
export function isShownIn({ route }: Visit, decision: Decision, slot: string): boolean {
  if (decision.kind === "redirect") return false;
  const { view } = decision;
  if (view.kind === "page") return true;
  return route.files
    .slice(0, view.boundary + 1)
    .some(({ actions }) => actions !== undefined && slot.startsWith(actions));
}

/** The current page after an action of it or of its layouts. */
export function showAfter(
  visit: Visit,
  { locals, action }: { locals: Locals; action: string },
  form?: WrittenForm,
  status?: number,
): MaybePromise<Decision> {
  return chain(admitRest(visit, locals, action), (admitted) => showAdmitted(visit, admitted, form, status));
}

/** The current page: runs its loads only; hook and guards have already passed. */
function showPage(visit: Visit, locals: Locals, form?: WrittenForm, status?: number): MaybePromise<Decision> {
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
