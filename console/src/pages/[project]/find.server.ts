import { href } from "holdfast";
import { load, redirect } from "holdfast/server";
import { consoleApi } from "holdfast/service";
import { findEvent, namesEvent } from "../../server/find-event.ts";
import { visitorId } from "../../server/live-visitors.ts";
import { projectsOf, scopeOf } from "../../server/scope.ts";
import { isFilter, issuesLike, linksOf } from "../../server/suggestions.ts";
import { whenFiled } from "../../server/when-filed.ts";

/** A digest without its hyphens may be a search word, which should not wait. */
const isSearchWord = /^\s*\w{12}\s*$/;

/** Target of the search box. Redirects to the match; if several things match, or none can, it says so. */
export const data = load("/[project]/find", async ({ search, ...context }) => {
  const { person, project: here } = scopeOf(context);
  const project = here.id;
  const typed = (search.get("q") ?? "").slice(0, 1_000);
  const api = consoleApi();
  if (namesEvent(typed)) {
    const look = () => findEvent(person, typed, project);
    const event = await (isSearchWord.test(typed) ? look() : whenFiled(look));
    if (event !== undefined) return redirect("/[project]/events/[id]", event);
    // An event that was filtered out, or is deleted, leaves its submission.
    const kept = await api.kept(project)?.show(typed.trim());
    if (kept !== undefined) return redirect(href("/[project]/kept", { project }, { code: kept.digest }));
  }
  const found = await api.find(project, typed);
  switch (found.kind) {
    case "event":
      return redirect("/[project]/events/[id]", { project, id: found.eventId });
    case "feedback":
      return redirect(href("/[project]/feedback", { project }, { id: found.id }));
    case "trace":
      return redirect("/[project]/traces/[id]", { project, id: found.traceId });
    case "issue":
      return redirect("/[project]/issues/[number]", { project, number: found.number });
    case "release":
      return redirect(href("/[project]/releases/named", { project }, { name: found.name }));
    case "visitor":
      return redirect("/[project]/visitors/[id]", { project, id: visitorId(found.visitor) });
    case "issues": {
      const issues = href("/[project]/issues", { project }, { q: found.filter, tab: "all" });
      const things = isFilter(found.filter) ? [] : linksOf(project, await api.search(project, typed));
      const isDigest = namesEvent(typed) && !isSearchWord.test(typed);
      if (things.length === 0 && !isDigest) return redirect(issues);
      return {
        typed,
        issues,
        things: [...things, ...(await issuesLike({ project: here }, found.filter))],
        /** Where an event with this digest or id was searched. */
        searched: isDigest && {
          projects: projectsOf(person).map(({ name }) => name),
          since: await api.keptSince(),
        },
      };
    }
  }
});
