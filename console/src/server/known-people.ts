import { consoleApi } from "holdfast/service";
import type { Scope } from "./scope.ts";

const mostNames = 200;

/** Possible assignees of an issue: all known people, including the caller. */
export async function knownPeople({ project, person }: Scope): Promise<string[]> {
  const { access } = consoleApi();
  const members = access.kind === "accounts" ? await access.accounts.membersOf(project.id) : [];
  return [...new Set([person.name, ...members.map(({ email }) => email)])].slice(0, mostNames);
}

/** Releases in which an issue may have been fixed: the newest ones. */
export async function knownReleases({ project }: Scope): Promise<readonly string[]> {
  return (await consoleApi().releaseNames(project.id)).slice(0, 20);
}
