import { load, notFound } from "holdfast/server";
import { consoleApi, isAtLeast } from "holdfast/service";
import { rowNamed } from "../../../server/live-lines.ts";
import { visitorNamed } from "../../../server/live-visitors.ts";
import { scopeOf } from "../../../server/scope.ts";
import { showVisitor } from "../../../server/show-visitor.ts";
import { shownNames } from "../../../server/shown-names.ts";

/** The newest visits, or those before a time. */
export const data = load("/[project]/visitors/[id]", async ({ search, ...context }) => {
  const { project, role } = scopeOf(context);
  const api = consoleApi();
  const named = visitorNamed(context.params.id);
  const before = rowNamed(search.get("before"));
  const found = named === undefined ? undefined : await api.visitor(project.id, named, before);
  if (!found) notFound();
  const onlyFailing = search.get("only") === "failures";
  const visitor = showVisitor(found, onlyFailing, await shownNames());
  return { now: api.now(), onlyFailing, isPart: before !== undefined, visitor, mayErase: isAtLeast(role, "owner") };
});
