import { href } from "holdfast";
import { forbidden, type Locals, notFound, redirect } from "holdfast/server";
import { consoleApi, isAtLeast, type Person, type Role, roleIn } from "holdfast/service";

/** Project, person and role of a request. */
export interface Scope {
  project: { id: number; name: string };
  person: Person;
  role: Role;
}

/**
 * First step of everything below a project. A project that the person may not see responds like one that does not
 * exist.
 */
export function scopeOf({ locals, params, url }: { locals: Locals; params: { project?: string }; url?: URL }): Scope {
  const person = personOf(locals, url);
  const id = wholeNumber(params.project);
  const project = consoleApi()
    .projects()
    .find((one) => one.id === id);
  if (!project) notFound();
  const role = roleIn(person, project.id);
  if (!role) {
    noteRefusal(person, "no role in this project", project.id);
    notFound();
  }
  return { project: { id: project.id, name: project.name }, person, role };
}

/** Returns the person. Others sign in first, and then return to the requested page. */
export function personOf({ person, hasAccounts }: Locals, url?: URL): Person {
  if (person) return person;
  if (!hasAccounts) forbidden();
  const to = url && wayBack(url.pathname + url.search);
  return redirect(href("/sign-in", undefined, { to }));
}

/** Returns a path of the console. Undefined for any other address, so that a link cannot lead to another site. */
export function wayBack(text: string): string | undefined {
  const here = "http://here";
  const url = URL.canParse(text, here) ? new URL(text, here) : undefined;
  return url?.origin === here && url.pathname.startsWith(`${href("/")}/`) ? url.pathname + url.search : undefined;
}

/** For changes. */
export function needs(scope: Scope, role: Role): void {
  if (isAtLeast(scope.role, role)) return;
  noteRefusal(scope.person, `it takes the role ${role}`, scope.project.id);
  forbidden();
}

/** For the audit log. The answer waits for nothing, and is the same if it cannot be written. */
function noteRefusal({ name }: Person, why: string, project: number): void {
  consoleApi()
    .administration.refuse({ who: name, project, why })
    .catch(() => undefined);
}

/** For everything that concerns all projects: an owner of one project alone is refused. */
export function needsOwnerOfAll(scope: Scope): void {
  if (isOwnerOfAll(scope.person)) return;
  noteRefusal(scope.person, "it takes an owner of all projects", scope.project.id);
  forbidden();
}

export function isOwnerOfAll(person: Person): boolean {
  return person.roles === "owner";
}

export function projectsOf(person: Person): { id: number; name: string }[] {
  return consoleApi()
    .projects()
    .filter(({ id }) => roleIn(person, id) !== undefined)
    .map(({ id, name }) => ({ id, name }));
}

/** Parses a positive integer from an address. Undefined for anything else. */
export function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
