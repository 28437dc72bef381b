import { load } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { liveFilterProblems, liveLines, wishIn } from "../../server/live-lines.ts";
import { liveVisitors, namedVisitor } from "../../server/live-visitors.ts";
import { scopeOf } from "../../server/scope.ts";

export const fresh = 0;

/** The newest records, newest first. The page requests later ones itself. */
export const data = load("/[project]/live", async ({ search, ...context }) => {
  const { project } = scopeOf(context);
  const wish = { ...wishIn(search, context.cookies), after: undefined };
  const [visitors, lines, visitor] = await Promise.all([
    liveVisitors(project.id),
    liveLines(project.id, wish),
    wish.visitor === undefined ? undefined : namedVisitor(project.id, wish.visitor),
  ]);
  return {
    now: consoleApi().now(),
    environment: wish.environment,
    filter: wish.filter,
    problems: liveFilterProblems(wish.filter),
    visitor,
    visitors,
    ...lines,
  };
});
