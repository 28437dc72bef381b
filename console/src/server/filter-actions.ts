import { invalid } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { textIn } from "./posted.ts";
import type { Said } from "./said.ts";
import { needs, type Scope } from "./scope.ts";

const kinds = ["message", "release", "environment", "browser", "address", "crawler"] as const;

export async function addFilter(scope: Scope, form: FormData): Promise<Said> {
  needs(scope, "owner");
  const kind = kinds.find((one) => one === textIn(form, "kind")) ?? invalid({ kind: "Choose what it looks at." });
  const pattern = kind === "crawler" ? "" : textIn(form, "pattern", 201);
  const outcome = await consoleApi().filters.add(scope.project.id, { kind, pattern }, scope.person.name);
  if (outcome.kind === "refused") return invalid({ pattern: outcome.why });
  return { said: "Kept. What it matches is dropped from now on, and counted." };
}

export async function removeFilter(scope: Scope, form: FormData): Promise<Said> {
  needs(scope, "owner");
  const isRemoved = await consoleApi().filters.remove(scope.project.id, textIn(form, "id"), scope.person.name);
  if (!isRemoved) invalid({ "": "There is no such filter any more." });
  return { said: "Removed. Such reports are kept again." };
}
