import { load, notFound } from "holdfast/server";
import { consoleApi, lastDays } from "holdfast/service";
import { shownRelease } from "../../../parts/release/release-name.ts";
import { titleOf } from "../../../server/issue-title.ts";
import { scopeOf } from "../../../server/scope.ts";
import { isNew, showState } from "../../../server/show-state.ts";
import { shownNames } from "../../../server/shown-names.ts";

/** The figure above them leads to all. */
const issuesNamed = 10;

/** By `?name=`, because a release may have any name, also one that no path can contain. */
export const data = load("/[project]/releases/named", async ({ search, ...context }) => {
  const { project } = scopeOf(context);
  const api = consoleApi();
  const found = await api.release(project.id, search.get("name") ?? "");
  if (!found) notFound();
  const { name } = found.release;
  const now = api.now();
  const [begun, nameOf] = await Promise.all([
    api.issues({
      project: project.id,
      filter: `first-release:${JSON.stringify(name)}`,
      sort: "visitors",
      limit: issuesNamed,
      period: lastDays(1, now),
    }),
    shownNames(),
  ]);
  return {
    ...found,
    newIssues: begun.rows.map((issue) => ({
      number: issue.number,
      title: titleOf(issue),
      state: showState(issue.state, nameOf, isNew(issue, now)),
      visitors: issue.visitors,
    })),
    deploys: api.deploys(project.id, name),
    now,
    shown: shownRelease(name),
  };
});
