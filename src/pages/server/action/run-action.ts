import type { BookedEnd, SubmissionSignals } from "#signals";
import { secretField } from "../../draft-fields.ts";
import * as pageErrors from "../../errors.ts";
import type { ServerLimits } from "../../limits.ts";
import { writeTagged } from "../../tagged-json.ts";
import type { FieldValues, SubmissionOutcome } from "../../view.ts";
import { nowhere } from "../application.ts";
import { type Action, Invalid, type Locals } from "../author/define.ts";
import { fieldOf, type SchemaIssue } from "../author/standard-schema.ts";
import { isA } from "../is-a.ts";
import { keepingContext } from "../kept/keeping-context.ts";
import { KeptCopy } from "../kept/kept-copy.ts";
import { isAbort } from "../page-request.ts";
import { problemOf } from "../problems/problems.ts";
import { contextOf, type Visit } from "../visit.ts";
import type { Ended, RunOptions } from "./ended.ts";
import type { PostedSubmission, TakenBody } from "./submission.ts";

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
        const own = Object.assign(contextOf(visit, locals, { signal }), { input, key });
        // The action was written for the output of its schema.
        const context = (action.keeps ? keepingContext(own, copy?.identity, own) : own) as never;
        return visit.signals.step("action", name, () => action.run(context));
      });
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
    return { ...written(visit, submission, outcome), ran: !action.changesNothing, cookies: noCookies };
  }
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
    const checked = await check(action, posted);
    if (checked.kind === "invalid") return ended(invalidOutcome(posted, checked.issues));
    const refused = await copy?.seal();
    if (refused) return ended(refused);
    if (copy) book.kept();
    ran = !action.changesNothing;
    const result = await call(checked.input);
    hasReturned = true;
    // A result that cannot be sent fails as part of the action.
    return ended({ kind: "done", result });
  } catch (thrown) {
    if (isA(thrown, Invalid)) return ended(ownRefusal(posted, thrown));
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

export type Checked = { kind: "valid"; input: unknown } | { kind: "invalid"; issues: readonly SchemaIssue[] };

export async function check(
  action: Action,
  posted: { kind: "json"; value: unknown } | { kind: "form"; form: FormData },
): Promise<Checked> {
  const input = posted.kind === "json" ? posted.value : posted.form;
  if (!action.input) return { kind: "valid", input };
  const result = await action.input["~standard"].validate(posted.kind === "json" ? input : toObject(posted.form));
  return result.issues ? { kind: "invalid", issues: result.issues } : { kind: "valid", input: result.value };
}

/** Converts a form to what a schema expects: one value per name, or a list if a name occurs several times. */
function toObject(form: FormData): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [name, values] of valuesOf(form)) object[name] = values.length === 1 ? values[0] : values;
  return object;
}

/** In one pass: `getAll` for each name would visit every field for every name. */
function valuesOf(form: FormData): Map<string, FormDataEntryValue[]> {
  const values = new Map<string, FormDataEntryValue[]>();
  for (const [name, value] of form) {
    if (name === "__proto__") continue;
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  return values;
}

function ownRefusal(posted: TakenBody, thrown: Invalid): SubmissionOutcome {
  const { retryAfterSeconds } = thrown;
  const outcome = invalidOutcome(posted, issuesOf(thrown));
  return retryAfterSeconds === undefined ? outcome : { ...outcome, retryAfterSeconds };
}

function issuesOf({ fields }: Invalid): SchemaIssue[] {
  return Object.entries(fields).map(([field, message]) => ({ message, path: field ? [field] : [] }));
}

function invalidOutcome(
  posted: TakenBody,
  issues: readonly SchemaIssue[],
): Extract<SubmissionOutcome, { kind: "invalid" }> {
  const fields = new Map<string, string[]>();
  const form: string[] = [];
  for (const issue of issues) {
    const field = fieldOf(issue);
    if (field === "" || field === "__proto__") form.push(issue.message);
    else fields.set(field, [...(fields.get(field) ?? []), issue.message]);
  }
  return { kind: "invalid", fields: Object.fromEntries(fields), form, values: typedValues(posted) };
}

/** The typed values, to be shown again. Passwords and files are not sent back. */
export function typedValues(posted: TakenBody): FieldValues {
  if (posted.kind === "json") return {};
  const values: Record<string, string | readonly string[]> = {};
  for (const [name, sent] of valuesOf(posted.form)) {
    if (secretField.test(name)) continue;
    const texts = sent.filter((value) => typeof value === "string").filter((text) => !posted.files?.stored.has(text));
    const [first] = texts;
    if (first !== undefined) values[name] = texts.length === 1 ? first : texts;
  }
  return values;
}
