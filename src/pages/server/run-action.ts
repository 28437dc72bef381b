import { writeTagged } from "../tagged-json.ts";
import type { FieldValues, FormOutcome } from "../view.ts";
import { admit } from "./admit.ts";
import { carryResult } from "./carried-result.ts";
import { showPage } from "./decide-page.ts";
import type { Underway, WrittenForm } from "./decision.ts";
import { type Action, Invalid, type Locals } from "./define.ts";
import { isA } from "./is-a.ts";
import { problemOf, showProblem } from "./problems.ts";
import { type Posted, readForm } from "./read-form.ts";
import { fieldOf, type SchemaIssue } from "./standard-schema.ts";
import { contextOf, type Visit } from "./visit.ts";

type Refused = Extract<Posted, { kind: "refused" }>;
type Taken = Exclude<Posted, Refused>;

/** What an action comes to: something to show or to go to, or a body that was not taken. */
export type ActionDecision = ({ kind: "underway" } & Underway) | Refused;

/** Hook and guards, then the body, then the schema, then the action. Nothing of the application's action runs before all of them have passed. */
export async function decideAction(visit: Visit, name: string, variant: "document" | "data"): Promise<ActionDecision> {
  const decided = await takeForm(visit, name, variant);
  visit.request.sealCookies();
  return decided;
}

async function takeForm(visit: Visit, name: string, variant: "document" | "data"): Promise<ActionDecision> {
  const admitted = await admit(visit);
  if (admitted.kind === "ended") return { kind: "underway", decision: admitted.decision };
  const { locals } = admitted;
  const page = visit.route.folders.length;
  const action = visit.route.actions.get(name);
  if (!action) return { kind: "underway", decision: showProblem(visit, locals, { kind: "not-found" }, page) };

  const posted = await readForm(visit.request.incoming, visit.site.limits, action.uploads, visit.site.uploadFolder);
  if (posted.kind === "refused") {
    if (variant === "document") return posted;
    const problem = { kind: "error", status: posted.status, digest: undefined } as const;
    return { kind: "underway", decision: showProblem(visit, locals, problem, page) };
  }
  try {
    const next = await runAction(visit, locals, name, action, posted, variant);
    return { kind: "underway", ...next };
  } finally {
    await posted.dispose();
  }
}

async function runAction(
  visit: Visit,
  locals: Locals,
  name: string,
  action: Action,
  posted: Taken,
  variant: "document" | "data",
): Promise<Underway> {
  try {
    const checked = await check(action, posted);
    if (checked.kind === "invalid") return showInvalid(visit, locals, name, posted, checked.issues);
    // What the schema gave is what the action was written for.
    const context = Object.assign(contextOf(visit, locals), { input: checked.input }) as never;
    const result = await visit.signals.step("action", `${visit.route.id} ${name}`, () => action.run(context));
    const done = writeForm(visit, { slot: name, outcome: { kind: "done", result } });
    if (variant === "data" || action.changesNothing) return { decision: showPage(visit, locals, done) };
    // Without script a reload must not post again, so success leads back to the page, and what was returned goes along.
    carryResult(visit, done);
    return { decision: Promise.resolve(backToPage(visit)) };
  } catch (thrown) {
    if (isA(thrown, Invalid)) return showInvalid(visit, locals, name, posted, issuesOf(thrown));
    const problem = problemOf(visit, thrown, "action", visit.route.folders.length);
    // Whatever the status: what was posted must not be posted to the next address.
    const shown = problem.kind === "redirect" ? { ...problem, status: 303 } : problem;
    return { decision: showProblem(visit, locals, shown, visit.route.folders.length) };
  }
}

function backToPage({ request }: Visit): { kind: "redirect"; to: string; status: number } {
  return { kind: "redirect", to: request.path + request.search, status: 303 };
}

/** What cannot be sent fails as part of the action. */
function writeForm(visit: Visit, form: FormOutcome): WrittenForm {
  return { form, text: writeTagged(form, visit.site.limits) };
}

type Checked = { kind: "valid"; input: unknown } | { kind: "invalid"; issues: readonly SchemaIssue[] };

async function check(action: Action, posted: Taken): Promise<Checked> {
  const given = posted.kind === "json" ? posted.value : posted.form;
  if (!action.input) return { kind: "valid", input: given };
  const result = await action.input["~standard"].validate(posted.kind === "json" ? given : toObject(posted.form));
  return result.issues ? { kind: "invalid", issues: result.issues } : { kind: "valid", input: result.value };
}

/** A form as a schema expects it: one value per name, a list where a name came several times. */
function toObject(form: FormData): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const name of new Set(form.keys())) {
    if (name === "__proto__") continue;
    const values = form.getAll(name);
    object[name] = values.length === 1 ? values[0] : values;
  }
  return object;
}

function issuesOf({ fields }: Invalid): SchemaIssue[] {
  return Object.entries(fields).map(([field, message]) => ({ message, path: field ? [field] : [] }));
}

function showInvalid(
  visit: Visit,
  locals: Locals,
  action: string,
  posted: Taken,
  issues: readonly SchemaIssue[],
): Underway {
  const fields = new Map<string, string[]>();
  const form: string[] = [];
  for (const issue of issues) {
    const field = fieldOf(issue);
    if (field === "" || field === "__proto__") form.push(issue.message);
    else fields.set(field, [...(fields.get(field) ?? []), issue.message]);
  }
  const outcome: FormOutcome = {
    slot: action,
    outcome: { kind: "invalid", fields: Object.fromEntries(fields), form, values: typedValues(posted) },
  };
  return { decision: showPage(visit, locals, writeForm(visit, outcome), 422) };
}

/** What was typed, to be shown again. Passwords and files are not sent back. */
function typedValues(posted: Taken): FieldValues {
  if (posted.kind === "json") return {};
  const values: Record<string, string | readonly string[]> = {};
  for (const name of new Set(posted.form.keys())) {
    if (/password|passwd|secret|token|card|cvc/i.test(name) || name === "__proto__") continue;
    const texts = posted.form.getAll(name).filter((value) => typeof value === "string");
    const [first] = texts;
    if (first !== undefined) values[name] = texts.length === 1 ? first : texts;
  }
  return values;
}
