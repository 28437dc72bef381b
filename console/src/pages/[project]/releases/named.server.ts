import { action, load, notFound } from "holdfast/server";
import { consoleApi, isAtLeast, lastDays } from "holdfast/service";
import { shownRelease } from "../../../parts/release/release-name.ts";
import { healingOf, pinByForm } from "../../../server/healed-routes.ts";
import { titleOf } from "../../../server/issue-title.ts";
import { formOf } from "../../../server/posted.ts";
import { scopeOf } from "../../../server/scope.ts";
import { isNew, showState } from "../../../server/show-state.ts";
import { shownNames } from "../../../server/shown-names.ts";

/** The figure above them leads to all. */
const issuesNamed = 10;

const route = "/[project]/releases/named";

/** By `?name=`, because a release may have any name, also one that no path can contain. */
export const data = load(route, async ({ search, ...context }) => {
  const { project, role } = scopeOf(context);
  const api = consoleApi();
  const found = await api.release(project.id, search.get("name") ?? "");
  if (!found) notFound();
  const { name } = found.release;
  const now = api.now();
  const [begun, nameOf, healing] = await Promise.all([
    api.issues({
      project: project.id,
      filter: `first-release:${JSON.stringify(name)}`,
      sort: "visitors",
      limit: issuesNamed,
      period: lastDays(1, now),
    }),
    shownNames(),
    healingOf(project.id, name),
  ]);
  return {
    ...found,
    newIssues: begun.rows.map((issue) => ({
      number: issue.number,
      title: titleOf(issue),
      state: showState(issue.state, nameOf, isNew(issue, now)),
      visitors: issue.visitors,
    })),
    healing,
    mayChange: isAtLeast(role, "member"),
    deploys: api.deploys(project.id, name),
    now,
    shown: shownRelease(name),
  };
});

export const actions = {
  pin: action({ route }, ({ input, ...context }) => pinByForm(scopeOf(context), formOf(input))),
};
