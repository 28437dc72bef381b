import { forbidden, type Locals, notFound, redirect } from "holdfast/server";
import { isAtLeast, openedDesk, type Person, type Role, roleIn } from "holdfast/service";

/** Where in the service a request may look. */
export interface Scope {
  project: { id: number; name: string };
  person: Person;
  role: Role;
}

/** Everything below a project begins here. A project that the person may not see is answered as one that never was. */
export function scopeOf({ locals, params }: { locals: Locals; params: { project?: string } }): Scope {
  const person = personOf(locals);
  const id = wholeNumber(params.project);
  const project = openedDesk()
    .projects()
    .find((one) => one.id === id);
  const role = project && roleIn(person, project.id);
  if (!project || !role) notFound();
  return { project: { id: project.id, name: project.name }, person, role };
}

export function personOf({ person, hasAccounts }: Locals): Person {
  return person ?? (hasAccounts ? redirect("/_holdfast/sign-in") : forbidden());
}

/** For what changes something. */
export function needs(scope: Scope, role: Role): void {
  if (!isAtLeast(scope.role, role)) forbidden();
}

/** For what concerns every project: an owner of this one alone may not decide it. */
export function needsOwnerOfAll(scope: Scope): void {
  if (!isOwnerOfAll(scope.person)) forbidden();
}

export function isOwnerOfAll(person: Person): boolean {
  return person.roles === "owner";
}

export function projectsOf(person: Person): { id: number; name: string }[] {
  return openedDesk()
    .projects()
    .filter(({ id }) => roleIn(person, id) !== undefined)
    .map(({ id, name }) => ({ id, name }));
}

/** A number as it stands in an address; nothing for anything else. */
export function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
