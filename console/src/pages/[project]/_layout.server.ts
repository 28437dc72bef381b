import { type Guard, load } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { choicesIn } from "../../server/own-choices.ts";
import { projectsOf, scopeOf } from "../../server/scope.ts";
import { shownNames } from "../../server/shown-names.ts";
import { seasonsOf } from "../../server/zone-seasons.ts";

export const guard: Guard = (context) => void scopeOf(context);

export const data = load(async (context) => {
  const { project, person, role } = scopeOf(context);
  const { hasAccounts } = context.locals;
  const { zone, isZoneChosen } = choicesIn(context.cookies);
  return {
    project,
    role,
    name: (await shownNames())(person.name),
    hasAccounts,
    projects: projectsOf(person),
    news: { issues: newsOf(await consoleApi().newIssueCount(project.id)) },
    times: { zone, isChosen: isZoneChosen, seasons: seasonsOf(zone, new Date().getUTCFullYear()) },
  };
});

/** Beside Issues: only what asks for a decision, never a total. */
function newsOf(newIssues: number): string {
  return newIssues === 0 ? "" : `${newIssues > 99 ? "99+" : newIssues} new`;
}
