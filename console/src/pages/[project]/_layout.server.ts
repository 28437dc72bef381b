import { type Guard, load } from "holdfast/server";
import { projectsOf, scopeOf } from "../../server/scope.ts";

export const guard: Guard = (context) => void scopeOf(context);

export const data = load((context) => {
  const { project, person, role } = scopeOf(context);
  const { hasAccounts } = context.locals;
  return { project, role, name: person.name, hasAccounts, projects: projectsOf(person) };
});
