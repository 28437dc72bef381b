import { href } from "holdfast";
import { invalid } from "holdfast/server";
import { consoleApi, isAtLeast, type SavedSearch, type SearchScreen } from "holdfast/service";
import { formOf, textIn } from "./posted.ts";
import type { Said } from "./said.ts";
import { needs, type Scope } from "./scope.ts";

/** Saved searches of a screen as links, and the address where the present search is saved. */
export interface SavedLinks {
  links: readonly { id: string; name: string; to: string }[];
  save: string;
}

const screens = {
  issues: "/[project]/issues",
  logs: "/[project]/logs",
  spans: "/[project]/spans",
} as const satisfies Record<SearchScreen, string>;

export function screenNamed(text: string | null): SearchScreen | undefined {
  return text !== null && Object.hasOwn(screens, text) ? (text as SearchScreen) : undefined;
}

export function savedLinks({ project, person }: Scope, screen: SearchScreen, search: URLSearchParams): SavedLinks {
  const saved = consoleApi()
    .searches.of(project.id, person.name)
    .filter((one) => one.screen === screen);
  return {
    links: saved.map((one) => ({ id: one.id, name: one.name, to: addressOf(one) })),
    save: href("/[project]/searches", { project: project.id }, { screen, search: searchToSave(search) }),
  };
}

export function addressOf({ project, screen, search }: Pick<SavedSearch, "project" | "screen" | "search">): string {
  return href(screens[screen], { project }, new URLSearchParams(search));
}

/** Without the page of the list. */
function searchToSave(search: URLSearchParams): string {
  const kept = new URLSearchParams(search);
  for (const name of ["after", "place"]) kept.delete(name);
  return kept.toString();
}

export async function saveSearch(scope: Scope, input: unknown): Promise<Said> {
  const form = formOf(input);
  const isShared = form.get("shared") === "yes";
  if (isShared) needs(scope, "member");
  const screen = screenNamed(textIn(form, "screen")) ?? invalid({ "": "There is no such screen." });
  const name = textIn(form, "name");
  const owner = isShared ? undefined : scope.person.name;
  const wish = { project: scope.project.id, owner, screen, name, search: textIn(form, "search") };
  const outcome = await consoleApi().searches.save(wish, scope.person.name);
  switch (outcome.kind) {
    case "saved":
      return { said: `Saved as ${name}.` };
    case "unnamed":
      return invalid({ name: "Give it a name." });
    case "too-long":
      return invalid({ name: "A name has up to 60 characters, and a search up to 2,000." });
    case "full":
      return invalid({ name: `There are ${outcome.most} already. Remove one first.` });
  }
}

export async function renameSearch(scope: Scope, input: unknown): Promise<Said> {
  const form = formOf(input);
  const at = placeIn(scope, form);
  const name = textIn(form, "name", 60) || invalid({ name: "Give it a name." });
  return { said: (await consoleApi().searches.rename(at, name)) ? "Renamed." : "It is gone already." };
}

export async function removeSearch(scope: Scope, input: unknown): Promise<Said> {
  const at = placeIn(scope, formOf(input));
  return { said: (await consoleApi().searches.remove(at)) ? "Removed." : "It is gone already." };
}

/** Shared searches belong to the project: viewers leave them as they are. */
function placeIn(scope: Scope, form: FormData): { project: number; person: string; id: string } {
  const place = { project: scope.project.id, person: scope.person.name, id: textIn(form, "id", 64) };
  const found = consoleApi()
    .searches.of(place.project, place.person)
    .find(({ id }) => id === place.id);
  if (found !== undefined && found.owner === undefined) needs(scope, "member");
  return place;
}

export function mayShare({ role }: Scope): boolean {
  return isAtLeast(role, "member");
}
