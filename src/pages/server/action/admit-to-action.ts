import { type Admission, admit } from "../admit.ts";
import type { Action, Locals } from "../author/define.ts";
import { pageProblem, problemOf, showProblem } from "../problems/problems.ts";
import { contextOf, runStep, type Visit } from "../visit.ts";

/** `action` is undefined if there is none of this name. */
export type ActionAdmission =
  | Exclude<Admission, { kind: "admitted" }>
  | { kind: "admitted"; locals: Locals; action: Action | undefined };

/** Runs hook and guards, finds the action, and runs the guard of its file if that has actions alone. */
export async function admitToAction(visit: Visit, name: string): Promise<ActionAdmission> {
  const admitted = await admit(visit, name);
  if (admitted.kind !== "admitted") return admitted;
  const { locals } = admitted;
  try {
    const found = await visit.site.application.findAction(visit.route, name);
    const { guard } = found ?? {};
    if (guard) await runStep(visit, "guard", name, () => guard(contextOf(visit, locals)));
    return { kind: "admitted", locals, action: found?.action };
  } catch (thrown) {
    const problem = problemOf(visit, thrown, "guard", visit.route.folders.length);
    return { kind: "ended", problem, show: () => showProblem(visit, locals, pageProblem(visit, problem)) };
  }
}
