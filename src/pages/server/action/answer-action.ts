import { drainBody, sendRedirect } from "#http";
import { isAffected } from "../../affected.ts";
import { changeRows, type RowsChange, readRowsChange } from "../../form-rows.ts";
import { answeredCookie, answeredCookieSeconds, changedCookie, changedCookieSeconds } from "../../page-data.ts";
import { writeTagged } from "../../tagged-json.ts";
import type { FailedStatus, FormOutcome, SubmissionOutcome } from "../../view.ts";
import { sendResponse } from "../answer-api.ts";
import type { Action, Locals } from "../author/define.ts";
import { type PostedForm, readForm } from "../body/read-form.ts";
import type { FileStore } from "../body/read-multipart.ts";
import { isShownIn, showAfter } from "../decide-page.ts";
import type { Decision, WrittenForm } from "../decision.ts";
import { dependsOf } from "../depends.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import { type Problem, pageProblem, problemOf, showProblem, statusOfProblem } from "../problems/problems.ts";
import { refuse, sendNotAllowed } from "../problems/refuse.ts";
import type { RequestTarget } from "../read-target.ts";
import { safeRedirect } from "../safe-redirect.ts";
import { sendDocument } from "../send/send-document.ts";
import { type OutcomeAnswer, sendOutcome } from "../send/send-page-data.ts";
import { type Says, sendSays } from "../send/send-says.ts";
import { contextOf, type Visit } from "../visit.ts";
import { discardResponse } from "../web-response.ts";
import { admitToAction } from "./admit-to-action.ts";
import { carryResult } from "./carried-result.ts";
import type { Ended } from "./ended.ts";
import { outcomeLine } from "./outcome-line.ts";
import { type FormAnswer, type PageOfForm, readPageOfForm, sendPageOfForm } from "./page-of-form.ts";
import { timeLimitOf, typedValues } from "./run-action.ts";
import { runOnce, type TakenSubmission } from "./run-once.ts";
import { readSubmission } from "./submission.ts";

/**
 * Responds to a post to an action: hook and guards, then the body, then the action. The action runs only after all of
 * them have passed.
 */
export async function answerAction(visit: Visit, target: Extract<RequestTarget, { kind: "action" }>): Promise<void> {
  const { response } = visit.exchange;
  const { incoming, method, address, search } = visit.request;
  // A visitor reloaded or shared the address that a failed form left in the address bar.
  if (method === "GET" || method === "HEAD")
    return sendRedirect(response, { to: address + search, status: 303, headers: visit.redirectHeaders() });
  if (method !== "POST") return sendNotAllowed(visit.site, visit.exchange, "POST");
  const taken = await take(visit, target);
  if (taken.kind === "taken") return answerTaken(visit, taken, target);
  visit.request.sealCookies();
  if (taken.kind === "refused" && taken.status === 503) response.setHeader("Retry-After", busySeconds);
  await drainBody(incoming);
  if (target.variant === "data") await sendOutcome(visit, notTaken(visit, target.action, taken));
  else if (taken.kind === "answered") await sendResponse(visit, taken.response);
  else if (taken.kind === "refused")
    await refuse(visit.site, visit.exchange, {
      status: taken.status,
      why: `The form was not taken: ${taken.why}.`,
      text: "notTaken",
    });
  else await sendDocument(visit, await taken.show());
}

/**
 * The outcome of a submission that was not run, for a page with scripts. Its slot is unknown, because the body was not
 * read.
 */
function notTaken(visit: Visit, slot: string, taken: Exclude<Taking, Taken>): OutcomeAnswer {
  const outcome = outcomeOfRefusal(visit, taken);
  const text = writeTagged(outcome, visit.site.limits);
  // A hook or guard that ends the request may also end the session.
  const session = visit.request.cookieLines().size > 0;
  const status =
    taken.kind === "ended" && taken.problem.kind !== "redirect"
      ? statusOfProblem(visit, taken.problem)
      : statusOf(outcome);
  return { status, line: outcomeLine({ slot, text, ran: false, session, memory: "none" }) };
}

function outcomeOfRefusal(visit: Visit, taken: Exclude<Taking, Taken>): SubmissionOutcome {
  if (taken.kind === "answered") return outcomeOfResponse(visit, taken.response);
  return taken.kind === "refused" ? failed(taken.status) : outcomeOf(taken.problem);
}

/** A form follows a redirect, and shows everything else as a failure with a status that it knows. */
function outcomeOfResponse({ request, site }: Visit, response: Response): SubmissionOutcome {
  discardResponse(response);
  const { status } = response;
  const location = status >= 300 && status < 400 ? response.headers.get("location") : null;
  const to = location === null ? undefined : safeRedirect(location, request.origin, site.redirectOrigins);
  if (to !== undefined) return { kind: "redirected", to };
  return failed(failedStatuses.find((known) => known === status) ?? (status >= 500 ? 500 : 403));
}

const failedStatuses: readonly FailedStatus[] = [400, 401, 403, 404, 413, 415, 500, 503, 504];

function outcomeOf(problem: Problem): SubmissionOutcome {
  if (problem.kind === "redirect") return { kind: "redirected", to: problem.to };
  return problem.kind === "not-found" ? failed(404) : failed(problem.status, problem.digest);
}

function failed(status: FailedStatus, digest?: string): SubmissionOutcome {
  return { kind: "failed", status, ...(digest !== undefined && { digest }) };
}

/** By then pending bodies have arrived or were given up. */
const busySeconds = 5;

type Refused = Extract<PostedForm, { kind: "refused" }>;

/** The request hook ended the request with a response of its own. */
type HookAnswer = { kind: "answered"; response: Response };

type Taken = {
  kind: "taken";
  /** The page that has the form, if the action belongs to another one. */
  from: PageOfForm | undefined;
} & TakenSubmission;

/** A submission whose action may run, or the reason why it may not. */
type Taking = Taken | { kind: "ended"; problem: Problem; show: () => MaybePromise<Decision> } | Refused | HookAnswer;

async function take(visit: Visit, target: Extract<RequestTarget, { kind: "action" }>): Promise<Taking> {
  const admitted = await admitToAction(visit, target.action);
  if (admitted.kind !== "admitted") return admitted;
  const { locals, action } = admitted;
  if (!action) {
    const problem = { kind: "not-found" } as const;
    return { kind: "ended", problem, show: () => showProblem(visit, locals, pageProblem(visit, problem)) };
  }
  const { incoming } = visit.request;
  const { bodyBytes, uploadBytes, files } = action;
  const uploads = uploadsOf(visit, action, locals);
  const posted = await readForm(incoming, visit.site, { uploads, bodyBytes, uploadBytes, files });
  if (posted.kind === "refused") return posted;
  if (posted.kind === "failed") {
    const problem = problemOf(visit, posted.thrown, "action", visit.route.folders.length);
    return { kind: "ended", problem, show: () => showProblem(visit, locals, pageProblem(visit, problem)) };
  }
  const submission = readSubmission(incoming, target, posted);
  const from = readPageOfForm(visit.site, incoming, submission.from);
  const isElsewhere = from !== undefined && from.path !== visit.request.path;
  return { kind: "taken", locals, action, submission, from: isElsewhere ? from : undefined };
}

/** The action's own store gets the context of guards. What it cannot discard is recorded: the file stays there. */
function uploadsOf(visit: Visit, action: Action, locals: Locals): boolean | "sealed" | FileStore {
  const { uploads, keeps } = action;
  if (typeof uploads === "boolean") return uploads && keeps ? "sealed" : uploads;
  return {
    withinMs: timeLimitOf(action, visit.site.limits),
    // The store was written for the parameters of its own route.
    write: async (file) => uploads.write(file, contextOf(visit, locals) as never),
    discard: async (stored) => {
      try {
        await uploads.discard(stored);
      } catch (thrown) {
        visit.errors.record(thrown, "action", { visitorSaw: "nothing" });
      }
    },
  };
}

async function answerTaken(
  visit: Visit,
  taken: Taken,
  { variant, keys }: Pick<Extract<RequestTarget, { kind: "action" }>, "variant" | "keys">,
): Promise<void> {
  const { response } = visit.exchange;
  const change = readRowsChange(taken.submission.rows);
  if (change) return answerRows(visit, taken, change, variant);
  const ended = await runOnce(visit, taken);
  visit.request.sealCookies();
  await drainBody(visit.request.incoming);
  // The visitor has left; their action has run to its end all the same.
  if (response.destroyed) return;
  if (ended.outcome.kind === "invalid" && ended.outcome.retryAfterSeconds !== undefined)
    response.setHeader("Retry-After", ended.outcome.retryAfterSeconds);
  // Before the page's loads run: they decide over the page, not over the submission.
  const status = statusAfter(visit, ended.outcome);
  if (variant === "document") {
    const isDone = ended.outcome.kind === "done" || ended.outcome.kind === "redirected";
    const shown = await documentAfter(visit, taken, ended, status);
    if (shown.kind === "says") return sendSays(visit, shown.outcome);
    if (shown.kind === "elsewhere") return sendPageOfForm(visit, shown.page, shown.answer);
    try {
      return await sendDocument(visit, shown);
    } catch (thrown) {
      visit.hasUnshownResult ||= isDone;
      throw thrown;
    }
  }
  const changed = changedBy(visit, ended);
  const isPageChanged = changed === undefined || isAffected(dependsOf(visit), changed);
  const showsPage = ended.ran && ended.outcome.kind !== "redirected" && isPageChanged && !taken.from;
  const page = isPageChanged || taken.from ? undefined : false;
  // Only an action that says what it has changed leaves the rest of the page as it is.
  if (changed && keys) visit.known = { keys, changed };
  await sendOutcome(
    visit,
    { status, line: outcomeLine({ ...ended, session: ended.cookies.size > 0, changed, page }) },
    showsPage ? () => showAfter(visit, asked(taken)) : undefined,
  );
}

/**
 * The press of a button that adds or removes a row: the page shows the form with what was typed, and no action runs. A
 * page with scripts does this by itself.
 */
async function answerRows(visit: Visit, taken: Taken, change: RowsChange, variant: "document" | "data"): Promise<void> {
  const { submission } = taken;
  const { slot, posted } = submission;
  await posted.dispose();
  visit.request.sealCookies();
  await drainBody(visit.request.incoming);
  if (variant === "data") return sendOutcome(visit, notTaken(visit, slot, { kind: "refused", status: 400, why: "" }));
  const form: FormOutcome = { slot, outcome: { kind: "edited", values: changeRows(typedValues(submission), change) } };
  const written = { form, text: writeTagged(form, visit.site.limits) };
  const prepare = (shown: Visit): void => confirmAnswer(shown, taken);
  if (taken.from) return sendPageOfForm(visit, taken.from, { form: written, status: 200, prepare });
  prepare(visit);
  return sendDocument(visit, await showAfter(visit, asked(taken), written));
}

/**
 * What the action says it has changed. A failed one may have changed more, and a cookie may change every page. A
 * repeated submission did not run now, so it says nothing.
 */
function changedBy({ invalidated }: Visit, { ran, outcome, cookies }: Ended): readonly string[] | undefined {
  const isDone = outcome.kind === "done" || outcome.kind === "redirected";
  return ran && isDone && cookies.size === 0 ? invalidated : undefined;
}

function statusOf(outcome: SubmissionOutcome): number {
  if (outcome.kind === "failed") return outcome.status;
  if (outcome.kind !== "invalid") return 200;
  return outcome.retryAfterSeconds === undefined ? 422 : 429;
}

/** What the action chose replaces the status of its result, never that of a failure or redirect. */
function statusAfter({ request }: Visit, outcome: SubmissionOutcome): number {
  const chosen = outcome.kind === "done" || outcome.kind === "invalid" ? request.chosen?.status : undefined;
  return chosen ?? statusOf(outcome);
}

/**
 * The document for a visitor without script. Success redirects back to the page, so that a reload does not post again.
 */
async function documentAfter(visit: Visit, taken: Taken, ended: Ended, status: number): Promise<Shown> {
  const { outcome, ran } = ended;
  const { from } = taken;
  const prepare = (shown: Visit): void => {
    confirmAnswer(shown, taken);
    if (ran) notifyOtherTabs(shown, ended.cookies.size > 0);
  };
  const showsForm = outcome.kind !== "done" || taken.action.changesNothing;
  if (from && showsForm && outcome.kind !== "redirected" && taken.submission.isShownInForm) {
    const form = outcome.kind === "failed" ? failedForm(visit, taken, outcome) : formOf(ended);
    return { kind: "elsewhere", page: from, answer: { form, status, prepare } };
  }
  prepare(visit);
  if (showsForm) return pageAfter(visit, taken, ended, status);
  const { path, address = path, search } = from ?? visit.request;
  carryResult(visit, formOf(ended), path);
  return { kind: "redirect", to: address + search, status: 303 };
}

type Failed = Extract<SubmissionOutcome, { kind: "failed" }>;

type Shown = Decision | Says | { kind: "elsewhere"; page: PageOfForm; answer: FormAnswer };

/** A failure, with what was typed. */
function failedForm({ site }: Visit, { submission }: Taken, outcome: Failed): WrittenForm {
  const withValues = { ...outcome, values: typedValues(submission) };
  const form = { slot: submission.slot, outcome: withValues };
  return { form, text: writeTagged(form, site.limits) };
}

/** Notifies the scripts of other tabs: the document that posted has no script, or is about to be replaced. */
function notifyOtherTabs({ request }: Visit, session: boolean): void {
  const value = `${Date.now()}${session ? "s" : ""}`;
  request.setOwnCookie(changedCookie, value, { maxAge: changedCookieSeconds, httpOnly: false });
}

/** Tells the document that posted the form that it need not ask for the outcome. */
function confirmAnswer({ request }: Visit, { submission: { key } }: Taken): void {
  if (key === undefined) return;
  request.setOwnCookie(answeredCookie, key, { maxAge: answeredCookieSeconds, httpOnly: false });
}

function asked({ locals, submission }: Taken): { locals: Locals; action: string } {
  return { locals, action: submission.action };
}

/** The page with the outcome of the form, or the redirect of the action. */
async function pageAfter(visit: Visit, taken: Taken, ended: Ended, status: number): Promise<Decision | Says> {
  const { locals, submission } = taken;
  const { outcome } = ended;
  // Always 303, even if the action asked for another status: the body must not be posted to the next address.
  if (outcome.kind === "redirected") return { kind: "redirect", to: outcome.to, status: 303 };
  if (outcome.kind !== "failed") return showAfter(visit, asked(taken), formOf(ended), status);
  const instead = (): MaybePromise<Decision | Says> =>
    outcome.message === undefined
      ? showProblem(visit, locals, pageProblem(visit, problemOfOutcome(outcome)))
      : { kind: "says", outcome };
  if (!submission.isShownInForm) return instead();
  const shown = await showAfter(visit, asked(taken), failedForm(visit, taken, outcome), status);
  const isShown = shown.kind === "redirect" || isShownIn(visit, shown, submission.slot);
  // The page's loads fail too: the visitor sees the first failure.
  return isShown ? shown : instead();
}

function problemOfOutcome(outcome: Failed): Exclude<Problem, { kind: "redirect" }> {
  const { status, digest } = outcome;
  if (status === 404) return { kind: "not-found" };
  return { kind: "error", status: status === 409 ? 503 : status, digest };
}

function formOf({ slot, outcome, text }: Ended): WrittenForm {
  return { form: { slot, outcome }, text: `{"slot":${JSON.stringify(slot)},"outcome":${text}}` };
}
