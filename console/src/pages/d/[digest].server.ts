import { load, notFound, redirect } from "holdfast/server";
import { openedDesk } from "holdfast/service";
import { personOf, projectsOf } from "../../server/scope.ts";

/** A digest says nothing about its project; it is looked for in all that the person may see. */
export const data = load("/_holdfast/d/[digest]", ({ locals, params, url }) => {
  for (const { id } of projectsOf(personOf(locals, url))) {
    const found = openedDesk().event(id, params.digest);
    if (found) return redirect("/_holdfast/[project]/events/[id]", { project: id, id: found.event.eventId });
  }
  return notFound();
});
