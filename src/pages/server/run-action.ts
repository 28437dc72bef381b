import type { FieldValues, FormOutcome } from "../view.ts";
import { admit, contextOf, type Decision, problemOf, showPage, showProblem, type Visit } from "./decide-page.ts";
import { type Action, Invalid, type Locals } from "./define.ts";
import { Outcome } from "./outcome.ts";
import { type Posted, readForm } from "./read-form.ts";
import { fieldOf, type SchemaIssue } from "./standard-schema.ts";

/** What an action comes to: something to show or to go to, or a body that was not even read. */
export type ActionDecision = Decision | Extract<Posted, { kind: "refused" }>;

/** Hook and guards, then the body, then the schema, then the action. Nothing of the application's action runs before all of them have passed. */
export async function decideAction(visit: Visit, name: string, variant: "document" | "data"): Promise<ActionDecision> {
  const admitted = await admit(visit);
  if (admitted.kind === "ended") return admitted.decision;
  const { locals } = admitted;
  const action = visit.route.actions.get(name);
  if (!action) return showProblem(visit, locals, { kind: "not-found" }, visit.route.folders.length);

  const posted = await readForm(visit.request.incoming, visit.site.limits, action.uploads, visit.site.uploadFolder);
  if (posted.kind === "refused") return posted;
  try {
    return await runAction(visit, locals, name, action, posted, variant);
  } finally {
    await posted.dispose();
  }
}

async function runAction(
  visit: Visit,
  locals: Locals,
  name: string,
  action: Action,
  posted: Exclude<Posted, { kind: "refused" }>,
  variant: "document" | "data",
): Promise<Decision> {
  try {
    const checked = await check(action, posted);
    if (checked.kind === "invalid") return showInvalid(visit, locals, name, posted, checked.issues);
    // What the schema gave is what the action was written for.
    const context = Object.assign(contextOf(visit, locals), { input: checked.input }) as never;
    const result = await visit.signals.step("action", `${visit.route.id} ${name}`, () => action.run(context));
    // Without script a reload must not post again, so success leads back to the page.
    if (variant === "document") return { kind: "redirect", to: visit.request.path + visit.request.search, status: 303 };
    return showPage(visit, locals, { action: name, outcome: { kind: "done", result } });
  } catch (thrown) {
    if (thrown instanceof Invalid)
      return showInvalid(
        visit,
        locals,
        name,
        posted,
        Object.entries(thrown.fields).map(([field, message]) => ({ message, path: field ? [field] : [] })),
      );
    const problem = problemOf(visit, thrown, "action");
    if (problem.kind === "redirect" && thrown instanceof Outcome) return { ...problem, status: 303 };
    return showProblem(visit, locals, problem, visit.route.folders.length);
  }
}

type Checked = { kind: "valid"; input: unknown } | { kind: "invalid"; issues: readonly SchemaIssue[] };

async function check(action: Action, posted: Exclude<Posted, { kind: "refused" }>): Promise<Checked> {
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

async function showInvalid(
  visit: Visit,
  locals: Locals,
  action: string,
  posted: Exclude<Posted, { kind: "refused" }>,
  issues: readonly SchemaIssue[],
): Promise<Decision> {
  const fields: Record<string, string[]> = Object.create(null);
  const form: string[] = [];
  for (const issue of issues) {
    const field = fieldOf(issue);
    if (field === "" || field === "__proto__") form.push(issue.message);
    else fields[field] = [...(fields[field] ?? []), issue.message];
  }
  const outcome: FormOutcome = {
    action,
    outcome: { kind: "invalid", fields: { ...fields }, form, values: typedValues(posted) },
  };
  return showPage(visit, locals, outcome, 422);
}

/** What was typed, to be shown again. Passwords and files are not sent back. */
function typedValues(posted: Exclude<Posted, { kind: "refused" }>): FieldValues {
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
