import { consoleApi } from "holdfast/service";
import type { Scope } from "./scope.ts";

const mostNames = 200;

/** To whom an issue can be given: all known people, the caller included. */
export function knownPeople({ project, person }: Scope): string[] {
  const { access } = consoleApi();
  const members = access.kind === "accounts" ? access.accounts.membersOf(project.id) : [];
  return [...new Set([person.name, ...members.map(({ email }) => email)])].slice(0, mostNames);
}

/** In which release an issue can have been fixed: the newest ones. */
export async function knownReleases({ project }: Scope): Promise<readonly string[]> {
  return (await consoleApi().releaseNames(project.id)).slice(0, 20);
}
