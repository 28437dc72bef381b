import { load } from "holdfast/server";
import { liveLines } from "../../server/live-lines.ts";
import { scopeOf } from "../../server/scope.ts";

export const fresh = 0;

/** The newest there is, newest first. The page asks for what comes by itself. */
export const data = load("/_holdfast/[project]/live", ({ search, ...context }) => {
  const { project } = scopeOf(context);
  const filter = (search.get("q") ?? "").slice(0, 1_000);
  return { filter, ...liveLines(project.id, filter) };
});
