import { load, notFound, redirect } from "holdfast/server";
import { personOf, projectsOf } from "../server/scope.ts";

/** Redirects to the first project that the person may see. */
export const data = load("/_holdfast", ({ locals }) => {
  const [first] = projectsOf(personOf(locals));
  if (!first) notFound();
  return redirect("/_holdfast/[project]", { project: first.id });
});
