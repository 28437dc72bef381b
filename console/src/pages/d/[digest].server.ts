import { load, notFound, redirect } from "holdfast/server";
import { openedDesk } from "holdfast/service";
import { personOf, projectsOf } from "../../server/scope.ts";
import { whenFiled } from "../../server/when-filed.ts";

/** A digest says nothing about its project; it is looked for in all that the person may see. */
export const data = load("/_holdfast/d/[digest]", async ({ locals, params, url }) => {
  const projects = projectsOf(personOf(locals, url));
  const place = await whenFiled(() => {
    for (const { id: project } of projects) {
      const found = openedDesk().event(project, params.digest);
      if (found) return { project, id: found.event.eventId };
    }
    return undefined;
  });
  return place ? redirect("/_holdfast/[project]/events/[id]", place) : notFound();
});
