import { readFileSync } from "node:fs";
import path from "node:path";
import type { PageBudgets } from "#service";

/** What the pages of a build declare that they may cost, by route, as its manifest has it. Read when it is first asked for. */
export function declaredBudgets(buildFolder: string | undefined): () => PageBudgets {
  let read: PageBudgets | undefined;
  return () => {
    read ??= buildFolder === undefined ? {} : readBudgets(path.join(buildFolder, "manifest.json"));
    return read;
  };
}

function readBudgets(manifest: string): PageBudgets {
  const { routes }: { routes?: unknown } = JSON.parse(readFileSync(manifest, "utf8"));
  const budgets: Record<string, PageBudgets[string]> = Object.create(null);
  for (const route of Array.isArray(routes) ? routes : [])
    if (isBudgeted(route))
      budgets[route.id] = Object.fromEntries(
        Object.entries(route.budget).filter(([, limit]) => typeof limit === "number"),
      );
  return budgets;
}

function isBudgeted(route: unknown): route is { id: string; budget: object } {
  if (typeof route !== "object" || route === null || !("id" in route) || !("budget" in route)) return false;
  return typeof route.id === "string" && typeof route.budget === "object" && route.budget !== null;
}
