import { consoleApi } from "holdfast/service";
import type { Scope } from "./scope.ts";

const mostNames = 200;

/** Possible assignees of an issue: all known people, including the caller. */
export async function knownPeople({ project, person }: Scope): Promise<KnownPerson[]> {
  const { access } = consoleApi();
  const members = access.kind === "accounts" ? await access.accounts.membersOf(project.id) : [];
  const shown = new Map<string, string | undefined>([[person.name, undefined]]);
  for (const { email, name } of members) shown.set(email, name);
  return [...shown].slice(0, mostNames).map(([name, shownName]) => ({ name, shownName }));
}

export interface KnownPerson {
  /** Identifies the person. */
  name: string;
  shownName: string | undefined;
}

/** Values to choose from in fields of an issue: people, and the newest releases, which may have its fix. */
export async function knownValues(scope: Scope): Promise<Record<"to" | "release", KnownValue[]>> {
  const [to, releases] = await Promise.all([knownPeople(scope), consoleApi().releaseNames(scope.project.id)]);
  return { to, release: releases.slice(0, 20).map((name) => ({ name })) };
}

export interface KnownValue {
  name: string;
  shownName?: string | undefined;
}
