import { type Guard, load } from "holdfast/server";
import { projectsOf, scopeOf } from "../../server/scope.ts";

export const guard: Guard = (context) => void scopeOf(context);

export const data = load((context) => {
  const { project, person, role } = scopeOf(context);
  return { project, role, name: person.name, projects: projectsOf(person) };
});
