import { load, redirect } from "holdfast/server";
import { openedDesk } from "holdfast/service";
import { scopeOf } from "../../server/scope.ts";
import { whenFiled } from "../../server/when-filed.ts";

/** With its hyphens: without them it may be a search word, which should not wait. */
const asDigestsAreShown = /^\s*\w{4}-\w{4}-\w{4}\s*$/;

/** The one box that takes anything leads here, and from here to what was meant. */
export const data = load("/_holdfast/[project]/find", async ({ search, ...context }) => {
  const project = scopeOf(context).project.id;
  const typed = (search.get("q") ?? "").slice(0, 1_000);
  if (asDigestsAreShown.test(typed)) await whenFiled(() => openedDesk().event(project, typed));
  const found = openedDesk().find(project, typed);
  switch (found.kind) {
    case "event":
      return redirect("/_holdfast/[project]/events/[id]", { project, id: found.eventId });
    case "trace":
      return redirect("/_holdfast/[project]/traces/[id]", { project, id: found.traceId });
    case "issue":
      return redirect("/_holdfast/[project]/issues/[number]", { project, number: found.number });
    case "release":
      return redirect(`/_holdfast/${project}/releases/named?${new URLSearchParams({ name: found.name })}`);
    case "issues":
      return redirect(`/_holdfast/${project}/issues?${new URLSearchParams({ q: found.filter, tab: "all" })}`);
  }
});
