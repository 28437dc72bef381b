import type { BookedEnd, SubmissionSignals } from "#signals";
import { type Checked, checkForm, checkValue, messagesByField } from "../../check-fields.ts";
import { secretField } from "../../draft-fields.ts";
import * as pageErrors from "../../errors.ts";
import { valuesByName } from "../../field-names.ts";
import { readRows } from "../../form-rows.ts";
import type { ServerLimits } from "../../limits.ts";
import { rowsField } from "../../page-data.ts";
import type { SchemaIssue } from "../../standard-schema.ts";
import { writeTagged } from "../../tagged-json.ts";
import type { FieldValues, SubmissionOutcome } from "../../view.ts";
import { type Action, Invalid, invalid, type Locals } from "../author/define.ts";
import { invalidations } from "../cache/invalidations.ts";
import { isA } from "../is-a.ts";
import { keepingContext } from "../kept/keeping-context.ts";
import { KeptCopy } from "../kept/kept-copy.ts";
import { nowhere } from "../load-route.ts";
import { isAbort } from "../page-request.ts";
import { problemOf } from "../problems/problems.ts";
import { contextOf, type Visit } from "../visit.ts";
import type { Ended, RunOptions } from "./ended.ts";
import type { PostedSubmission } from "./submission.ts";

interface TakenAction {
  action: Action;
  submission: PostedSubmission;
}

/**
 * Validates the input, then calls the handler. It continues without its visitor. At its own deadline the visitor gets a
 * response, but a handler that ignores its signal may still run. Never rejects.
 */
export async function runAction(
  visit: Visit,
  taken: TakenAction & { locals: Locals },
  options: RunOptions,
): Promise<Ended> {
  const { site, route, request } = visit;
  const { locals, action, submission } = taken;
  const { key, settle } = options;
  const ms = timeLimitOf(action, site.limits);
  const copy = KeptCopy.of(visit, taken, { ...options, ms });
  const book = site.signals.submissionTaken({ route: route.pattern ?? nowhere, action: submission.action, key });
  const name = `${route.id ?? request.path} ${submission.action}`;
  const { inItsTime } = site.actions.begin({
    ms,
    tooLate: () => pageErrors.actionTimedOut(submission.action, route.id ?? request.path, ms),
    interrupted: () => pageErrors.actionInterrupted(submission.action, route.id ?? request.path),
    work: async (signal) => {
      const end = await endOf(visit, { action, submission, copy, book }, signal, (input) => {
        const own = Object.assign(contextOf(visit, locals, { signal }), { input, key, invalid });
        // The action was written for the output of its schema.
        const context = (action.keeps ? keepingContext(own, copy?.identity, own) : own) as never;
        return visit.signals.step("action", name, () => action.run(context));
      });
      removeCached(visit, end);
      const isRemembered = (await settle?.(end)) ?? false;
      await copy?.settled(end, isRemembered);
      book.ended(bookedEnd(end.outcome));
      return end;
    },
  });
  try {
    return await request.undisturbed(inItsTime);
  } catch (tooLate) {
    const failed = failure(visit, tooLate, submission);
    const outcome = copy ? await copy.late(failed) : failed;
    book.ended(bookedEnd(outcome));
    const end = { ...written(visit, submission, outcome), ran: !action.changesNothing, cookies: noCookies };
    removeCached(visit, end);
    return end;
  }
}

/**
 * Removes the cached pages that show what an action has changed, once more: another request may have rendered one
 * between the call of `invalidate` and the change. An action that names nothing may have changed anything, and so may
 * one that failed; one that refused its input has changed nothing.
 */
function removeCached({ invalidated }: Visit, { ran, outcome }: Ended): void {
  if (!ran) return;
  if (outcome.kind === "failed") invalidations.invalidate(undefined);
  else if (outcome.kind !== "invalid" || invalidated) invalidations.invalidate(invalidated);
}

export function timeLimitOf({ timeout }: Action, { actionMs }: ServerLimits): number {
  return timeout === undefined ? actionMs : timeout * 1_000;
}

function bookedEnd(outcome: SubmissionOutcome): BookedEnd {
  if (outcome.kind !== "failed") return outcome.kind;
  if (outcome.kept) return "kept";
  if (outcome.status === 504) return "timed-out";
  return outcome.digest === undefined ? "refused" : "failed";
}

/** Runs everything from the schema to the disposal of files. */
async function endOf(
  visit: Visit,
  { action, submission, copy, book }: TakenAction & { copy: KeptCopy | undefined; book: SubmissionSignals },
  signal: AbortSignal,
  call: (input: unknown) => unknown,
): Promise<Ended> {
  const { posted } = submission;
  visit.posted = posted;
  const before = visit.request.cookieLines();
  let ran = false;
  let hasReturned = false;
  const ended = (outcome: SubmissionOutcome): Ended => {
    const cookies = [...visit.request.cookieLines()].filter(([name, line]) => before.get(name) !== line);
    const end = { ...written(visit, submission, outcome), ran, cookies: new Map(cookies) };
    const isTaken = outcome.kind === "done" || outcome.kind === "redirected";
    if (isTaken && posted.kind === "form") posted.files?.keep();
    return end;
  };
  try {
    const checked = await check(action, posted, submission.rows);
    if (checked.kind === "invalid") return ended(invalidOutcome(submission, checked.issues));
    const refused = await copy?.seal();
    if (refused) return ended(refused);
    if (copy) book.kept();
    ran = !action.changesNothing;
    const result = await call(checked.input);
    hasReturned = true;
    // A result that cannot be sent fails as part of the action.
    return ended({ kind: "done", result });
  } catch (thrown) {
    if (isA(thrown, Invalid)) return ended(ownRefusal(submission, thrown));
    // An action that respects its signal throws only an abort error; the signal has the reason.
    const why: unknown = signal.aborted && isAbort(thrown) ? signal.reason : thrown;
    const outcome = failure(visit, why, submission);
    return ended(copy ? await copy.failed(outcome, hasReturned) : outcome);
  } finally {
    await posted.dispose();
  }
}

function written(
  visit: Visit,
  { slot }: PostedSubmission,
  outcome: SubmissionOutcome,
): Pick<Ended, "slot" | "outcome" | "text"> {
  return { slot, outcome, text: writeTagged(outcome, visit.site.limits) };
}

const noCookies: ReadonlyMap<string, string> = new Map();

/** Turns a thrown value into an outcome for the form. Records it, unless it was planned. */
function failure(visit: Visit, thrown: unknown, { isShownInForm }: PostedSubmission): SubmissionOutcome {
  const problem = problemOf(visit, thrown, "action", isShownInForm ? "form" : visit.route.folders.length);
  if (problem.kind === "redirect") return { kind: "redirected", to: problem.to };
  if (problem.kind === "not-found") return { kind: "failed", status: 404 };
  return { kind: "failed", status: problem.status, ...(problem.digest !== undefined && { digest: problem.digest }) };
}

export async function check(
  { input: schema }: Action,
  posted: { kind: "json"; value: unknown } | { kind: "form"; form: FormData },
  rows: readonly string[] = [],
): Promise<Checked> {
  if (!schema) return { kind: "valid", input: posted.kind === "json" ? posted.value : posted.form };
  return posted.kind === "json" ? checkValue(schema, posted.value) : checkForm(schema, posted.form, rows);
}

function ownRefusal(submission: PostedSubmission, thrown: Invalid): SubmissionOutcome {
  const { retryAfterSeconds } = thrown;
  const outcome = invalidOutcome(submission, issuesOf(thrown));
  return retryAfterSeconds === undefined ? outcome : { ...outcome, retryAfterSeconds };
}

/** A name is one step here: it is written as the form has it. */
function issuesOf({ fields }: Invalid): SchemaIssue[] {
  return Object.entries(fields).map(([field, message]) => ({ message, path: field ? [field] : [] }));
}

function invalidOutcome(
  submission: PostedSubmission,
  issues: readonly SchemaIssue[],
): Extract<SubmissionOutcome, { kind: "invalid" }> {
  const { posted } = submission;
  const isSent = (name: string): boolean => posted.kind === "form" && posted.form.has(name);
  return { kind: "invalid", ...messagesByField(issues, isSent), values: typedValues(submission) };
}

/** The typed values, to be shown again, with the rows of lists. Passwords and files are not sent back. */
export function typedValues({ posted, rows }: Pick<PostedSubmission, "posted" | "rows">): FieldValues {
  if (posted.kind === "json") return {};
  const values: Record<string, string | readonly string[]> = {};
  for (const [name, sent] of valuesByName(posted.form)) {
    if (secretField.test(name) || name === "__proto__") continue;
    const texts = sent.filter((value) => typeof value === "string").filter((text) => !posted.files?.stored.has(text));
    const [first] = texts;
    if (first !== undefined) values[name] = texts.length === 1 ? first : texts;
  }
  const changed = readRows(rows);
  if (changed.length > 0) values[rowsField] = changed;
  return values;
}
