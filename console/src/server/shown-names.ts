import { consoleApi } from "holdfast/service";

/** Returns the name that people see of a person. */
export type NameOf = (person: string) => string;

/** The names that people have chosen. A person without one is shown by address, or as the application calls them. */
export async function shownNames(): Promise<NameOf> {
  const { access } = consoleApi();
  const names = access.kind === "accounts" ? await access.accounts.names() : new Map<string, string>();
  return (person) => names.get(person) ?? person;
}

/** Returns the person that a typed name means: a shown name, or what identifies them. */
export async function personCalled(typed: string): Promise<string> {
  const { access } = consoleApi();
  const names = access.kind === "accounts" ? await access.accounts.names() : new Map<string, string>();
  return [...names].find(([, name]) => name.toLowerCase() === typed.toLowerCase())?.[0] ?? typed;
}
