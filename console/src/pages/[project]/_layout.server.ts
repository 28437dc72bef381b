import { action, type Guard, load, redirect } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { knownEnvironments } from "../../server/known-environments.ts";
import { choicesIn, chooseEnvironment, environmentIn } from "../../server/own-choices.ts";
import { formOf, textIn } from "../../server/posted.ts";
import { projectsOf, scopeOf, wayBack } from "../../server/scope.ts";
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
    environment: environmentIn(context.url.searchParams, context.cookies),
    environments: await knownEnvironments(project.id),
    news: { issues: newsOf(await consoleApi().newIssueCount(project.id)) },
    times: { zone, isChosen: isZoneChosen, seasons: seasonsOf(zone, new Date().getUTCFullYear()) },
  };
});

export const actions = {
  environment: action({}, ({ input, cookies, ...context }) => {
    scopeOf(context);
    const form = formOf(input);
    chooseEnvironment(cookies, textIn(form, "environment") || undefined);
    // The same screen, without an environment in its address: that would win.
    return redirect(wayBack(textIn(form, "to")) ?? "/");
  }),
};

/** Beside Issues: only what asks for a decision, never a total. */
function newsOf(newIssues: number): string {
  return newIssues === 0 ? "" : `${newIssues > 99 ? "99+" : newIssues} new`;
}
