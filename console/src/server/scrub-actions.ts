import { invalid } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { textIn } from "./posted.ts";
import type { Said } from "./said.ts";
import { needs, type Scope } from "./scope.ts";

export async function addScrubRule(scope: Scope, form: FormData): Promise<Said> {
  needs(scope, "owner");
  const outcome = await consoleApi().scrubRules.add(scope.project.id, wishIn(form), scope.person.name);
  if (outcome.kind === "refused") return invalid({ ...outcome.problems });
  return { said: "Kept. It holds for what is filed from now on." };
}

export async function removeScrubRule(scope: Scope, form: FormData): Promise<Said> {
  needs(scope, "owner");
  const isRemoved = await consoleApi().scrubRules.remove(scope.project.id, textIn(form, "id"), scope.person.name);
  if (!isRemoved) invalid({ "": "There is no such rule any more." });
  return { said: "Removed." };
}

/** What the rule of the form would take out of the newest events. */
export async function tryScrubRule(scope: Scope, form: FormData) {
  needs(scope, "member");
  const wish = wishIn(form);
  const outcome = await consoleApi().scrubRules.try(scope.project.id, wish);
  if (outcome.kind === "refused") return invalid({ ...outcome.problems });
  return { ...wish, tried: outcome.events.length, events: outcome.events.filter(({ changes }) => changes.length > 0) };
}

function wishIn(form: FormData): { path: string; expression: string } {
  return { path: textIn(form, "path", 201), expression: textIn(form, "expression", 201) };
}
