import { drainBody, sendRedirect } from "#http";
import { answeredCookie, answeredCookieSeconds, changedCookie, changedCookieSeconds } from "../../page-data.ts";
import { writeTagged } from "../../tagged-json.ts";
import type { FailedStatus, SubmissionOutcome } from "../../view.ts";
import { admit } from "../admit.ts";
import { type PostedForm, readForm } from "../body/read-form.ts";
import { showPage } from "../decide-page.ts";
import type { Decision, WrittenForm } from "../decision.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import { type Problem, pageProblem, showProblem } from "../problems/problems.ts";
import { refuse, sendNotAllowed } from "../problems/refuse.ts";
import type { RequestTarget } from "../read-target.ts";
import { sendDocument } from "../send/send-document.ts";
import { type OutcomeAnswer, sendOutcome } from "../send/send-page-data.ts";
import type { Visit } from "../visit.ts";
import { carryResult } from "./carried-result.ts";
import { outcomeLine } from "./outcome-line.ts";
import { type Ended, typedValues } from "./run-action.ts";
import { runOnce, type TakenSubmission } from "./run-once.ts";
import { readSubmission } from "./submission.ts";

/**
 * Responds to a post to an action: hook and guards, then the body, then the action. The action runs only after all of
 * them have passed.
 */
export async function answerAction(visit: Visit, target: Extract<RequestTarget, { kind: "action" }>): Promise<void> {
  const { response } = visit.exchange;
  const { incoming, method, path, search } = visit.request;
  // A visitor reloaded or shared the address that a failed form left in the address bar.
  if (method === "GET" || method === "HEAD") return sendRedirect(response, path + search, 303, visit.headersToSend());
  if (method !== "POST") return sendNotAllowed(visit.site, visit.exchange, "POST");
  const taken = await take(visit, target);
  if (taken.kind === "taken") return answerTaken(visit, taken, target.variant);
  visit.request.sealCookies();
  if (taken.kind === "refused" && taken.status === 503) response.setHeader("Retry-After", busySeconds);
  await drainBody(incoming);
  if (target.variant === "data") await sendOutcome(visit, notTaken(visit, target.action, taken));
  else if (taken.kind === "refused")
    await refuse(visit.site, visit.exchange, {
      status: taken.status,
      why: `The form was not taken: ${taken.why}.`,
    });
  else await sendDocument(visit, await taken.show());
}

/**
 * The outcome of a submission that was not run, for a page with scripts. Its slot is unknown, because the body was not
 * read.
 */
function notTaken(visit: Visit, slot: string, taken: Exclude<Taking, Taken>): OutcomeAnswer {
  const outcome = taken.kind === "refused" ? failed(taken.status) : outcomeOf(taken.problem);
  const text = writeTagged(outcome, visit.site.limits);
  // A hook or guard that ends the request may also end the session.
  const session = visit.request.cookieLines().size > 0;
  return { status: statusOf(outcome), line: outcomeLine({ slot, text, ran: false, session, memory: "none" }) };
}

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

type Taken = { kind: "taken" } & TakenSubmission;

/** A submission whose action may run, or the reason why it may not. */
type Taking = Taken | { kind: "ended"; problem: Problem; show: () => MaybePromise<Decision> } | Refused;

async function take(visit: Visit, target: Extract<RequestTarget, { kind: "action" }>): Promise<Taking> {
  const admitted = await admit(visit);
  if (admitted.kind === "ended") return admitted;
  const { locals } = admitted;
  const action = visit.route.actions.get(target.action);
  if (!action) {
    const problem = { kind: "not-found" } as const;
    return { kind: "ended", problem, show: () => showProblem(visit, locals, pageProblem(visit, problem)) };
  }
  const { incoming } = visit.request;
  const posted = await readForm(incoming, visit.site, action.uploads);
  if (posted.kind === "refused") return posted;
  return { kind: "taken", locals, action, submission: readSubmission(incoming, target, posted) };
}

async function answerTaken(visit: Visit, taken: Taken, variant: "document" | "data"): Promise<void> {
  const { response } = visit.exchange;
  const ended = await runOnce(visit, taken);
  visit.request.sealCookies();
  await drainBody(visit.request.incoming);
  // The visitor has left; their action has run to its end all the same.
  if (response.destroyed) return;
  if (ended.outcome.kind === "invalid" && ended.outcome.retryAfterSeconds !== undefined)
    response.setHeader("Retry-After", ended.outcome.retryAfterSeconds);
  if (variant === "document") return sendDocument(visit, await documentAfter(visit, taken, ended));
  const showsPage = ended.ran && ended.outcome.kind !== "redirected";
  await sendOutcome(
    visit,
    { status: statusOf(ended.outcome), line: outcomeLine({ ...ended, session: ended.cookies.size > 0 }) },
    showsPage ? () => showPage(visit, taken.locals) : undefined,
  );
}

function statusOf(outcome: SubmissionOutcome): number {
  if (outcome.kind === "failed") return outcome.status;
  if (outcome.kind !== "invalid") return 200;
  return outcome.retryAfterSeconds === undefined ? 422 : 429;
}

/**
 * The document for a visitor without script. Success redirects back to the page, so that a reload does not post again.
 */
async function documentAfter(visit: Visit, taken: Taken, ended: Ended): Promise<Decision> {
  const { outcome, ran } = ended;
  confirmAnswer(visit, taken);
  if (ran) notifyOtherTabs(visit, ended.cookies.size > 0);
  if (outcome.kind !== "done" || taken.action.changesNothing) return pageAfter(visit, taken, ended);
  carryResult(visit, formOf(ended));
  return { kind: "redirect", to: visit.request.path + visit.request.search, status: 303 };
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

/** The page with the outcome of the form, or the redirect of the action. */
async function pageAfter(visit: Visit, taken: Taken, ended: Ended): Promise<Decision> {
  const { locals, submission } = taken;
  const { outcome } = ended;
  // Always 303, even if the action asked for another status: the body must not be posted to the next address.
  if (outcome.kind === "redirected") return { kind: "redirect", to: outcome.to, status: 303 };
  if (outcome.kind !== "failed") return showPage(visit, locals, formOf(ended), statusOf(outcome));
  const problem = problemOf(outcome);
  if (!submission.isShownInForm) return showProblem(visit, locals, pageProblem(visit, problem));
  const withValues: SubmissionOutcome = { ...outcome, values: typedValues(submission.posted) };
  const form = { slot: submission.slot, outcome: withValues };
  const written = { form, text: writeTagged(form, visit.site.limits) };
  const shown = await showPage(visit, locals, written, outcome.status);
  const isShown = shown.kind === "redirect" || shown.view.kind === "page";
  // The page's loads fail too: the visitor sees the first failure.
  return isShown ? shown : showProblem(visit, locals, pageProblem(visit, problem));
}

function problemOf(outcome: Extract<SubmissionOutcome, { kind: "failed" }>): Exclude<Problem, { kind: "redirect" }> {
  const { status, digest } = outcome;
  if (status === 404) return { kind: "not-found" };
  return { kind: "error", status: status === 409 ? 503 : status, digest };
}

function formOf({ slot, outcome, text }: Ended): WrittenForm {
  return { form: { slot, outcome }, text: `{"slot":${JSON.stringify(slot)},"outcome":${text}}` };
}
